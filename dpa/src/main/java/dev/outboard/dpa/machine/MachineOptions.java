package dev.outboard.dpa.machine;

/// How a machine is built. Immutable; the defaults are those of the catalog, and each `with` method
/// gives a copy with one of them changed.
///
/// @param fencesCalls whether calls of FlexIO that ring doorbells write back first
/// @param seed what the start values of counters follow from, and poison
public record MachineOptions(
        UnitGrid units,
        Storage storage,
        Timing timing,
        Log2Input log2Input,
        boolean fencesCalls,
        long seed) {

    /// The machine of the catalog.
    public static final MachineOptions DEFAULT =
            new MachineOptions(
                    UnitGrid.DEFAULT, Storage.DEFAULT, Timing.DEFAULT, Log2Input.INTEGER, false, 0);

    /// DPA-HW-9, DPA-ERR-3: how much memory a process has.
    ///
    /// @param heapBytes a multiple of 64
    /// @param stackBytes of each thread, a multiple of 16
    /// @param strictHeap whether an access outside live blocks is a fault
    public record Storage(long heapBytes, int stackBytes, boolean strictHeap) {

        /// 4 MiB of heap and stacks of 8 KiB.
        public static final Storage DEFAULT = new Storage(4L << 20, 8 << 10, false);

        /// Checks sizes.
        public Storage {
            if (heapBytes < 0 || heapBytes % 64 != 0 || heapBytes > MAX_HEAP_BYTES) {
                throw new IllegalArgumentException(
                        "A heap has a multiple of 64 bytes up to %d, not %d"
                                .formatted(MAX_HEAP_BYTES, heapBytes));
            }
            if (stackBytes < 0 || stackBytes % 16 != 0 || stackBytes > MAX_STACK_BYTES) {
                throw new IllegalArgumentException(
                        "A stack has a multiple of 16 bytes up to %d, not %d"
                                .formatted(MAX_STACK_BYTES, stackBytes));
            }
        }
    }

    /// DPA-HW-3, DPA-INT-2: how time passes.
    ///
    /// @param watchdogNanos how much virtual time a thread may keep its unit
    /// @param tickNanos the tick of `time()`
    public record Timing(long watchdogNanos, long tickNanos, CycleCosts costs) {

        /// 12 s for the watchdog, ticks of 1 µs.
        public static final Timing DEFAULT = new Timing(12_000_000_000L, 1_000, CycleCosts.DEFAULT);

        /// Checks that time passes.
        public Timing {
            if (watchdogNanos < 1 || tickNanos < 1) {
                throw new IllegalArgumentException(
                        "The watchdog and a tick take at least 1 ns, not %d and %d"
                                .formatted(watchdogNanos, tickNanos));
            }
        }

        /// With other costs.
        public Timing withCosts(CycleCosts costs) {
            return new Timing(watchdogNanos, tickNanos, costs);
        }
    }

    /// DPA-INT-8: what the operand of the logarithm is.
    public enum Log2Input {
        /// An unsigned integer, as the seed says.
        INTEGER,
        /// A number in Q16.16, as public headers group it.
        Q16;

        /// The logarithm of such an operand.
        public int log2(int operand) {
            return this == INTEGER ? DpaFxp.log2(operand) : DpaFxp.log2OfQ16(operand);
        }
    }

    /// 16 GiB.
    private static final long MAX_HEAP_BYTES = 16L << 30;

    /// 1 MiB.
    private static final int MAX_STACK_BYTES = 1 << 20;

    /// With other units.
    public MachineOptions withUnits(UnitGrid units) {
        return new MachineOptions(units, storage, timing, log2Input, fencesCalls, seed);
    }

    /// With other memory.
    public MachineOptions withStorage(Storage storage) {
        return new MachineOptions(units, storage, timing, log2Input, fencesCalls, seed);
    }

    /// With other time.
    public MachineOptions withTiming(Timing timing) {
        return new MachineOptions(units, storage, timing, log2Input, fencesCalls, seed);
    }

    /// With another reading of the logarithm.
    public MachineOptions withLog2Input(Log2Input log2Input) {
        return new MachineOptions(units, storage, timing, log2Input, fencesCalls, seed);
    }

    /// DPA-FXO-11: with calls of FlexIO that write back before they ring.
    public MachineOptions withFencedCalls() {
        return new MachineOptions(units, storage, timing, log2Input, true, seed);
    }

    /// With another seed.
    public MachineOptions withSeed(long seed) {
        return new MachineOptions(units, storage, timing, log2Input, fencesCalls, seed);
    }
}
