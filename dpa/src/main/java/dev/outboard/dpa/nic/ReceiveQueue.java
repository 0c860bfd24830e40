package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// The receive queue of a queue pair, and what executes the requests of its peer.
final class ReceiveQueue {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final SimulatedPair pair;
    private final ReceivePool pool;
    private final CompletionQueue completions;
    private final Shared shared;
    private final Completion completion;

    ReceiveQueue(
            SimulatedPair pair,
            ReceivePool pool,
            CompletionQueue completions,
            QueuePair.User user,
            Shared shared) {
        this.pair = pair;
        this.shared = shared;
        this.pool = pool;
        this.completions = completions;
        completion = new Completion(pair.number(), user.userIndex());
    }

    /// Executes a request of the peer.
    Acknowledge receive(Message message) {
        Nic nic = shared.nic();
        if (pair.isInError()) {
            return Acknowledge.NO_ANSWER;
        }
        Acknowledge answer =
                switch (message.opcode()) {
                    case SendEntry.SEND, SendEntry.SEND_IMMEDIATE -> send(nic, message);
                    case SendEntry.RDMA_WRITE -> write(nic, message);
                    case SendEntry.RDMA_WRITE_IMMEDIATE -> writeImmediate(nic, message);
                    case SendEntry.RDMA_READ -> read(nic, message);
                    case SendEntry.ATOMIC_COMPARE_SWAP, SendEntry.ATOMIC_FETCH_ADD ->
                            atomic(nic, message);
                    default -> Acknowledge.INVALID_REQUEST;
                };
        if (answer != Acknowledge.DONE && answer != Acknowledge.NOT_YET) {
            pair.fail(nic);
        }
        return answer;
    }

    private Acknowledge send(Nic nic, Message message) {
        if (!pool.hasEntry(nic)) {
            return Acknowledge.NOT_YET;
        }
        Syndrome filled = pool.fill(nic, message.payload(), message.byteCount());
        if (filled != Syndrome.SUCCESS) {
            return failEntry(
                    nic,
                    filled,
                    filled == Syndrome.LOCAL_LENGTH
                            ? Acknowledge.INVALID_REQUEST
                            : Acknowledge.REMOTE_OPERATION);
        }
        boolean plain = message.opcode() == SendEntry.SEND;
        return complete(
                nic,
                message,
                plain ? CompletionEntry.RECEIVED_SEND : CompletionEntry.RECEIVED_SEND_IMMEDIATE);
    }

    private Acknowledge write(Nic nic, Message message) {
        MemoryKey key = remote(message, Access.REMOTE_WRITE, message.byteCount());
        if (key == null) {
            return Acknowledge.REMOTE_ACCESS;
        }
        NicMemory.write(
                nic, key, message.remoteAddress(), message.byteCount(), message.payload(), 0);
        return Acknowledge.DONE;
    }

    private Acknowledge writeImmediate(Nic nic, Message message) {
        if (!pool.hasEntry(nic)) {
            return Acknowledge.NOT_YET;
        }
        Acknowledge written = write(nic, message);
        return written == Acknowledge.DONE
                ? complete(nic, message, CompletionEntry.RECEIVED_WRITE_IMMEDIATE)
                : written;
    }

    private Acknowledge read(Nic nic, Message message) {
        if (remote(message, Access.REMOTE_READ, message.byteCount()) == null) {
            return Acknowledge.REMOTE_ACCESS;
        }
        NicMemory.read(nic, message.remoteAddress(), message.byteCount(), message.payload(), 0);
        return Acknowledge.DONE;
    }

    private Acknowledge atomic(Nic nic, Message message) {
        long address = message.remoteAddress();
        if (address % Long.BYTES != 0) {
            return Acknowledge.INVALID_REQUEST;
        }
        if (remote(message, Access.REMOTE_ATOMIC, Long.BYTES) == null) {
            return Acknowledge.REMOTE_ACCESS;
        }
        long former =
                message.opcode() == SendEntry.ATOMIC_FETCH_ADD
                        ? nic.fetchAdd64(address, message.operand())
                        : nic.compareSwap64(address, message.compare(), message.operand());
        message.payload().set(LONG, 0, former);
        return Acknowledge.DONE;
    }

    /// The key of the request, if it allows the access.
    private @Nullable MemoryKey remote(Message message, Access access, int lengthBytes) {
        MemoryKey key =
                shared.memory().key(message.remoteKey(), message.remoteAddress(), lengthBytes);
        return key != null && key.allows(access) ? key : null;
    }

    private Acknowledge complete(Nic nic, Message message, int opcode) {
        completion.of(opcode, pool.take(), message.byteCount());
        completion.immediate = message.immediate();
        if (!completions.add(nic, completion)) {
            pair.fail(nic);
        }
        return Acknowledge.DONE;
    }

    private Acknowledge failEntry(Nic nic, Syndrome syndrome, Acknowledge answer) {
        completion.failed(CompletionEntry.RECEIVE_ERROR, pool.take(), syndrome);
        completions.add(nic, completion);
        return answer;
    }

    /// DPA-FXQ-9: the queue pair is in error: what is posted completes as flushed. What is posted
    /// to a pool stays for others.
    void flush(Nic nic) {
        if (pool.isShared()) {
            return;
        }
        for (int left = pool.waiting(nic); left > 0; left--) {
            failEntry(nic, Syndrome.FLUSHED, Acknowledge.NO_ANSWER);
        }
        pool.skip();
    }
}
