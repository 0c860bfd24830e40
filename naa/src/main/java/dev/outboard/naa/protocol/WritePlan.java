package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The WRITEs of one direction of one RPC. Filled anew for every RPC without allocating.
///
/// NAA-XFER-1, NAA-RET-1: there is one per region, the very last one with the immediate value.
///
/// NAA-LIM-4: a region that exceeds one message takes several.
public final class WritePlan {
    private final @Nullable MemoryRegion[] regions;
    private final long[] lengths;
    private final long[] remoteAddresses;
    private final int[] remoteKeys;
    private final long maxMessageBytes;
    private final int maxOutstanding;
    private int steps;
    private int step;
    private long offset;
    private int immediate;
    private int emitted;
    private int completed;

    /// @param maxRegions regions of one RPC at most
    /// @param maxMessageBytes payload of one WRITE at most
    /// @param maxOutstanding WRITEs emitted and not completed at most
    WritePlan(int maxRegions, long maxMessageBytes, int maxOutstanding) {
        this.regions = new MemoryRegion[maxRegions];
        this.lengths = new long[maxRegions];
        this.remoteAddresses = new long[maxRegions];
        this.remoteKeys = new int[maxRegions];
        this.maxMessageBytes = maxMessageBytes;
        this.maxOutstanding = maxOutstanding;
    }

    /// How many WRITEs carry `length` bytes.
    public static long writesFor(long length, long maxMessageBytes) {
        return Math.max(1, Math.ceilDiv(length, maxMessageBytes));
    }

    /// Begins a new plan, whose last WRITE carries `newImmediate`.
    void begin(int newImmediate) {
        steps = 0;
        step = 0;
        offset = 0;
        emitted = 0;
        completed = 0;
        immediate = newImmediate;
    }

    /// Adds the first `length` bytes of `region`; null and 0 make a WRITE without payload.
    ///
    /// NAA-LIM-6: a region of no bytes has its turn like any other.
    void add(@Nullable MemoryRegion region, long length, long remoteAddress, int remoteKey) {
        regions[steps] = region;
        lengths[steps] = length;
        remoteAddresses[steps] = remoteAddress;
        remoteKeys[steps] = remoteKey;
        steps++;
    }

    boolean isEmpty() {
        return steps == 0;
    }

    /// Emits the next WRITE.
    ///
    /// @return false if all are emitted, or too many are outstanding
    boolean next(SendRequest into) {
        if (step == steps || emitted - completed >= maxOutstanding) {
            return false;
        }
        long length = Math.min(lengths[step] - offset, maxMessageBytes);
        boolean endsRegion = offset + length == lengths[step];
        boolean last = endsRegion && step == steps - 1;
        long target = remoteAddresses[step] + offset;
        if (last) {
            into.writeWithImmediate(target, remoteKeys[step], immediate);
        } else {
            into.write(target, remoteKeys[step]);
        }
        if (length == 0) {
            into.noPayload();
        } else {
            into.payload(Objects.requireNonNull(regions[step]), offset, length);
        }
        /// NAA-XFER-3: peers sleep until a solicited completion.
        into.solicited(last).signaled(true);
        offset = endsRegion ? 0 : offset + length;
        step += endsRegion ? 1 : 0;
        emitted++;
        return true;
    }

    /// One WRITE was acknowledged.
    void completeOne() {
        assert completed < emitted : "more completions than WRITEs";
        completed++;
    }

    /// How many WRITEs were acknowledged.
    int completed() {
        return completed;
    }

    /// Whether every WRITE was emitted and acknowledged.
    boolean isComplete() {
        return step == steps && completed == emitted;
    }
}
