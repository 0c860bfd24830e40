package dev.outboard.ccip.litmus;

import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.ResponseFormat;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/// Runs a variant again and again in a simulation: an AFU at the port plays the one side, threads
/// of the processor the other, with a step now and then between two cycles. All chance comes from
/// the seed.
final class PortRun implements AutoCloseable {
    private static final int MEMORY_BYTES = 4096;

    /// Far more cycles than a run takes.
    private static final int LIMIT = 1_000_000;

    /// In how many of 256 cycles a thread takes a step, or a store leaves its buffer: one of these.
    private static final int[] ODDS = {2, 8, 32, 128, 256};

    /// The longest time before a thread begins: one of these.
    private static final int[] DELAYS = {1, 16, 64, 256};

    /// What the scenarios are about.
    private static final Set<Violation> HAZARDS =
            EnumSet.of(
                    Violation.HAZ_RAW,
                    Violation.HAZ_WAR,
                    Violation.HAZ_WAW,
                    Violation.HAZ_INTR_UNFENCED);

    private final Variant variant;
    private final SplittableRandom random;
    private final ScenarioAfu afu;
    private final Simulation simulation;
    private final Fpga fpga;
    private final Buffer buffer;
    private final Execution execution;
    private final int[] stepOdds;
    private final int[] drainOdds;
    private final int[] delays;

    PortRun(Variant variant, Mode mode, long seed) {
        this.variant = variant;
        random = new SplittableRandom(seed);
        afu = new ScenarioAfu(variant, random);
        simulation =
                Simulation.of(variant.profile(), afu)
                        .mode(mode)
                        .memoryModel(variant.model())
                        .policy(ErrorPolicy.STOP)
                        .seed(seed)
                        .format(ResponseFormat.RANDOM)
                        .build();
        for (Violation violation : HAZARDS) {
            simulation.checker().severity(violation, Severity.OFF);
        }
        fpga = Fpga.open(simulation);
        buffer = fpga.prepareBuffer(MEMORY_BYTES);
        for (int id : variant.scenario().interrupts()) {
            fpga.registerInterrupt(id);
        }
        execution = new Execution(variant.scenario(), buffer.segment());
        stepOdds = new int[execution.threads().length];
        drainOdds = new int[execution.threads().length];
        delays = new int[execution.threads().length];
    }

    /// Runs it once and returns the outcome.
    String next() {
        execution.reset();
        for (int i = 0; i < stepOdds.length; i++) {
            stepOdds[i] = ODDS[random.nextInt(ODDS.length)];
            drainOdds[i] = ODDS[random.nextInt(ODDS.length)];
            delays[i] = random.nextInt(DELAYS[random.nextInt(DELAYS.length)]);
        }
        afu.begin(execution, buffer.lineAddress());
        long begin = simulation.cycle();
        while (!execution.isDone() || !simulation.isIdle()) {
            if (simulation.cycle() - begin > LIMIT) {
                throw new IllegalStateException(
                        variant + " has not ended within " + LIMIT + " cycles");
            }
            simulation.step(1);
            stepThreads();
        }
        return execution.outcome();
    }

    private void stepThreads() {
        for (int id : variant.scenario().interrupts()) {
            if (fpga.takeInterrupts(id) > 0) {
                execution.interrupt(id);
            }
        }
        for (int i = 0; i < stepOdds.length; i++) {
            if (delays[i] > 0) {
                delays[i]--;
                continue;
            }
            CpuThread thread = execution.threads()[i];
            if (thread.canDrain() && random.nextInt(256) < drainOdds[i]) {
                thread.drain();
            }
            if (random.nextInt(256) < stepOdds[i] && thread.canStep()) {
                thread.step();
            }
        }
    }

    @Override
    public void close() {
        fpga.close();
    }
}
