package dev.outboard.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/// Runs one floor or peer: `Main NAME ARGUMENT…`. Every line of input is a number of milliseconds;
/// each is answered with one line, the result of measuring for so long. Ends with its input.
public final class Main {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Main() {}

    /// The entry point.
    public static void main(String[] arguments) throws Exception {
        Measured subject = subject(arguments[0], arguments);
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            double result = subject.measure(Long.parseLong(order.strip()) * NANOS_PER_MILLI);
            System.out.printf("result %.0f%n", result);
        }
        // Servers and drivers have threads of their own.
        System.exit(0);
    }

    private static Measured subject(String name, String[] arguments) throws IOException {
        return switch (name) {
            case "floor-rpc" -> new FloorRpc(isBlocking(arguments), number(arguments, 2));
            case "floor-stream" -> new FloorStream(number(arguments, 1), true);
            case "floor-rate" -> new FloorStream(number(arguments, 1), false);
            case "grpc" -> new GrpcPeer(number(arguments, 1));
            case "grpc-clients" -> new GrpcClients(number(arguments, 1), number(arguments, 2));
            case "netty" -> NettyPeer.latency(isBlocking(arguments), number(arguments, 2));
            case "netty-clients" ->
                    NettyPeer.clients(
                            isBlocking(arguments), number(arguments, 2), number(arguments, 3));
            case "aeron-latency" -> new AeronPeer(number(arguments, 1), true);
            case "aeron-stream" -> new AeronPeer(number(arguments, 1), false);
            default -> throw new IllegalArgumentException("no peer is called " + name);
        };
    }

    private static boolean isBlocking(String[] arguments) {
        return arguments[1].equals("block");
    }

    private static int number(String[] arguments, int index) {
        return Integer.parseInt(arguments[index]);
    }
}
