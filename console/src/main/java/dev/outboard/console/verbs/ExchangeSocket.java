package dev.outboard.console.verbs;

import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/// The TCP connection over which the two sides of a tool tell each other queue pair numbers,
/// sequence numbers and addresses before, and results after, the RDMA traffic. One thread; the tool
/// closes it.
final class ExchangeSocket implements AutoCloseable {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
    private static final int ASK_AFTER_SECONDS = 1;

    private final Socket socket;

    /// Where packets get lost, a reset does too, and nothing repeats it: only a peer that is asked
    /// whether it is still there says so again.
    private ExchangeSocket(Socket socket, Duration limit) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, ASK_AFTER_SECONDS);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, ASK_AFTER_SECONDS);
        socket.setSoTimeout(millis(limit));
    }

    /// Listens; port 0 takes a free one.
    static ServerSocket listen(InetSocketAddress address) {
        try {
            return new ServerSocket(address.getPort(), 1, address.getAddress());
        } catch (IOException e) {
            throw new CommandException(
                    "cannot listen on TCP %s: %s".formatted(text(address), e.getMessage()), e);
        }
    }

    /// Waits for the client.
    static ExchangeSocket accept(ServerSocket listener, Duration limit) throws IOException {
        listener.setSoTimeout(millis(limit));
        try {
            return new ExchangeSocket(listener.accept(), limit);
        } catch (SocketTimeoutException e) {
            throw new CommandException("no client within " + limit.toMillis() + " ms", e);
        }
    }

    /// Connects to the server.
    static ExchangeSocket connect(InetSocketAddress server, Duration limit) {
        Socket socket = new Socket();
        try {
            socket.connect(server, millis(limit));
            return new ExchangeSocket(socket, limit);
        } catch (IOException e) {
            throw new CommandException(
                    "connecting to TCP %s: %s; is the server there?"
                            .formatted(text(server), e.getMessage()),
                    e);
        }
    }

    /// Sends all of `bytes`.
    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /// The next `count` bytes.
    ///
    /// @throws CommandException if the peer ends the connection, or is silent for too long
    byte[] receive(int count) throws IOException {
        byte[] bytes;
        try {
            bytes = socket.getInputStream().readNBytes(count);
        } catch (SocketTimeoutException e) {
            throw new CommandException("the peer says nothing on the TCP connection", e);
        }
        if (bytes.length < count) {
            throw new CommandException("the peer has ended the TCP connection");
        }
        return bytes;
    }

    /// Says "done".
    void sendDone() throws IOException {
        send(DONE);
    }

    /// Waits until the peer says "done".
    void receiveDone() throws IOException {
        receive(DONE.length);
    }

    /// Waits until the peer says "done", or has reset the connection.
    void receiveDoneOrReset() throws IOException {
        try {
            receiveDone();
        } catch (SocketException e) {
            // A reset: nothing comes any more.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static int millis(Duration limit) {
        return Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " port " + address.getPort();
    }
}
