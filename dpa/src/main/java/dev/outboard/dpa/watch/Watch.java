package dev.outboard.dpa.watch;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.trace.Trace;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/// Lets `outboard dpa ps` and `outboard dpa trace` of the same user look at all processes of the
/// DPA that this virtual machine of Java has, by a socket in a directory of that user. A program
/// opens it once, before or after it makes them:
///
/// ```java
/// try (Watch _ = Watch.open()) {
///     …
/// }
/// ```
///
/// It takes a thread that sleeps until somebody looks, and keeps the virtual machine from ending no
/// more than those that answer do. The socket goes when it is closed, or when the virtual machine
/// ends.
public final class Watch implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Watch.class.getName());

    /// How many may look at once.
    static final int MOST_VISITORS = 8;

    /// How long a visitor may take to say what it wants, or to take a part of the answer.
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /// The longest trace.
    static final Duration LONGEST_TRACE = Duration.ofMinutes(10);

    /// After a connection could not be taken, for want of file descriptors for instance.
    private static final long PAUSE_NANOS = 100_000_000;

    private static final int BUFFER_BYTES = 64 << 10;

    private final Path socket;
    private final UserPrincipal owner;
    private final ServerSocketChannel server;
    private final Semaphore places = new Semaphore(MOST_VISITORS);
    private final AtomicLong refused = new AtomicLong();
    private final Thread atEnd = new Thread(this::delete, "end of the watch of the DPA");

    /// @param serves whether it is the first of this virtual machine
    private Watch(Path socket, boolean serves) throws IOException {
        this.socket = socket;
        owner = RuntimeDirectory.owner();
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        if (!serves) {
            server.close();
            return;
        }
        try {
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /// Opens the socket in the directory of the user: in `XDG_RUNTIME_DIR`, or in one of its own in
    /// the directory for temporary files. If this virtual machine has one open already, as under
    /// `outboard dpa run`, that one goes on, and closing this one does nothing.
    ///
    /// @throws IOException if that cannot be done, or others may enter the directory
    public static Watch open() throws IOException {
        return open(RuntimeDirectory.ofUser());
    }

    /// Opens it in another directory, which is made if it is not there.
    public static Watch open(Path directory) throws IOException {
        RuntimeDirectory.prepare(directory);
        Path socket = RuntimeDirectory.socket(directory, ProcessHandle.current().pid());
        if (Watched.answers(socket)) {
            return new Watch(socket, false);
        }
        // Left by a process that had the same number.
        Files.deleteIfExists(socket);
        Watch watch = new Watch(socket, true);
        Runtime.getRuntime().addShutdownHook(watch.atEnd);
        Thread.ofPlatform().daemon().name("watch of the DPA").start(watch::serve);
        return watch;
    }

    /// The file of the socket.
    public Path socket() {
        return socket;
    }

    /// How many connections were refused: there were too many at once, or they were of another
    /// user.
    public long refused() {
        return refused.get();
    }

    private void serve() {
        while (server.isOpen()) {
            try {
                admit(server.accept());
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException e) {
                refused.incrementAndGet();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /// Who is sent away finds that it was counted.
    private void admit(SocketChannel visitor) throws IOException {
        if (!isWelcome(visitor)) {
            refused.incrementAndGet();
            visitor.close();
            return;
        }
        Thread.ofPlatform()
                .daemon()
                .name("answer of the watch of the DPA")
                .start(() -> {
                    try (visitor;
                            Conversation conversation = new Conversation(visitor, PATIENCE)) {
                        answer(conversation);
                    } catch (IOException e) {
                        LOGGER.log(System.Logger.Level.DEBUG, "A visitor got no answer", e);
                    } finally {
                        places.release();
                    }
                });
    }

    /// Takes a place for it, if it may come and there is one.
    private boolean isWelcome(SocketChannel visitor) {
        try {
            return isAllowed(visitor.getOption(ExtendedSocketOptions.SO_PEERCRED).user())
                    && places.tryAcquire();
        } catch (IOException hasGone) {
            return false;
        }
    }

    boolean isAllowed(UserPrincipal visitor) {
        return visitor.equals(owner);
    }

    private void answer(Conversation conversation) throws IOException {
        String[] words = conversation.line(PATIENCE).split(" ", -1);
        if (words.length == 1 && words[0].equals("status")) {
            conversation.write("ok\n");
            conversation.write(StatusText.of(refused()));
        } else if (words.length == 2
                && words[0].equals("trace")
                && words[1].matches("[0-9]{1,18}")) {
            trace(conversation, Duration.ofNanos(Long.parseLong(words[1])));
        } else {
            conversation.write("error valid are 'status' and 'trace NANOSECONDS'\n");
        }
    }

    private static void trace(Conversation conversation, Duration time) throws IOException {
        if (time.compareTo(LONGEST_TRACE) > 0) {
            conversation.write(
                    "error a trace takes at most %d s\n".formatted(LONGEST_TRACE.toSeconds()));
            return;
        }
        List<Trace> traces = new ArrayList<>();
        String refusal = "";
        try {
            for (DpaDevice device : DpaDevice.all()) {
                if (device.capabilities().supported()) {
                    traces.add(device.trace());
                }
            }
            if (traces.isEmpty()) {
                refusal = "the program has made no device with a DPA yet";
            } else {
                conversation.awaitEnd(time);
            }
        } catch (IllegalStateException | FlexioException e) {
            refusal = String.valueOf(e.getMessage());
        } finally {
            traces.forEach(Trace::close);
        }
        if (!refusal.isEmpty()) {
            conversation.write("error %s\n".formatted(refusal));
            return;
        }
        long events = traces.stream().mapToLong(Trace::events).sum();
        long lost = traces.stream().mapToLong(Trace::lost).sum();
        conversation.write("ok %d %d\n".formatted(events, lost));
        try (OutputStream out = new BufferedOutputStream(conversation.output(), BUFFER_BYTES)) {
            for (int part = 0; part < traces.size(); part++) {
                traces.get(part).write(out, part);
            }
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            LOGGER.log(System.Logger.Level.WARNING, "The socket {0} is left: {1}", socket, e);
        }
    }

    /// Takes the socket away. Who looks at this moment still gets an answer. A second time does
    /// nothing.
    @Override
    public void close() throws IOException {
        if (!server.isOpen()) {
            return;
        }
        server.close();
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException ending) {
            // The virtual machine ends, and the hook deletes what has gone.
        }
    }
}
