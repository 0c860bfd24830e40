package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One end of a connection made without connection management: a protection domain, a completion
/// queue, memory with all rights, and a queue pair that its peer is told of by the test.
public final class VerbsEnd implements AutoCloseable {
    public static final int DEPTH = 16;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MEMORY_BYTES = 1 << 16;

    private final Device device;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final Arena arena = Arena.ofShared();
    private @Nullable QueuePair queuePair;

    public VerbsEnd(Device device) {
        this.device = device;
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(4 * DEPTH);
        region =
                domain.register(
                        arena.allocate(MEMORY_BYTES, 8),
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC,
                        Access.MEMORY_WINDOW_BIND);
    }

    /// Gives it a queue pair in state RESET.
    public VerbsEnd create() {
        return create(attributes -> attributes);
    }

    /// Gives it a queue pair in state RESET with further attributes.
    public VerbsEnd create(UnaryOperator<QueuePairAttributes> further) {
        queuePair =
                domain.createQueuePair(
                        further.apply(QueuePairAttributes.of(completions, DEPTH, DEPTH)));
        return this;
    }

    public Device device() {
        return device;
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /// Of both queues of its queue pairs.
    public CompletionQueue completions() {
        return completions;
    }

    public MemoryRegion region() {
        return region;
    }

    /// The queue pair created last.
    public QueuePair queuePair() {
        return Objects.requireNonNull(queuePair, "create() makes it");
    }

    public static void connect(VerbsEnd one, VerbsEnd other) {
        connect(one.device, one.queuePair(), other.device, other.queuePair());
    }

    /// Brings two queue pairs in RESET to READY_TO_SEND towards each other.
    public static void connect(Device device, QueuePair pair, Device peerDevice, QueuePair peer) {
        initialize(pair::modify);
        initialize(peer::modify);
        readyToReceive(pair::modify, peerDevice, peer.number(), 1000);
        readyToReceive(peer::modify, device, pair.number(), 2000);
        readyToSend(pair::modify, 2000);
        readyToSend(peer::modify, 1000);
    }

    /// The first step of one end.
    ///
    /// @param pair changes its queue pair
    public static void initialize(Consumer<QueuePairChange> pair) {
        pair.accept(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC));
    }

    public static void readyToReceive(
            Consumer<QueuePairChange> pair, Device peerDevice, int peerNumber, int peerPsn) {
        pair.accept(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(peerDevice.address()))
                        .destinationNumber(peerNumber)
                        .pathMtu(1024)
                        .receivePsn(peerPsn)
                        .maxDestinationReadAtomic(1)
                        .minRnrTimer(12));
    }

    public static void readyToSend(Consumer<QueuePairChange> pair, int psn) {
        pair.accept(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(psn)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(1));
    }

    public void post(SendRequest request) {
        assertThat(queuePair().post(request)).as("posted").isTrue();
    }

    public void post(ReceiveRequest request) {
        assertThat(queuePair().post(request)).as("posted").isTrue();
    }

    /// Posts a receive of 64 bytes.
    public void postReceive(long id) {
        post(receive(id));
    }

    /// A receive of 64 bytes, each id somewhere else.
    public ReceiveRequest receive(long id) {
        return new ReceiveRequest().id(id).buffer(region, 64 * id, 64);
    }

    /// A SEND of 8 bytes that hold its id.
    public SendRequest message(long id) {
        MemorySegment segment = region.segment();
        segment.set(ValueLayout.JAVA_LONG, 8 * id, id);
        return new SendRequest().id(id).payload(region, 8 * id, 8);
    }

    public Completion completion() {
        return Completions.await(completions);
    }

    /// The next completion, as `id STATUS`.
    public String status() {
        Completion completion = completion();
        return completion.id() + " " + completion.status();
    }

    public AsyncEvent event() {
        return device.nextEvent(PATIENCE).orElseThrow();
    }

    @Override
    public void close() {
        if (queuePair != null) {
            queuePair.close();
        }
        region.close();
        completions.close();
        domain.close();
        arena.close();
    }
}
