package dev.outboard.interop;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/// One end of a byte stream as librdmacm's rsockets speak it (rdma-core, `librdmacm/docs/rsocket`):
/// everything is an RDMA WRITE with immediate data. Data goes to buffers that the peer has
/// published in our list of targets; credits and new targets go the other way.
///
/// Owned and used by one thread; the device closes what it is made of.
final class Rsocket {
    /// Length of [#privateData].
    private static final int CONNECTION_DATA_BYTES = 40;

    private static final byte VERSION = 1;

    // The upper three bits of the immediate data, and what the lower ones say in a control message.
    private static final int OPERATION_SHIFT = 29;
    private static final int DATA = 0;
    private static final int CREDITS = 4;
    private static final int CONTROL = 7;
    private static final int DISCONNECT = 0;

    /// Data messages that the peer may send before we grant more.
    private static final int WINDOW = 64;

    /// Receives on top of that for messages that need no credit.
    private static final int CONTROL_WINDOW = 8;

    private static final int OUTSTANDING = 8;
    private static final int MOST_BYTES_PER_MESSAGE = 50_000;

    /// The peer fills one half while we empty the other.
    private static final int HALF = 1 << 18;

    private static final int TARGETS = 2;
    private static final int TARGET_BYTES = 16;
    private static final ValueLayout.OfLong ADDRESS =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt KEY =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt LENGTH = KEY;

    private final CompletionQueue completions;
    private final QueuePair pair;
    private final MemoryRegion buffer;
    private final MemoryRegion targets;
    private final MemoryRegion outgoing;
    private final MemoryRegion newTarget;
    private final long limitNanos;
    private final Completion completion = new Completion();
    private final SendRequest request = new SendRequest();
    private final ArrayDeque<Integer> arrived = new ArrayDeque<>();

    private long peerTargets;
    private int peerTargetsKey;
    private int peerTarget = 1;
    private int target;
    private int sentData;
    private int mayHaveSent;
    private int receivedData;
    private int nextGrant = WINDOW / 2;
    private int readPosition;
    private int publishPosition = HALF;
    private int freeBytes = HALF;
    private int outstanding;
    private int slot;
    private boolean peerIsDone;
    private boolean isShutDown;

    Rsocket(Device device, ProtectionDomain domain, ConnectionId id, Duration limit) {
        limitNanos = limit.toNanos();
        completions = device.createCompletionQueue(256);
        pair =
                id.createQueuePair(
                        domain,
                        QueuePairAttributes.of(completions, OUTSTANDING, WINDOW + CONTROL_WINDOW));
        buffer = region(domain, 2 * HALF);
        targets = region(domain, TARGETS * TARGET_BYTES);
        outgoing = region(domain, OUTSTANDING * MOST_BYTES_PER_MESSAGE);
        newTarget = region(domain, OUTSTANDING * TARGET_BYTES);
        for (int i = 0; i < WINDOW + CONTROL_WINDOW; i++) {
            pair.post(new ReceiveRequest().noBuffer());
        }
    }

    private static MemoryRegion region(ProtectionDomain domain, int bytes) {
        return domain.register(
                Arena.ofAuto().allocate(bytes, Long.BYTES),
                Access.LOCAL_WRITE,
                Access.REMOTE_WRITE);
    }

    /// What rsockets connect with; they issue no READ.
    ConnectionParameters parameters() {
        ByteBuffer data = ByteBuffer.allocate(CONNECTION_DATA_BYTES);
        data.put(VERSION).put((byte) 0).putShort((short) WINDOW).putInt(0);
        data.putLong(targets.address()).putInt(targets.remoteKey()).putInt(TARGETS);
        data.putLong(buffer.address()).putInt(buffer.remoteKey()).putInt(HALF);
        return new ConnectionParameters(0, 0, 7, 7, data.array());
    }

    /// Takes the peer's half of the agreement.
    void agree(byte[] privateData) {
        ByteBuffer data = ByteBuffer.wrap(privateData);
        if (data.get() != VERSION) {
            throw new IllegalStateException("rsocket version " + privateData[0]);
        }
        data.get();
        mayHaveSent = Short.toUnsignedInt(data.getShort());
        data.getInt();
        peerTargets = data.getLong();
        peerTargetsKey = data.getInt();
        data.getInt();
        MemorySegment first = targets.segment();
        first.set(ADDRESS, 0, data.getLong());
        first.set(KEY, 8, data.getInt());
        first.set(LENGTH, 12, data.getInt());
    }

