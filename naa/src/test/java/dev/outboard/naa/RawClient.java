package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.protocol.MrspCodec;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Connects like a client, then sends what the test likes.
final class RawClient implements AutoCloseable {
    private static final int BUFFER = 8192;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final MemoryRegion memory;
    private final CompletionQueue queue;
    private final ConnectionChannel channel;
    private final ConnectionId id;
    final QueuePair pair;
    private final Completion completion = new Completion();

    RawClient(Device device, InetSocketAddress server) {
        this(device, server, 6);
    }

    /// @param rnrRetries how often the server shall try again while no receive is posted here; 7 is
    ///   for ever
    RawClient(Device device, InetSocketAddress server, int rnrRetries) {
        domain = device.allocateProtectionDomain();
        memory =
                domain.register(
                        arena.allocate(2 * BUFFER), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        queue = device.createCompletionQueue(64);
        channel = device.createConnectionChannel();
        id = channel.createId();
        id.resolveAddress(server, LIMIT);
        awaitEvent(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(LIMIT);
        awaitEvent(ConnectionEvent.Type.ROUTE_RESOLVED);
        pair = id.createQueuePair(domain, QueuePairAttributes.of(queue, 16, 16));
        postReceive();
        id.connect(new ConnectionParameters(1, 1, 7, rnrRetries, new byte[0]));
        awaitEvent(ConnectionEvent.Type.ESTABLISHED);
    }

    private void awaitEvent(ConnectionEvent.Type type) {
        assertThat(channel.next(LIMIT)).get().extracting(ConnectionEvent::type).isEqualTo(type);
    }

    /// A request for one region of this client's memory.
    MrspMessage.Entry region(int flags, long size) {
        return new MrspMessage.Entry(flags, 0, memory.address(), memory.remoteKey(), size);
    }

    void send(byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        pair.post(new SendRequest().send().payload(memory, 0, bytes.length).solicited(true));
    }

    void send(MrspMessage message) {
        int length = MrspCodec.encode(message, memory.segment());
        pair.post(new SendRequest().send().payload(memory, 0, length).solicited(true));
    }

    /// Writes the first `length` bytes of this client's memory.
    void write(PeerRegion target, long offset, long length, int key) {
        post(new SendRequest().write(target.address() + offset, key).payload(memory, 0, length));
    }

    /// Makes room for one more message or answer.
    void postReceive() {
        receive(BUFFER, BUFFER);
    }

    /// Asks for `request` and returns what the server granted.
    List<PeerRegion> setUp(AdvertiseRequest request) {
        send(request);
        return ((Advertise) awaitMessage().orElseThrow()).regions();
    }

    /// Waits for the first work request that fails.
    CompletionStatus awaitFailure() {
        do {
            await();
        } while (completion.status() == CompletionStatus.SUCCESS);
        return completion.status();
    }

    /// Writes the first `length` bytes of this client's memory and calls a function.
    void call(PeerRegion target, long length, int immediate) {
        post(
                new SendRequest()
                        .writeWithImmediate(target.address(), target.remoteKey(), immediate)
                        .payload(memory, 0, length)
                        .solicited(true));
    }

    /// Posts a receive with `length` bytes of this client's memory as its buffer, or with none.
    void receive(long offset, long length) {
        ReceiveRequest receive = new ReceiveRequest();
        pair.post(length == 0 ? receive : receive.buffer(memory, offset, length));
    }

    /// This client's memory: what is sent, written and returned, then where messages arrive.
    MemorySegment memory() {
        return memory.segment();
    }

    /// Waits for the immediate value of the server.
    int awaitImmediate() {
        do {
            assertThat(awaitStatus()).isEqualTo(CompletionStatus.SUCCESS);
        } while (!completion.hasImmediate());
        return completion.immediate();
    }

    /// The server's answer; empty if the connection breaks instead.
    Optional<MrspMessage> awaitMessage() {
        while (true) {
            await();
            if (completion.status() != CompletionStatus.SUCCESS) {
                return Optional.empty();
            }
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                return Optional.of(
                        MrspCodec.decode(memory.segment().asSlice(BUFFER, completion.byteCount())));
            }
        }
    }

    /// Forgets what has completed, and so makes room for more.
    ///
    /// @return false if something failed
    boolean drain() {
        boolean succeeded = true;
        while (queue.poll(completion)) {
            succeeded &= completion.status() == CompletionStatus.SUCCESS;
        }
        return succeeded;
    }

    /// Waits for room in the send queue.
    private void post(SendRequest request) {
        Eventually.until(() -> {
            boolean posted = pair.post(request);
            if (!posted) {
                drain();
            }
            return posted;
        });
    }

    /// How the next work request ends.
    CompletionStatus awaitStatus() {
        await();
        return completion.status();
    }

    private void await() {
        Eventually.until(() -> queue.poll(completion));
    }

    @Override
    public void close() {
        id.disconnect();
        id.close();
        queue.close();
        memory.close();
        domain.close();
        channel.close();
        arena.close();
    }
}
