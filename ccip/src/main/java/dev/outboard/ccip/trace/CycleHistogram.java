package dev.outboard.ccip.trace;

/// How often something took how many cycles: exact below 1024, above in steps of at most a 64th.
/// Belongs to who fills it.
public final class CycleHistogram {
    private static final int EXACT_BITS = 10;
    private static final int STEP_BITS = 6;
    private static final int EXACT = 1 << EXACT_BITS;
    private static final int STEPS = 1 << STEP_BITS;

    private final long[] counts = new long[EXACT + (Long.SIZE - EXACT_BITS) * STEPS];
    private long count;
    private long sum;
    private long least = Long.MAX_VALUE;
    private long most;

    CycleHistogram() {}

    void add(long cycles) {
        counts[index(cycles)]++;
        count++;
        sum += cycles;
        least = Math.min(least, cycles);
        most = Math.max(most, cycles);
    }

    private static int index(long cycles) {
        if (cycles < EXACT) {
            return (int) cycles;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(cycles);
        int step = (int) (cycles >>> (exponent - STEP_BITS)) & (STEPS - 1);
        return EXACT + (exponent - EXACT_BITS) * STEPS + step;
    }

    /// The largest number of cycles that counts at this index.
    private static long largest(int index) {
        if (index < EXACT) {
            return index;
        }
        int above = index - EXACT;
        long steps = STEPS + (above % STEPS) + 1L;
        return (steps << (above / STEPS + EXACT_BITS - STEP_BITS)) - 1;
    }

    /// How many were counted.
    public long count() {
        return count;
    }

    /// The least, or 0 if there were none.
    public long least() {
        return count == 0 ? 0 : least;
    }

    /// The most, or 0 if there were none.
    public long most() {
        return most;
    }

    /// The mean, or 0 if there were none.
    public double mean() {
        return count == 0 ? 0 : (double) sum / count;
    }

    /// As many cycles as `percent` of all took at most; 0 if there were none.
    public long percentile(double percent) {
        long rank = Math.max(1, (long) Math.ceil(count * percent / 100));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min(largest(i), most);
            }
        }
        return 0;
    }
}
