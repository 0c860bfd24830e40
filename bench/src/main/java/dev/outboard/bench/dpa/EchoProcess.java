package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.WarmUp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// The main class of the far end of an echo, in a process of its own: `handler`, on a DPA,
/// `handler-c`, the same in C, or `verbs`. It serves one client. If there is no such end on this
/// machine, the last line says why. Every line of input is answered with one: for how many
/// milliseconds the compiler has worked so far. Ends with its input.
public final class EchoProcess {
    static final String LOOPBACK = "roce://auto?peer=127.0.0.1";

    private EchoProcess() {}

    /// The entry point.
    public static void main(String[] arguments) throws IOException {
        try (Device device = Fabric.open(LOOPBACK);
                EchoEnd end = end(arguments[0], device);
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println("ready " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                end.connect(EchoPeer.receive(socket));
                new EchoPeer(device.address(), end.number()).send(socket);
                if (end instanceof EchoVerbs verbs) {
                    Thread.ofPlatform().daemon().name("echo").start(() -> serve(verbs));
                }
                answer();
            }
        } catch (MeasurementException e) {
            System.out.println(e.getMessage());
        }
    }

    private static EchoEnd end(String kind, Device device) {
        return switch (kind) {
            case "handler" -> new EchoHandler(device, EchoKernelsStub.APP);
            case "handler-c" -> new EchoHandler(device, EchoInC.app());
            default -> new EchoVerbs(device);
        };
    }

    private static void serve(EchoVerbs end) {
        while (!Thread.currentThread().isInterrupted()) {
            end.take(true);
        }
    }

    private static void answer() throws IOException {
        BufferedReader orders =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (orders.readLine() != null) {
            System.out.println("compiled " + WarmUp.compilerMillis());
        }
    }
}
