package dev.outboard.dpa.watch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A process of the operating system that has opened a [Watch]. Any thread may use it.
public final class Watched {
    private static final int BUFFER_BYTES = 64 << 10;

    /// More than the threads and queues of any process need.
    private static final int MOST_STATUS_BYTES = 64 << 20;

    /// What a process may take longer than its trace.
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path socket;
    private final long pid;

    private Watched(Path socket, long pid) {
        this.socket = socket;
        this.pid = pid;
    }

    /// A trace that was taken.
    ///
    /// @param events how many it holds
    /// @param lost how many more there were
    public record Taken(long events, long lost) {}

    /// Those of the user that lives in the directory of [Watch#open()], by their numbers. What
    /// processes have left that are gone is removed.
    ///
    /// @throws IOException if the directory cannot be read
    public static List<Watched> all() throws IOException {
        return all(RuntimeDirectory.ofUser());
    }

    /// Those of another directory.
    public static List<Watched> all(Path directory) throws IOException {
        List<Watched> all = new ArrayList<>();
        if (!RuntimeDirectory.isOwn(directory)) {
            return all;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path socket : files.toList()) {
                long pid = RuntimeDirectory.pid(socket);
                if (pid == 0) {
                    continue;
                }
                if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                    Files.deleteIfExists(socket);
                } else if (answers(socket)) {
                    all.add(new Watched(socket, pid));
                }
            }
        }
        all.sort(Comparator.comparingLong(Watched::pid));
        return all;
    }

    /// Whether anybody listens: a process that has the number of one that is gone does not.
    static boolean answers(Path socket) {
        try (SocketChannel _ = connect(socket)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Its number.
    public long pid() {
        return pid;
    }

    /// What its processes of the DPA have and do, as JSON; `status.schema.json`, a resource beside
    /// this class, describes it.
    ///
    /// @throws IOException if it does not answer in 30 seconds
    public String status() throws IOException {
        try (Conversation conversation = visit()) {
            ask(conversation, "status", PATIENCE);
            ByteArrayOutputStream status = new ByteArrayOutputStream();
            copy(conversation, status, MOST_STATUS_BYTES);
            return status.toString(StandardCharsets.UTF_8);
        }
    }

    /// Takes a trace of all its devices and writes it, as Perfetto reads it.
    ///
    /// @param time up to 10 minutes
    /// @throws IOException if it refuses, and the message says why, or does not answer in time
    public Taken trace(Duration time, OutputStream out) throws IOException {
        try (Conversation conversation = visit()) {
            String[] counts =
                    ask(conversation, "trace " + time.toNanos(), time.plus(PATIENCE)).split(" ");
            Taken taken = new Taken(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
            copy(conversation, out, Long.MAX_VALUE);
            return taken;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("process %d gives no trace".formatted(pid), e);
        }
    }

    private Conversation visit() throws IOException {
        return new Conversation(connect(socket), PATIENCE);
    }

    /// At once or not at all: a process that has been stopped has a queue of limited length.
    private static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean connected = false;
        try {
            channel.configureBlocking(false);
            connected = channel.connect(UnixDomainSocketAddress.of(socket));
        } finally {
            if (!connected) {
                channel.close();
            }
        }
        if (!connected) {
            throw new IOException("too many others wait for an answer");
        }
        return channel;
    }

    /// @return what comes after `ok`
    private static String ask(Conversation conversation, String request, Duration atMost)
            throws IOException {
        conversation.write(request + "\n");
        String answer = conversation.line(atMost);
        if (!answer.startsWith("ok")) {
            throw new IOException(answer.replaceFirst("^error ", ""));
        }
        return answer.substring(2).strip();
    }

    private static void copy(Conversation conversation, OutputStream out, long mostBytes)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long copied = 0;
        while (conversation.read(buffer) >= 0) {
            copied += buffer.position();
            if (copied > mostBytes) {
                throw new IOException("the answer is longer than %d bytes".formatted(mostBytes));
            }
            out.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
    }
}
