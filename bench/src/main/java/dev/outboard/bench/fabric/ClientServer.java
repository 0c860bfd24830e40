package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.ProgramRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A peer that comes as a program with two ends, started anew in every round. The last number that
/// `result` matches in what the client prints counts.
///
/// @param debianPackage what to install if the program is absent
/// @param server its command; `PORT` stands for a free port
/// @param client its command; `SECONDS` stands for the time
/// @param scale from the printed number to the unit of the work
record ClientServer(
        String name,
        String debianPackage,
        String server,
        String client,
        Map<String, String> environment,
        Pattern result,
        DoubleUnaryOperator scale)
        implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int ATTEMPTS = 5;
    private static final long START_NANOS = 300_000_000;

    @Override
    public String remedy() {
        String program = server.substring(0, server.indexOf(' '));
        return Home.program(program).isPresent() ? "" : "apt-get install " + debianPackage;
    }

    @Override
    public double measure(Duration time) {
        String port = String.valueOf(Home.freePort());
        String seconds = String.valueOf(Math.max(1, time.toSeconds()));
        try (ProgramRun _ = new ProgramRun(words(server, port, seconds), environment)) {
            String output = "";
            // Nothing tells that a server listens: try until the client gets through.
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                LockSupport.parkNanos(START_NANOS);
                try (ProgramRun run = new ProgramRun(words(client, port, seconds), environment)) {
                    output = run.output(time.plus(PATIENCE));
                }
                Matcher matcher = result.matcher(output);
                String last = "";
                while (matcher.find()) {
                    last = matcher.group(1);
                }
                if (!last.isEmpty()) {
                    return scale.applyAsDouble(Double.parseDouble(last));
                }
            }
            throw new MeasurementException(name + " printed no result: " + output.strip());
        }
    }

    private static List<String> words(String command, String port, String seconds) {
        return List.of(command.replace("PORT", port).replace("SECONDS", seconds).split(" "));
    }
}
