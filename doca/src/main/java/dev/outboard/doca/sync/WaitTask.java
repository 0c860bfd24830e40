package dev.outboard.doca.sync;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.EventCell;
import java.util.concurrent.CompletableFuture;

/// Completes once the masked value of a sync event equals a threshold, or differs from it. A value
/// that passes between two turns of the progress engine is missed.
public final class WaitTask extends SyncEventTask {
    private final Condition condition;
    private long threshold;
    private long mask;

    WaitTask(SyncEventCtx ctx, SyncEventTaskType kind, long threshold, long mask) {
        super(ctx, kind);
        condition = kind == SyncEventTaskType.WAIT_EQ ? Condition.EQ : Condition.NEQ;
        operands(threshold, mask);
    }

    /// What the masked value is compared to.
    public long threshold() {
        requireNotFreed();
        return threshold;
    }

    /// Which bits of the value count.
    public long mask() {
        requireNotFreed();
        return mask;
    }

    /// Changes what it waits for.
    ///
    /// @param newMask 0, or 1, 2, 4 or 8 bytes next to each other of which all bits count
    /// @throws DocaException with INVALID_VALUE for another mask, or if no value can satisfy this
    public void operands(long newThreshold, long newMask) {
        requireUserOwned();
        if (!isWholeBytes(newMask)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "mask 0x%x; valid: 0, or 1, 2, 4 or 8 bytes 0xff in a row".formatted(newMask));
        }
        condition.requirePossible(newMask, newThreshold);
        threshold = newThreshold;
        mask = newMask;
    }

    /// DSE-TASK-2: 0, 1, 2, 4 or 8 consecutive bytes.
    private static boolean isWholeBytes(long mask) {
        if (mask == 0) {
            return true;
        }
        int shift = Long.numberOfTrailingZeros(mask);
        long bytes = mask >>> shift;
        return shift % Byte.SIZE == 0
                && (bytes == 0xFF || bytes == 0xFFFF || bytes == 0xFFFF_FFFFL || bytes == -1);
    }

    @Override
    boolean isReady(EventCell cell) {
        return condition.holds(cell.get(), mask, threshold);
    }

    @Override
    boolean attempt(EventCell cell) {
        return isReady(cell);
    }

    @Override
    public CompletableFuture<WaitTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "wait until %s masked with 0x%x is %s 0x%x"
                .formatted(ctx(), mask, condition.words(), threshold);
    }
}
