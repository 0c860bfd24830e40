package dev.outboard.dpa.debug.io;

import dev.outboard.dpa.debug.Debugger;
import dev.outboard.dpa.debug.GdbSession;
import dev.outboard.dpa.debug.Operator;
import dev.outboard.dpa.debug.Resume;
import dev.outboard.dpa.debug.Stop;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Waits for one gdb of this machine, and lets it operate a debugger. While the program stands
/// still, it waits for that gdb for as long as it is connected: a person thinks. When gdb has gone
/// without detaching, the program ends.
///
/// ```java
/// try (GdbServer server = GdbServer.listen(1234)) {
///     Debugger debugger = new Debugger(view, server);
///     server.accept(debugger, Duration.ofMinutes(5));
///     …
///     server.exited(0);
/// }
/// ```
///
/// It belongs to the thread that runs the program, and to its owner before and after that.
public final class GdbServer implements Operator, AutoCloseable {
    private static final int BUFFER_BYTES = 8 << 10;

    private final ServerSocket listening;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private @Nullable Socket socket;
    private @Nullable GdbSession session;
    private boolean isLost;
    private boolean isEnded;

    private GdbServer(ServerSocket listening) {
        this.listening = listening;
    }

    /// Listens on the loopback address.
    ///
    /// @param port 0 for any that is free
    /// @throws IOException if the port is in use
    public static GdbServer listen(int port) throws IOException {
        ServerSocket listening = new ServerSocket();
        try {
            listening.setReuseAddress(true);
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        return new GdbServer(listening);
    }

    /// Where it listens.
    public int port() {
        return listening.getLocalPort();
    }

    /// Waits for gdb.
    ///
    /// @param debugger what it operates
    /// @throws SocketTimeoutException if it does not come in time
    public void accept(Debugger debugger, Duration atMost) throws IOException {
        listening.setSoTimeout(Math.clamp(atMost.toMillis(), 1, Integer.MAX_VALUE));
        Socket accepted = listening.accept();
        accepted.setTcpNoDelay(true);
        listening.close();
        socket = accepted;
        session = new GdbSession(debugger);
    }

    /// Whether gdb has gone without a word.
    public boolean isLost() {
        return isLost;
    }

    /// Whether it has ended the program.
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public Resume stopped(Stop stop) {
        GdbSession current = session;
        if (current == null || current.isDetached()) {
            return Resume.GO;
        }
        current.stopped(stop);
        while (!isLost) {
            flush(current);
            Optional<Resume> resume = current.resume();
            if (resume.isPresent()) {
                isEnded = resume.get().kind() == Resume.Kind.END;
                return resume.get();
            }
            read(current);
        }
        isEnded = true;
        return Resume.END;
    }

    @Override
    public boolean interrupts() {
        GdbSession current = session;
        if (current == null || current.isDetached()) {
            return false;
        }
        if (hasCome()) {
            read(current);
            flush(current);
        }
        return current.isBreakWanted() || isLost;
    }

    /// Tells gdb that the program has ended.
    ///
    /// @param code 0 to 255
    public void exited(int code) {
        if (session != null) {
            session.exited(code);
            flush(session);
        }
    }

    /// Tells gdb that the program was ended because of what it did.
    public void crashed() {
        if (session != null) {
            session.crashed();
            flush(session);
        }
    }

    private boolean hasCome() {
        try {
            return socket != null && socket.getInputStream().available() > 0;
        } catch (IOException e) {
            isLost = true;
            return false;
        }
    }

    private void read(GdbSession current) {
        try {
            InputStream in = connected().getInputStream();
            int count = in.read(buffer);
            isLost |= count < 0;
            current.receive(buffer, count);
        } catch (IOException e) {
            isLost = true;
        }
    }

    private void flush(GdbSession current) {
        byte[] bytes = current.toSend();
        if (bytes.length == 0 || isLost) {
            return;
        }
        try {
            OutputStream out = connected().getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            isLost = true;
        }
    }

    private Socket connected() throws IOException {
        if (socket == null) {
            throw new IOException("nobody is connected");
        }
        return socket;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        if (socket != null) {
            socket.close();
        }
    }
}
