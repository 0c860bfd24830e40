package dev.outboard.fabric;

import java.util.Arrays;
import java.util.Objects;

/// The memory pieces of a work request, in order (the verbs' scatter/gather list). Grows as needed,
/// then allocates nothing. Not thread-safe.
public final class GatherList {
    private MemoryRegion[] regions = new MemoryRegion[1];
    private long[] offsets = new long[1];
    private long[] lengths = new long[1];
    private int count;

    GatherList() {}

    void clear() {
        count = 0;
    }

    void add(MemoryRegion region, long offset, long length) {
        Objects.requireNonNull(region, "region");
        if (count == regions.length) {
            regions = Arrays.copyOf(regions, 2 * count);
            offsets = Arrays.copyOf(offsets, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        regions[count] = region;
        offsets[count] = offset;
        lengths[count] = length;
        count++;
    }

    /// How many pieces there are.
    public int count() {
        return count;
    }

    /// The region of piece `index`.
    public MemoryRegion region(int index) {
        return regions[index];
    }

    /// Where piece `index` starts in its region, in bytes.
    public long offset(int index) {
        return offsets[index];
    }

    /// The bytes of piece `index`.
    public long length(int index) {
        return lengths[index];
    }
}
