package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.PortCounters.Drop;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Frames on their way from a port to the NIC of a process, which takes them by its own actor. Any
/// actor of the machine may add some. Allocates nothing once it has grown to what a program needs.
final class FrameInbox {
    private static final int MAX_WAITING = 256;

    /// Has the NIC call [#take]; false if the process has ended.
    private final BooleanSupplier wake;

    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Deque<Waiting> spare = new ArrayDeque<>();

    /// A frame, and where it goes.
    private static final class Waiting {
        private final MemorySegment bytes =
                MemorySegment.ofArray(new byte[NicPort.MAX_FRAME_BYTES]);
        private int lengthBytes;
        private FrameReceiveQueue queue;
        private NicPort port;

        Waiting(FrameReceiveQueue queue, NicPort port) {
            this.queue = queue;
            this.port = port;
        }
    }

    FrameInbox(BooleanSupplier wake) {
        this.wake = wake;
    }

    /// A frame has come to a port. If it cannot wait, it is dropped there.
    void add(FrameReceiveQueue queue, NicPort port, MemorySegment frame, int lengthBytes) {
        Waiting added = put(queue, port, frame, lengthBytes);
        if (added == null) {
            port.drop(Drop.OVERFLOW);
        } else if (!wake.getAsBoolean() && remove(added)) {
            port.drop(Drop.QUEUE_GONE);
        }
    }

    private synchronized @Nullable Waiting put(
            FrameReceiveQueue queue, NicPort port, MemorySegment frame, int lengthBytes) {
        if (waiting.size() == MAX_WAITING) {
            return null;
        }
        Waiting added = spare.isEmpty() ? new Waiting(queue, port) : spare.pop();
        added.queue = queue;
        added.port = port;
        added.lengthBytes = lengthBytes;
        MemorySegment.copy(frame, 0, added.bytes, 0, lengthBytes);
        waiting.add(added);
        return added;
    }

    /// Gives all that waits to the queues. For the NIC's own actor.
    void take(Nic nic) {
        for (Waiting next = next(); next != null; next = next()) {
            next.queue.receive(nic, next.port, next.bytes, next.lengthBytes);
            recycle(next);
        }
    }

    private synchronized @Nullable Waiting next() {
        return waiting.poll();
    }

    private synchronized boolean remove(Waiting frame) {
        return waiting.remove(frame);
    }

    private synchronized void recycle(Waiting frame) {
        spare.push(frame);
    }
}
