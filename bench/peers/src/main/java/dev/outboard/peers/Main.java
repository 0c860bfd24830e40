package dev.outboard.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/// Runs one floor or peer: `Main NAME ARGUMENT…`. Every line of input is a number of milliseconds;
/// each is answered with one line, the result of measuring for so long, and for how many
/// milliseconds the compiler has worked so far. Ends with its input.
public final class Main {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int WARM_UP_SHARE = 10;

    private Main() {}

    /// The entry point.
    public static void main(String[] arguments) throws Exception {
        Measured subject = subject(arguments[0], arguments);
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            long nanos = Long.parseLong(order.strip()) * NANOS_PER_MILLI;
            // The caches hold what ran between.
            subject.measure(nanos / WARM_UP_SHARE);
            double result = subject.measure(nanos);
            System.out.printf("result %.0f %d%n", result, compiler.getTotalCompilationTime());
        }
        // Servers and drivers have threads of their own.
        System.exit(0);
    }

    private static Measured subject(String name, String[] arguments) throws IOException {
        return switch (name) {
            case "floor-rpc" -> new FloorRpc(isBlocking(arguments), number(arguments, 2), 50);
            case "floor-tail" -> new FloorRpc(isBlocking(arguments), number(arguments, 2), 99);
            case "floor-stream" -> new FloorStream(number(arguments, 1), true);
            case "floor-rate" -> new FloorStream(number(arguments, 1), false);
            case "grpc" -> new GrpcPeer(number(arguments, 1));
            case "grpc-clients" ->
                    arguments.length == 3
                            ? new GrpcClients(number(arguments, 1), number(arguments, 2))
                            : new GrpcClients(
                                    number(arguments, 1),
                                    number(arguments, 2),
                                    number(arguments, 3));
            case "grpc-server" -> server();
            case "netty" -> NettyPeer.latency(isBlocking(arguments), number(arguments, 2));
            case "netty-clients" ->
                    NettyPeer.clients(
                            isBlocking(arguments), number(arguments, 2), number(arguments, 3));
            case "aeron-latency" -> new AeronPeer(number(arguments, 1), true);
            case "aeron-stream" -> new AeronPeer(number(arguments, 1), false);
            default -> throw new IllegalArgumentException("no peer is called " + name);
        };
    }

    /// Only serves clients in other processes, and tells them where.
    private static Measured server() throws IOException {
        System.out.println("ready " + new GrpcEcho().port());
        return _ -> 0;
    }

    private static boolean isBlocking(String[] arguments) {
        return arguments[1].equals("block");
    }

    private static int number(String[] arguments, int index) {
        return Integer.parseInt(arguments[index]);
    }
}
