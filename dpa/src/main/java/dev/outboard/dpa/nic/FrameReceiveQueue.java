package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.PortCounters.Drop;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import java.lang.foreign.MemorySegment;

/// DPA-FXQ-12: a receive queue of raw Ethernet frames: ports steer frames to it
/// ([NicPort#steer(FlowMatch, FrameReceiveQueue)]). Its entries are its own, or those of a pool
/// that it shares with others. Made by a [NicEngine]; in the run only its actor touches it.
public final class FrameReceiveQueue implements NicQueue {
    private final NicEngine nic;
    private final int number;
    private final int uar;
    private final ReceivePool pool;
    private final CompletionQueue completions;
    private final Completion completion;
    private final FrameChecksums checksums = new FrameChecksums();
    private final Shared shared;
    private volatile boolean error;
    private volatile long received;

    FrameReceiveQueue(
            NicEngine nic,
            int number,
            ReceivePool pool,
            CompletionQueue completions,
            QueuePair.User user,
            Shared shared) {
        this.nic = nic;
        this.number = number;
        this.pool = pool;
        this.completions = completions;
        this.shared = shared;
        uar = user.uar();
        completion = new Completion(number, user.userIndex());
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int uar() {
        return uar;
    }

    @Override
    public boolean isInError() {
        return error;
    }

    /// The NIC that it is a queue of.
    NicEngine nic() {
        return nic;
    }

    /// A frame has come to a port, which counts what becomes of it.
    ///
    /// DPA-FXQ-12: a frame that finds no entry, or too short a one, is dropped.
    ///
    /// DPA-FXQ-9: an entry with a bad key completes with an error, and ends the queue.
    ///
    /// @return whether the queue has it
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    boolean receive(Nic actor, NicPort port, MemorySegment frame, int lengthBytes) {
        if (error) {
            flush(actor);
            return port.drop(Drop.QUEUE_GONE);
        }
        if (!pool.hasEntry(actor)) {
            return port.drop(Drop.NO_ENTRY);
        }
        Syndrome filled = pool.fill(actor, frame, lengthBytes);
        if (filled == Syndrome.LOCAL_LENGTH) {
            return port.drop(Drop.LONGER_THAN_ENTRY);
        }
        if (filled != Syndrome.SUCCESS) {
            failEntry(actor, filled);
            fail(actor);
            return port.drop(Drop.BAD_ENTRY);
        }
        port.counters().received();
        received++;
        completion.of(CompletionEntry.RECEIVED_SEND, pool.take(), lengthBytes);
        completion.checksumsOk = checksums.check(frame, lengthBytes);
        if (!completions.add(actor, completion)) {
            fail(actor);
        }
        return true;
    }

    QueueStatus status() {
        return new QueueStatus(
                QueueStatus.Kind.RECEIVE_QUEUE, number, pool.depth(), received, false, error);
    }

    /// It is destroyed: what is still on the way to it is dropped.
    void remove() {
        error = true;
    }

    /// It takes nothing from now on, and completes what is posted as flushed.
    void fail(Nic actor) {
        error = true;
        shared.events().accept(new AsyncEvent(AsyncEvent.Kind.FRAME_QUEUE_ERROR, number));
        flush(actor);
    }

    /// Entries that others share stay for those.
    private void flush(Nic actor) {
        if (!pool.isShared()) {
            for (int left = pool.waiting(actor); left > 0; left--) {
                failEntry(actor, Syndrome.FLUSHED);
            }
            pool.skip();
        }
    }

    private void failEntry(Nic actor, Syndrome syndrome) {
        completion.failed(CompletionEntry.RECEIVE_ERROR, pool.take(), syndrome);
        completions.add(actor, completion);
    }

    @Override
    public String toString() {
        return "receive queue 0x%x".formatted(number);
    }
}
