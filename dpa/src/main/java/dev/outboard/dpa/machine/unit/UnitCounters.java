package dev.outboard.dpa.machine.unit;

/// DPA-INT-1, DPA-INT-2, DPA-INT-3, DPA-INT-4: the counters of one execution unit. Each starts at
/// an arbitrary value, which follows from the seed of the run and the number of the unit, so that a
/// difference between two units means nothing. The thread that runs on the unit owns it.
public final class UnitCounters {

    /// 1.8 GHz: nine cycles take five nanoseconds.
    private static final long CYCLES = 9;

    private static final long NANOS = 5;

    /// 48 bits leave room for years of cycles.
    private static final int START_SHIFT = 16;

    private final long cyclesStart;
    private final long timeStart;
    private final long retiredStart;
    private final long tickNanos;
    private long cycles;
    private long retired;

    /// The counters at their start.
    public UnitCounters(long seed, int unit, long tickNanos) {
        long state = mix(seed ^ mix(unit + 1));
        cyclesStart = state >>> START_SHIFT;
        timeStart = mix(state + 1) >>> START_SHIFT;
        retiredStart = mix(state + 2) >>> START_SHIFT;
        this.tickNanos = tickNanos;
    }

    /// Some operations were retired, and took some cycles.
    public void advance(long operations, long cycles) {
        retired += operations;
        this.cycles += cycles;
    }

    /// DPA-INT-1: cycles.
    public long cycles() {
        return cyclesStart + cycles;
    }

    /// DPA-INT-2: ticks of time.
    public long time() {
        return timeStart + nanos(cycles) / tickNanos;
    }

    /// DPA-INT-3: retired instructions.
    public long instRet() {
        return retiredStart + retired;
    }

    /// Virtual time that so many cycles take.
    public static long nanos(long cycles) {
        return cycles / CYCLES * NANOS + cycles % CYCLES * NANOS / CYCLES;
    }

    /// The cycles that take at least that much virtual time.
    public static long cycles(long nanos) {
        return (nanos + NANOS - 1) / NANOS * CYCLES;
    }

    /// The finalizer of SplitMix64.
    private static long mix(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
