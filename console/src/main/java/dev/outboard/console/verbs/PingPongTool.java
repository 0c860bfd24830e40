package dev.outboard.console.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// What the ibv pingpongs have in common: the sides tell each other their queue pairs over TCP,
/// then bounce a message.
abstract class PingPongTool extends Tool {
    private static final int MOST_ITERATIONS = 1_000_000_000;
    private static final int PSN_BITS = 24;
    private static final int MOST_SENDS = 512;

    /// Send requests of a queue pair: one at a time is outstanding.
    static final int SENDS = 2;

    @Parameters(
            arity = "0..1",
            paramLabel = "HOST",
            description = "Connect to the server at HOST; without it, be the server.")
    private @Nullable String host;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "18515",
            description = "The TCP port, default 18515; a server takes a free one for 0.")
    private int port;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "Bytes of a message, default 2048 for ud-pingpong, else 4096.")
    private @Nullable Integer size;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Messages to bounce, default 1000.")
    private int iterations;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "500",
            description = "Receives posted at a time, default 500.")
    private int depth;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until something completes, instead of polling.")
    private boolean events;

    @Option(
            names = {"-c", "--chk"},
            description = "Check every message; give it on both sides.")
    private boolean check;

    @Option(
            names = {"-g", "--gid-idx"},
            paramLabel = "N",
            description = "Accepted and ignored: the local address is the GID.")
    void ignoreGidIndex(int index) {}

    /// Bytes of a message unless the user says otherwise.
    abstract int defaultSize();

    /// What the messages are filled with.
    byte filling() {
        return '{';
    }

    /// Bytes in front of a received message.
    int headerBytes() {
        return 0;
    }

    /// Creates the queue pairs, in INIT.
    abstract PingPong.Queues createQueues(
            ProtectionDomain domain, CompletionQueue queue, int depth);

    /// Makes `pair`, which starts with `psn`, ready to talk to `remote`.
    abstract void connect(QueuePair pair, int psn, PairAddress remote);

    /// Adds to the message what it needs besides its content.
    void address(SendRequest request, ProtectionDomain domain, PairAddress remote) {}

    /// How many addresses the sides exchange; those without a queue pair are zero.
    int addressCount() {
        return 1;
    }

    @Override
    final Optional<String> server() {
        return Optional.ofNullable(host);
    }

    @Override
    void run(Device device) throws IOException {
        int bytes = size == null ? defaultSize() : size;
        require("-s", bytes, 0, Integer.MAX_VALUE);
        require("-n", iterations, 1, MOST_ITERATIONS);
        require("-r", depth, 1, device.limits().maxWorkRequests());
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(depth + MOST_SENDS);
        PingPong.Queues queues = createQueues(domain, queue, depth);
        SendRequest message = new SendRequest();
        PingPong pingPong =
                new PingPong(
                        new Completions(queue, events, limit()),
                        queues,
                        traffic(domain, message, bytes),
                        depth);
        pingPong.postReceives();
        try (ExchangeSocket socket = openSocket(device, port)) {
            List<PairAddress> local = addresses(device, queues.pairs());
            List<PairAddress> remote = exchange(socket, queues.pairs(), local);
            address(message, domain, remote.getFirst());
            report(bytes, pingPong.run(iterations, host != null));
        }
    }

    private PingPong.Traffic traffic(ProtectionDomain domain, SendRequest message, int bytes) {
        int room = headerBytes() + bytes;
        MemoryRegion outgoing = domain.register(allocate(bytes));
        MemoryRegion incoming = domain.register(allocate(room), Access.LOCAL_WRITE);
        PingPongMessage.fill(outgoing.segment(), filling());
        MemorySegment content = incoming.segment().asSlice(headerBytes(), bytes);
        return new PingPong.Traffic(
                message.payload(outgoing, 0, bytes),
                new ReceiveRequest().buffer(incoming, 0, room),
                check ? () -> PingPongMessage.check(content, filling()) : () -> {});
    }

    private static MemorySegment allocate(int bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes));
    }

    private static List<PairAddress> addresses(Device device, List<QueuePair> pairs) {
        SecureRandom random = new SecureRandom();
        return pairs.stream()
                .map(pair ->
                        new PairAddress(
                                pair.number(), random.nextInt(1 << PSN_BITS), device.address()))
                .toList();
    }

    /// The server is ready before the client hears of it; the client tells it that it has heard.
    private List<PairAddress> exchange(
            ExchangeSocket socket, List<QueuePair> pairs, List<PairAddress> local)
            throws IOException {
        List<PairAddress> remote;
        if (host != null) {
            send(socket, local);
            remote = receive(socket, pairs.size());
            socket.sendDone();
            connectAll(pairs, local, remote);
        } else {
            remote = receive(socket, pairs.size());
            connectAll(pairs, local, remote);
            send(socket, local);
            socket.receiveDone();
        }
        return remote;
    }

    private void connectAll(
            List<QueuePair> pairs, List<PairAddress> local, List<PairAddress> remote) {
        for (int i = 0; i < pairs.size(); i++) {
            connect(pairs.get(i), local.get(i).psn(), remote.get(i));
            say("  local address:  " + local.get(i));
            say("  remote address: " + remote.get(i));
        }
    }

    private void send(ExchangeSocket socket, List<PairAddress> addresses) throws IOException {
        for (int i = 0; i < addressCount(); i++) {
            socket.send((i < addresses.size() ? addresses.get(i) : PairAddress.NONE).text());
        }
    }

    private List<PairAddress> receive(ExchangeSocket socket, int wanted) throws IOException {
        List<PairAddress> addresses = new ArrayList<>();
        for (int i = 0; i < addressCount(); i++) {
            addresses.add(PairAddress.parse(socket.receive(PairAddress.BYTES)));
        }
        return addresses.subList(0, wanted);
    }

    private void report(long bytes, long nanos) {
        double seconds = nanos / 1e9;
        long moved = 2 * bytes * iterations;
        say(
                String.format(
                        Locale.ROOT,
                        "%d bytes in %.2f seconds = %.2f Mbit/sec",
                        moved,
                        seconds,
                        8e3 * moved / nanos));
        say(
                String.format(
                        Locale.ROOT,
                        "%d iters in %.2f seconds = %.2f usec/iter",
                        iterations,
                        seconds,
                        nanos / 1e3 / iterations));
    }
}
