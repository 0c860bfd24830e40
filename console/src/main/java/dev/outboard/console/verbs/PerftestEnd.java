package dev.outboard.console.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.terminal.CommandException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// One side's queue pair and memory: from the first half it sends, the second half is the peer's.
/// The queue pair comes with [#createPair], and anew with each attempt to connect. One thread; the
/// device closes it.
final class PerftestEnd {
    /// How to use the queues.
    ///
    /// @param bytes of a message
    /// @param sendDepth requests outstanding at most
    /// @param receiveDepth receives posted
    /// @param events whether to sleep instead of polling
    /// @param limit of every wait
    record Settings(long bytes, int sendDepth, int receiveDepth, boolean events, Duration limit) {}

    /// The originals spread small messages over a page.
    private static final long LEAST_HALF = 4096;

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final Settings settings;
    private final Completions completions;
    private final MemoryRegion region;
    private final long half;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private @Nullable QueuePair pair;
    private int sent;
    private int received;

    PerftestEnd(Device device, Settings settings) {
        this.settings = settings;
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(settings.sendDepth() + settings.receiveDepth());
        completions = new Completions(queue, settings.events(), settings.limit());
        half = Math.max(settings.bytes(), LEAST_HALF) + Long.BYTES - 1 & -Long.BYTES;
        region =
                domain.register(
                        Arena.ofAuto().allocate(2 * half, LEAST_HALF),
                        Access.LOCAL_WRITE,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_ATOMIC);
        request.payload(region, 0, settings.bytes());
        receive.buffer(region, half, settings.bytes());
    }

    Settings settings() {
        return settings;
    }

    /// Makes the queue pair with `create`.
    void createPair(BiFunction<ProtectionDomain, QueuePairAttributes, QueuePair> create) {
        pair =
                create.apply(
                        domain,
                        QueuePairAttributes.of(
                                queue, settings.sendDepth(), settings.receiveDepth()));
    }

    QueuePair pair() {
        return Objects.requireNonNull(pair, "no queue pair yet");
    }

    /// What [#post] posts: to be made a READ, a WRITE or an atomic; a SEND until then.
    SendRequest request() {
        return request;
    }

    /// Where the peer may read and write.
    long memory() {
        return region.address() + half;
    }

    /// What the peer needs to read and write there.
    int key() {
        return region.remoteKey();
    }

    /// Requests complete so far.
    int sent() {
        return sent;
    }

    /// Posts receives as many as there may be.
    void postReceives() {
        for (int i = 0; i < settings.receiveDepth(); i++) {
            postReceive();
        }
    }

    /// Posts the request.
    void post() {
        if (!pair().post(request)) {
            throw new CommandException("the send queue is full");
        }
    }

    /// Waits until `count` requests, of all so far, are complete.
    void awaitSent(int count) {
        while (sent < count) {
            count(completions.nextSuccess());
        }
    }

    /// Takes what is complete, without waiting.
    void poll() {
        while (completions.pollSuccess()) {
            count(completions.last());
        }
    }

    /// Waits until `count` messages, of all so far, are there.
    void awaitReceived(int count) {
        while (received < count) {
            count(completions.nextSuccess());
        }
    }

    /// Makes the last byte of the next message `value`.
    void mark(byte value) {
        BYTE.setVolatile(region.segment(), settings.bytes() - 1, value);
    }

    /// Waits until the peer has written a message whose last byte is `value`. Nothing but the
    /// memory tells.
    void awaitMark(byte value) {
        long at = half + settings.bytes() - 1;
        long deadline = System.nanoTime() + settings.limit().toNanos();
        for (int polls = 1; (byte) BYTE.getVolatile(region.segment(), at) != value; polls++) {
            poll();
            Completions.spin(polls);
            if (System.nanoTime() - deadline > 0) {
                throw new CommandException(
                        "the peer wrote nothing within " + settings.limit().toMillis() + " ms");
            }
        }
    }

    private void count(Completion completion) {
        if (completion.opcode() == CompletionOpcode.RECEIVE) {
            received++;
            postReceive();
        } else {
            sent++;
        }
    }

    private void postReceive() {
        if (!pair().post(receive)) {
            throw new CommandException("the receive queue is full");
        }
    }
}