    /// Sends all of `bytes`, waiting for room and credits as long as it takes.
    void send(byte[] bytes) {
        for (int done = 0; done < bytes.length; ) {
            MemorySegment entry = targets.segment().asSlice((long) target * TARGET_BYTES);
            awaitUntil(() ->
                    outstanding < OUTSTANDING
                            && (short) sentData != (short) mayHaveSent
                            && entry.get(LENGTH, 12) > 0);
            int room = entry.get(LENGTH, 12);
            int length = Math.min(Math.min(room, MOST_BYTES_PER_MESSAGE), bytes.length - done);
            long at = (long) slot * MOST_BYTES_PER_MESSAGE;
            MemorySegment.copy(bytes, done, outgoing.segment(), ValueLayout.JAVA_BYTE, at, length);
            request.payload(outgoing, at, length);
            long address = entry.get(ADDRESS, 0);
            entry.set(ADDRESS, 0, address + length);
            entry.set(LENGTH, 12, room - length);
            write(address, entry.get(KEY, 8), DATA, length);
            sentData++;
            done += length;
            if (room == length) {
                target = (target + 1) % TARGETS;
            }
        }
    }

    /// Receives as many bytes as `into` has room for.
    void receive(byte[] into) {
        for (int done = 0; done < into.length; ) {
            awaitUntil(() -> !arrived.isEmpty() || peerIsDone);
            if (arrived.isEmpty()) {
                throw new IllegalStateException("the peer ended the stream");
            }
            int message = arrived.remove();
            int length = Math.min(message, into.length - done);
            take(into, done, length);
            done += length;
            if (length < message) {
                arrived.addFirst(message - length);
            } else {
                receivedData++;
            }
            grant();
        }
    }

    private void take(byte[] into, int offset, int length) {
        for (int i = 0; i < length; i++) {
            into[offset + i] = buffer.segment().get(ValueLayout.JAVA_BYTE, readPosition);
            readPosition = (readPosition + 1) % (2 * HALF);
        }
        freeBytes += length;
    }

    /// Tells the peer about room for data and for messages, when there is enough of either.
    private void grant() {
        boolean publish = freeBytes >= HALF;
        if (!publish && (short) (receivedData - nextGrant) < 0) {
            return;
        }
        nextGrant = receivedData + WINDOW / 2;
        awaitUntil(() -> outstanding < OUTSTANDING);
        int granted = (receivedData + WINDOW) & 0xFFFF;
        if (!publish) {
            request.noPayload();
            write(0, 0, CREDITS, granted);
            return;
        }
        long at = (long) slot * TARGET_BYTES;
        MemorySegment entry = newTarget.segment().asSlice(at);
        entry.set(ADDRESS, 0, buffer.address() + publishPosition);
        entry.set(KEY, 8, buffer.remoteKey());
        entry.set(LENGTH, 12, HALF);
        publishPosition = (publishPosition + HALF) % (2 * HALF);
        freeBytes -= HALF;
        request.payload(newTarget, at, TARGET_BYTES);
        write(peerTargets + (long) peerTarget * TARGET_BYTES, peerTargetsKey, CREDITS, granted);
        peerTarget = (peerTarget + 1) % TARGETS;
    }

    /// Ends the stream in both directions and waits until the peer has taken that, or is gone.
    void shutdown() {
        isShutDown = true;
        awaitUntil(() -> outstanding == 0);
        request.noPayload();
        write(0, 0, CONTROL, DISCONNECT);
        awaitUntil(() -> outstanding == 0);
    }

    private void write(long address, int key, int operation, int value) {
        request.writeWithImmediate(address, key, operation << OPERATION_SHIFT | value);
        if (!pair.post(request)) {
            throw new IllegalStateException("the send queue is full");
        }
        outstanding++;
        slot = (slot + 1) % OUTSTANDING;
    }

    private void awaitUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + limitNanos;
        while (!condition.getAsBoolean()) {
            if (completions.poll(completion)) {
                take(completion);
            } else if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the peer does nothing");
            }
        }
    }

    private void take(Completion done) {
        if (done.status() != CompletionStatus.SUCCESS) {
            if (isShutDown && isGone(done.status())) {
                outstanding = 0;
                return;
            }
            throw new IllegalStateException(done.toString());
        }
        if (done.opcode() != CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE) {
            outstanding--;
            return;
        }
        pair.post(new ReceiveRequest().noBuffer());
        int value = done.immediate() & (1 << OPERATION_SHIFT) - 1;
        switch (done.immediate() >>> OPERATION_SHIFT) {
            case DATA -> arrived.add(value);
            case CREDITS -> mayHaveSent = value;
            case CONTROL -> peerIsDone |= value == DISCONNECT;
            default ->
                    throw new IllegalStateException(
                            "rsocket message %08x".formatted(done.immediate()));
        }
    }

    /// Both sides say goodbye, and the first to be done takes the connection down. If its last
    /// acknowledgement got lost, there is nobody left to repeat it.
    private boolean isGone(CompletionStatus status) {
        return status == CompletionStatus.WORK_REQUEST_FLUSHED
                || (peerIsDone && status == CompletionStatus.RETRY_EXCEEDED);
    }
}
