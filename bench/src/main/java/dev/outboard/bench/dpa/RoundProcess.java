package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.WarmUp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// The main class of the far end of rounds of RDMA, in a process of its own: `kernel`, on a DPA, or
/// `tasks`; and how long the longest message is. The line `answer` makes it answer until the last
/// message; it says so before, and after it for how many milliseconds the compiler has worked so
/// far. Ends with its input.
public final class RoundProcess {
    /// The line that makes it answer.
    static final String ANSWER = "answer";

    private RoundProcess() {}

    /// The entry point.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (RoundEnd end = end(arguments[0], Integer.parseInt(arguments[1]));
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println("ready " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                RoundPeer.send(socket, end.exports());
                end.connect(RoundPeer.receive(socket));
            }
            BlockingQueue<String> orders = new LinkedBlockingQueue<>();
            Thread.ofPlatform().daemon().name("orders").start(() -> read(orders));
            while (orders.take().equals(ANSWER)) {
                System.out.println("answering");
                end.answer();
                System.out.println("compiled " + WarmUp.compilerMillis());
            }
        }
    }

    /// Whoever has started it may be gone while it answers, and then there is no last message.
    private static void read(BlockingQueue<String> orders) {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                orders.add(line);
            }
        } catch (IOException _) {
            // The same as its end.
        }
        Runtime.getRuntime().halt(0);
    }

    static RoundEnd end(String kind, int messageBytes) {
        return kind.equals("kernel") ? new KernelEnd(messageBytes) : new TaskEnd(messageBytes);
    }
}
