package dev.outboard.console.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.terminal.CommandException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/// One end of a connection over which both sides SEND messages of one size: an id with its queue
/// pair and a buffer per direction. One thread; the device closes it.
final class MessageEnd {
    /// In front of every datagram that was received.
    static final int ROUTE_HEADER_BYTES = 40;

    private final ConnectionId id;
    private final ProtectionDomain domain;
    private final QueuePair pair;
    private final Completions completions;
    private final MemoryRegion outgoing;
    private final MemoryRegion incoming;
    private int posted;
    private int sent;
    private int received;
    private int taken;

    /// One end of a reliable connection.
    ///
    /// @param id not connected yet
    /// @param bytes of one message
    /// @param depth messages outstanding at most, per direction
    MessageEnd(Device device, ConnectionId id, int bytes, int depth, Duration limit) {
        this(device, id, bytes, depth, limit, QueuePairType.RELIABLE_CONNECTED);
    }

    private MessageEnd(
            Device device,
            ConnectionId id,
            int bytes,
            int depth,
            Duration limit,
            QueuePairType type) {
        this.id = id;
        domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(2 * depth);
        completions = new Completions(queue, true, limit);
        pair =
                id.createQueuePair(
                        domain, QueuePairAttributes.of(queue, depth, depth).withType(type));
        boolean hasHeader = type == QueuePairType.UNRELIABLE_DATAGRAM;
        int room = hasHeader ? ROUTE_HEADER_BYTES + bytes : bytes;
        outgoing = domain.register(allocate(bytes));
        incoming = domain.register(allocate(room), Access.LOCAL_WRITE);
    }

    /// The queue pair of a datagram service, or of one who asks for it; what comes in has a route
    /// header in front.
    static MessageEnd ofDatagrams(
            Device device, ConnectionId id, int bytes, int depth, Duration limit) {
        return new MessageEnd(device, id, bytes, depth, limit, QueuePairType.UNRELIABLE_DATAGRAM);
    }

    private static MemorySegment allocate(int bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes));
    }

    ConnectionId id() {
        return id;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /// The number of the queue pair.
    int number() {
        return pair.number();
    }

    /// The memory of [#outgoing].
    MemoryRegion outgoingRegion() {
        return outgoing;
    }

    /// The memory of [#incoming].
    MemoryRegion incomingRegion() {
        return incoming;
    }

    /// What completed last.
    Completion lastCompletion() {
        return completions.last();
    }

    /// What [#send] sends.
    MemorySegment outgoing() {
        return outgoing.segment();
    }

    /// What came last.
    MemorySegment incoming() {
        return incoming.segment();
    }

    /// Posts receives for the next `count` messages.
    void postReceives(int count) {
        ReceiveRequest request = new ReceiveRequest().buffer(incoming, 0, incoming.length());
        for (int i = 0; i < count; i++) {
            requirePosted(pair.post(request));
        }
    }

    /// Sends `bytes` of the outgoing buffer.
    void send(long bytes) {
        post(new SendRequest().payload(outgoing, 0, bytes));
    }

    /// Posts a request of any kind.
    void post(SendRequest request) {
        requirePosted(pair.post(request));
        posted++;
    }

    /// Waits until everything posted is complete.
    void awaitAllSent() {
        while (sent < posted) {
            requireSuccess(complete());
        }
    }

    /// Waits until everything posted is complete, or the connection has ended: a peer that has got
    /// the last message may leave, and its acknowledgement be lost.
    void awaitAllSentOrEnd() {
        while (sent < posted) {
            CompletionStatus status = complete();
            if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
                return;
            }
            requireSuccess(status);
        }
    }

    /// Waits for the next message.
    void awaitNextReceived() {
        if (!awaitNextReceivedOrEnd()) {
            throw new CommandException("the peer has ended the connection");
        }
    }

    /// Waits for the next message.
    ///
    /// @return false if the connection has ended instead
    boolean awaitNextReceivedOrEnd() {
        while (received == taken) {
            CompletionStatus status = complete();
            if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
                return false;
            }
            requireSuccess(status);
        }
        taken++;
        return true;
    }

    private CompletionStatus complete() {
        Completion completion = completions.next();
        if (completion.status() == CompletionStatus.SUCCESS) {
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                received++;
            } else {
                sent++;
            }
        }
        return completion.status();
    }

    private static void requireSuccess(CompletionStatus status) {
        if (status != CompletionStatus.SUCCESS) {
            throw Completions.failed(status);
        }
    }

    private static void requirePosted(boolean posted) {
        if (!posted) {
            throw new CommandException("the queue pair is full");
        }
    }
}
