package dev.outboard.examples.doca;

import dev.outboard.doca.DocaDevInfo;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What two processes tell each other before they can use RDMA, over TCP; and how the examples
/// become two processes. Used by one thread; whoever made it closes it.
public final class Exchange implements AutoCloseable {
    private static final int DEFAULT_PORT = 18540;
    private static final int LAST_PORT = 65_535;
    private static final int START_MILLIS = 60_000;

    /// One of the two processes of an example.
    @FunctionalInterface
    public interface Side {
        /// Does its part of the example.
        ///
        /// @param arguments the words of the command line that are the example's own
        void run(Exchange peer, List<String> arguments) throws Exception;
    }

    /// The first process of an example of several.
    @FunctionalInterface
    public interface First {
        /// Does its part of the example.
        void run(List<Exchange> others) throws Exception;
    }

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private Exchange(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /// Runs one side, `server ARGUMENTS` or `client HOST ARGUMENTS`, or both, the client in a
    /// second process: `ARGUMENTS`.
    public static void run(Class<?> example, String[] words, Side server, Side client)
            throws Exception {
        List<String> arguments = List.of(words);
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        if (first.equals("server")) {
            try (ServerSocket listener = new ServerSocket(DEFAULT_PORT)) {
                System.out.println("waiting for a client on port " + DEFAULT_PORT);
                runServer(listener, server, arguments.subList(1, arguments.size()));
            }
        } else if (first.equals("client") && arguments.size() > 1) {
            runClient(arguments.get(1), client, arguments.subList(2, arguments.size()));
        } else {
            runBoth(example, server, arguments);
        }
    }

    private static void runServer(ServerSocket listener, Side server, List<String> arguments)
            throws Exception {
        try (Exchange peer = new Exchange(listener.accept())) {
            server.run(peer, arguments);
        }
    }

    private static void runClient(String address, Side client, List<String> arguments)
            throws Exception {
        try (Exchange peer = join(address)) {
            client.run(peer, arguments);
        }
    }

    private static int port(String word) throws IOException {
        if (!word.matches("[1-9]\\d{0,4}") || Integer.parseInt(word) > LAST_PORT) {
            throw new IOException("'" + word + "' is no port; valid are 1 to " + LAST_PORT);
        }
        return Integer.parseInt(word);
    }

    private static Socket connected(String host, int port) throws IOException {
        try {
            return new Socket(host, port);
        } catch (UnknownHostException e) {
            throw new IOException("there is no host " + host, e);
        } catch (ConnectException e) {
            throw new IOException(
                    "nobody answers on port %d of %s (%s); start the server there first"
                            .formatted(port, host, e.getMessage()),
                    e);
        }
    }

    private static void runBoth(Class<?> example, Side server, List<String> arguments)
            throws Exception {
        runFirst(
                example,
                1,
                List.of("client"),
                arguments,
                clients -> server.run(clients.getFirst(), arguments));
    }

    /// Runs the first process of an example, and `others` as processes of their own.
    ///
    /// @param name the word that one of the others is run with; where the first one is comes next
    public static void runFirst(Class<?> example, int others, String name, First first)
            throws Exception {
        runFirst(example, others, List.of(name), List.of(), first);
    }

    private static void runFirst(
            Class<?> example, int others, List<String> before, List<String> after, First first)
            throws Exception {
        List<Process> started = new ArrayList<>();
        List<Exchange> joined = new ArrayList<>();
        try (ServerSocket listener =
                new ServerSocket(0, others, InetAddress.getLoopbackAddress())) {
            List<String> command = java(example);
            command.addAll(before);
            command.add("localhost:" + listener.getLocalPort());
            command.addAll(after);
            listener.setSoTimeout(START_MILLIS);
            for (int i = 0; i < others; i++) {
                started.add(new ProcessBuilder(command).inheritIO().start());
            }
            for (int i = 0; i < others; i++) {
                joined.add(new Exchange(listener.accept()));
            }
            first.run(joined);
            for (Exchange peer : joined) {
                peer.close();
            }
            for (Process other : started) {
                if (other.waitFor() != 0) {
                    throw new IOException(
                            "the %s ended with exit code %d"
                                    .formatted(before.getFirst(), other.exitValue()));
                }
            }
        } finally {
            for (Exchange peer : joined) {
                peer.close();
            }
            started.forEach(Process::destroy);
        }
    }

    /// One of the others: finds the first process.
    ///
    /// @param address the host, and its port
    public static Exchange join(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        boolean hasPort = colon >= 0 && colon == address.indexOf(':'); // more are IPv6
        String host = hasPort ? address.substring(0, colon) : address;
        int port = hasPort ? port(address.substring(colon + 1)) : DEFAULT_PORT;
        return new Exchange(connected(host, port));
    }

    /// The command that runs `example` with the Java, and the modules or class path, of this
    /// process.
    private static List<String> java(Class<?> example) {
        String modules = System.getProperty("jdk.module.path");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> fromClassPath =
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        example.getName());
        List<String> fromModules =
                List.of(
                        "--enable-native-access=dev.outboard.fabric",
                        "--module-path",
                        String.valueOf(modules),
                        "--module",
                        example.getModule().getName() + "/" + example.getName());
        List<String> command = new ArrayList<>(List.of(java, "-XX:+UseSerialGC"));
        command.addAll(modules == null ? fromClassPath : fromModules);
        return command;
    }

    /// The device that leads to the peer.
    DocaDevInfo device() {
        return DocaDevInfo.of(deviceUri());
    }

    /// The name of that.
    public String deviceUri() {
        return "roce://auto?peer=" + socket.getInetAddress().getHostAddress();
    }

    /// Gives the peer `mine` and takes what it gives.
    public byte[] swap(byte[] mine) throws IOException {
        send(mine);
        return receive();
    }

    /// Waits until the peer comes here, too.
    public void meet() throws IOException {
        swap(new byte[0]);
    }

    /// Gives the peer something.
    public void send(byte[] bytes) throws IOException {
        try {
            out.writeShort(bytes.length);
            out.write(bytes);
        } catch (SocketException e) {
            throw ended(e);
        }
    }

    /// Takes what the peer gives.
    public byte[] receive() throws IOException {
        try {
            byte[] bytes = new byte[in.readUnsignedShort()];
            in.readFully(bytes);
            return bytes;
        } catch (EOFException | SocketException e) {
            throw ended(e);
        }
    }

    private static IOException ended(IOException cause) {
        return new IOException("the other process has ended; see what it says", cause);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
