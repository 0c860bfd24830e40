package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.WarmUp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// The main class of the far end of rounds of RDMA, in a process of its own: `kernel`, on a DPA, or
/// `tasks`; and how long the longest message is. Each line of input makes it answer until the last
/// message; it says so before, and after it for how many milliseconds the compiler has worked so
/// far. Ends with its input.
public final class RoundProcess {
    private RoundProcess() {}

    /// The entry point.
    public static void main(String[] arguments) throws IOException {
        try (RoundEnd end = end(arguments[0], Integer.parseInt(arguments[1]));
                ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.out.println("ready " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                RoundPeer.send(socket, end.exports());
                end.connect(RoundPeer.receive(socket));
            }
            BufferedReader orders =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (orders.readLine() != null) {
                System.out.println("answering");
                end.answer();
                System.out.println("compiled " + WarmUp.compilerMillis());
            }
        }
    }

    static RoundEnd end(String kind, int messageBytes) {
        return kind.equals("kernel") ? new KernelEnd(messageBytes) : new TaskEnd(messageBytes);
    }
}
