package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.ProgramRun;
import dev.outboard.bench.comparison.WarmUp;
import dev.outboard.bench.fabric.ClientsSubject.Style;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A server and its clients in processes of their own, which live as long as the work and are told
/// at the same time to measure. The result is the sum of theirs.
final class Apart implements Contender {
    /// The processes that share the clients.
    static final int CLIENT_PROCESSES = 2;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String READY = "ready ";

    private final String name;
    private final String remedy;
    private final Program program;
    private final List<ProgramRun> processes = new ArrayList<>();
    private long compilerMillis;

    /// How the processes are started.
    ///
    /// @param server prints `ready` and where it is
    /// @param client the command of a process of clients, whose last word is where the server is
    private record Program(List<String> server, List<String> client) {}

    private Apart(String name, String remedy, Program program) {
        this.name = name;
        this.remedy = remedy;
        this.program = program;
    }

    /// A node and its clients.
    static Apart outboard(String name, Style style, int bytes, int clients) {
        return new Apart(
                name,
                "",
                new Program(
                        ClientsProcess.command("node", String.valueOf(clients)),
                        ClientsProcess.command(
                                "clients",
                                style.name(),
                                String.valueOf(bytes),
                                String.valueOf(clients / CLIENT_PROCESSES))));
    }

    /// A gRPC server and its clients.
    static Apart grpc(Home home, int bytes, int clients) {
        return new Apart(
                "gRPC",
                JvmPeer.remedy(home),
                new Program(
                        JvmPeer.command(home, "grpc-server"),
                        JvmPeer.command(
                                home,
                                "grpc-clients",
                                String.valueOf(bytes),
                                String.valueOf(clients / CLIENT_PROCESSES))));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String remedy() {
        return remedy;
    }

    @Override
    public double measure(Duration time) {
        if (processes.isEmpty()) {
            start();
            // The compilers of all processes share the processors, and take longer for it.
            Duration longer = time.multipliedBy(1 + CLIENT_PROCESSES);
            WarmUp.with(() -> ask(longer), () -> compilerMillis);
        }
        return ask(time);
    }

    private void start() {
        ProgramRun server = start(program.server);
        String line = server.await(READY, PATIENCE);
        List<String> client = new ArrayList<>(program.client);
        client.add(line.substring(line.indexOf(READY) + READY.length()));
        for (int i = 0; i < CLIENT_PROCESSES; i++) {
            start(client);
        }
    }

    private ProgramRun start(List<String> command) {
        ProgramRun run = new ProgramRun(command, Map.of());
        processes.add(run);
        return run;
    }

    private double ask(Duration time) {
        String order = String.valueOf(time.toMillis());
        processes.forEach(process -> process.tell(order));
        long compiled = 0;
        double result = 0;
        for (ProgramRun process : processes) {
            String[] words = process.await("result ", time.plus(PATIENCE)).split(" ");
            result += Double.parseDouble(words[1]);
            compiled += Long.parseLong(words[2]);
        }
        compilerMillis = compiled;
        return result;
    }

    @Override
    public void close() {
        processes.forEach(ProgramRun::close);
    }
}
