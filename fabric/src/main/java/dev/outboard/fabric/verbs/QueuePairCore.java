package dev.outboard.fabric.verbs;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.memory.RegionTable;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What every queue pair has, whatever its transport: a number, a protection domain, its work
/// queues and where they complete, and somebody to tell about asynchronous events. Requests
/// complete in the order in which they were posted.
///
/// Posting is for the application's threads, one per queue; everything else is for the thread that
/// drives the device.
public final class QueuePairCore {
    private final int number;
    private final int domain;
    private final RegionTable regions;
    private final CompletionRing sendCompletions;
    private final CompletionRing receiveCompletions;
    private final boolean allSignaled;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Consumer<AsyncEvent.Type> events;

    /// Where a receive taken from a shared queue is kept; null if the receive queue is our own.
    private final @Nullable ReceiveEntry taken;

    private boolean hasTaken;
    private Runnable refill = () -> {};

    /// The parts of a queue pair.
    ///
    /// @param shared the shared receive queue it takes from, if any
    /// @param allSignaled whether all sends complete visibly
    /// @param events told of everything that happens to this queue pair
    public QueuePairCore(
            int number,
            int domain,
            RegionTable regions,
            CompletionRing sendCompletions,
            CompletionRing receiveCompletions,
            QueueSizes sizes,
            Optional<ReceiveQueue> shared,
            boolean allSignaled,
            Consumer<AsyncEvent.Type> events) {
        this.number = number;
        this.domain = domain;
        this.regions = regions;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.allSignaled = allSignaled;
        this.events = events;
        sends = new SendQueue(regions, sizes.sends(), sizes.pieces(), sizes.inlineBytes());
        receives =
                shared.orElseGet(() -> new ReceiveQueue(regions, sizes.receives(), sizes.pieces()));
        taken = shared.isEmpty() ? null : receives.emptyEntry();
    }

    public int number() {
        return number;
    }

    /// The protection domain.
    public int domain() {
        return domain;
    }

    public RegionTable regions() {
        return regions;
    }

    public SendQueue sends() {
        return sends;
    }

    /// Whether receives come from a shared receive queue.
    public boolean isShared() {
        return taken != null;
    }

    public void raise(AsyncEvent.Type type) {
        events.accept(type);
    }

    /// Puts a receive into our own queue; false if it is full.
    public boolean post(ReceiveRequest request) {
        if (isShared()) {
            throw new FabricException(
                    Reason.INVALID_STATE,
                    "queue pair " + number + " has a shared receive queue; post the receive there");
        }
        boolean posted = receives.offer(request);
        // A failing queue pair first changes its state, then flushes: either it sees this request
        // or the poster sees the state.
        VarHandle.fullFence();
        return posted;
    }

    /// Puts a send into the queue; false if it is full.
    public boolean post(SendRequest request) {
        return sends.offer(request);
    }

    /// Calls `action` when a message finds no receive, before it is turned away.
    public void onNoReceive(Runnable action) {
        refill = action;
    }

    /// Takes the next receive for a message that begins; it is ours until it completes.
    ///
    /// @return false if none is posted
    public boolean takeReceive() {
        if (!hasTaken && receives.isEmpty()) {
            refill.run();
        }
        return take();
    }

    private boolean take() {
        if (!hasTaken) {
            hasTaken = taken == null ? !receives.isEmpty() : receives.take(taken);
        }
        return hasTaken;
    }

    /// The receive that was taken last.
    public ReceiveEntry receive() {
        return taken == null ? receives.head() : taken;
    }

    /// Stores `length` bytes of `source` from `offset` on at `position` of [#receive].
    ///
    /// @return SUCCESS, or how the receive ends
    public CompletionStatus store(long position, MemorySegment source, long offset, int length) {
        ReceiveEntry receive = receive();
        if (!receive.isWritable(domain())) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        }
        try {
            receive.store(position, source, offset, length, number());
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException arenaClosed) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        } catch (MemoryFault refused) {
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
    }

    /// The oldest send succeeded; false if the application cannot be told because its completion
    /// queue is full.
    ///
    /// ROCE-RC-27: an unsignalled request that succeeds is silent; one that fails is not.
    public boolean completeSend() {
        if (allSignaled || sends.at(sends.head()).signaled) {
            return completeSend(CompletionStatus.SUCCESS);
        }
        sends.removeHead();
        return true;
    }

    /// The oldest send ended with `status`; false if the application cannot be told.
    public boolean completeSend(CompletionStatus status) {
        SendEntry entry = sends.at(sends.head());
        Completion completion = sendCompletions.free();
        if (completion != null) {
            completion.set(entry.id, status, entry.completionOpcode(), number, entry.length);
        }
        sends.removeHead();
        return publish(sendCompletions, completion, status != CompletionStatus.SUCCESS);
    }

    /// Begins the completion of the receive that was taken, for the caller to add what the message
    /// said and to [publish][#publishReceive]; null if the application cannot be told, which
    /// [#publishReceive] takes too.
    public @Nullable Completion endReceive(
            CompletionStatus status, CompletionOpcode opcode, long byteCount) {
        Completion completion = receiveCompletions.free();
        if (completion != null) {
            completion.set(receive().id, status, opcode, number, byteCount);
        }
        return completion;
    }

    /// Hands out the completion from [#endReceive]; false if the application cannot be told.
    public boolean publishReceive(@Nullable Completion completion, boolean solicited) {
        removeReceive();
        return publish(receiveCompletions, completion, solicited);
    }

    /// The receive that was taken failed with `status`; false if the application cannot be told.
    public boolean failReceive(CompletionStatus status) {
        return publishReceive(endReceive(status, CompletionOpcode.RECEIVE, 0), true);
    }

    /// Everything outstanding completes as flushed, sends first; receives in a shared queue stay
    /// (roce.md 3.10). What a [completion sink][dev.outboard.fabric.CompletionSink] posts meanwhile
    /// is left to the next flush, or one that posts for ever would never let go.
    ///
    /// @return false if the application cannot be told of all
    public boolean flush() {
        long count = isShared() ? 1 : receives.size();
        boolean told = flushSends();
        for (long i = 0; i < count && (hasTaken || (!isShared() && take())); i++) {
            told &= failReceive(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        return told;
    }

    /// All sends complete as flushed.
    ///
    /// @return false if the application cannot be told of all
    public boolean flushSends() {
        boolean told = true;
        long end = sends.posted();
        while (sends.head() < end) {
            told &= completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        return told;
    }

    /// Everything outstanding vanishes without completions.
    public void clear() {
        while (sends.head() < sends.posted()) {
            sends.removeHead();
        }
        while (hasTaken || (!isShared() && take())) {
            removeReceive();
        }
    }

    private void removeReceive() {
        hasTaken = false;
        if (taken == null) {
            receives.removeHead();
        } else {
            taken.release();
        }
    }

    /// An error counts as solicited (roce.md 3.9).
    private boolean publish(
            CompletionRing ring, @Nullable Completion completion, boolean solicited) {
        regions.settle();
        if (completion == null) {
            ring.overrun();
            return false;
        }
        ring.publish(solicited);
        return true;
    }
}
