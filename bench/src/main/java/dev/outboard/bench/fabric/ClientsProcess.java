package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.JavaProgram;
import dev.outboard.bench.comparison.WarmUp;
import dev.outboard.bench.fabric.ClientsSubject.Figure;
import dev.outboard.bench.fabric.ClientsSubject.Scene;
import dev.outboard.bench.fabric.ClientsSubject.Style;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongToDoubleFunction;

/// The main class of a node, `node CLIENTS`, or of some of its clients, `clients STYLE BYTES COUNT
/// HOST:PORT`, in a process of its own. Every line of input is a number of milliseconds; each is
/// answered with one line, the RPCs per second of measuring for so long, and for how many
/// milliseconds the compiler has worked so far. Ends with its input.
public final class ClientsProcess {
    private static final int WARM_UP_SHARE = 10;

    private ClientsProcess() {}

    /// The entry point.
    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("node")) {
            try (LoopbackNode node = new LoopbackNode(Integer.parseInt(arguments[1]))) {
                System.out.printf("ready %s:%d%n", node.host(), node.port());
                answer(_ -> 0);
            }
        } else {
            Scene scene =
                    new Scene(
                            Integer.parseInt(arguments[3]),
                            Style.valueOf(arguments[1]),
                            Long.parseLong(arguments[2]),
                            0,
                            0);
            String[] place = arguments[4].split(":");
            LoopbackClients clients = new LoopbackClients(place[0], Integer.parseInt(place[1]));
            try (ClientsSubject subject = new ClientsSubject(scene, Figure.RATE, clients)) {
                answer(subject::run);
            }
        }
    }

    private static void answer(LongToDoubleFunction work) throws IOException {
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(order));
            var _ = work.applyAsDouble(nanos / WARM_UP_SHARE);
            double result = work.applyAsDouble(nanos);
            System.out.printf("result %.0f %d%n", result, WarmUp.compilerMillis());
        }
    }

    /// The command that starts one.
    static List<String> command(String... arguments) {
        return JavaProgram.command(ClientsProcess.class, arguments);
    }
}
