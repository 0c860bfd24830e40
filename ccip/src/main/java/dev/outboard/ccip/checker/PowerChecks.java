package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.PowerState;

/// Whether an AFU that is asked to save power sends fewer requests (CCI-P manual 1.3.11: half of
/// them in AP1, a tenth in AP2). Compares whole runs, since a rate is no matter of one cycle.
final class PowerChecks {
    /// Of a state with fewer cycles nothing is said.
    private static final long ENOUGH_CYCLES = 10_000;

    private static final double TOLERANCE = 0.05;

    private final Reporter reporter;
    private final long[] cycles = new long[PowerState.values().length];
    private final long[] beats = new long[cycles.length];
    private PowerState state = PowerState.AP0;
    private long since;

    PowerChecks(Reporter reporter) {
        this.reporter = reporter;
    }

    /// A valid beat on Tx C0 or Tx C1.
    void beat() {
        beats[state.ordinal()]++;
    }

    PowerState state() {
        return state;
    }

    /// The AFU samples another power state.
    void change(PowerState next) {
        cycles[state.ordinal()] += reporter.cycle() - since;
        since = reporter.cycle();
        state = next;
    }

    /// The run has ended.
    void finish() {
        change(state);
        compare(PowerState.AP1, 0.5);
        compare(PowerState.AP2, 0.1);
    }

    private void compare(PowerState saving, double share) {
        if (cycles[0] < ENOUGH_CYCLES || cycles[saving.ordinal()] < ENOUGH_CYCLES) {
            return;
        }
        double rate = rate(saving);
        double full = rate(PowerState.AP0);
        if (rate > full * (share + TOLERANCE) && reporter.noted(Violation.PWR_NOT_REDUCED)) {
            reporter.deliver(
                    Violation.PWR_NOT_REDUCED,
                    rate + " beats per cycle in " + saving + " against " + full + " in AP0");
        }
    }

    private double rate(PowerState of) {
        return (double) beats[of.ordinal()] / cycles[of.ordinal()];
    }
}
