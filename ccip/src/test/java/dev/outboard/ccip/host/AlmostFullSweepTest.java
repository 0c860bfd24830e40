package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/// Some AFUs keep to almost-full unless it rises in one certain cycle: only where it rises in each
/// cycle in turn is that one sure to be among them.
@Requirement("CCIP-FLW-12")
class AlmostFullSweepTest {
    private static final int WRITES = 30;

    /// The write at which the AFU does not look.
    private static final int BLIND = 12;

    /// Cycles that almost-full lasts, which is longer than the AFU writes.
    private static final int LENGTH = 64;

    /// Once the host names a line, writes that and those behind it. It holds while almost-full is
    /// 1, which it knows by the edges of that wire; but an edge at one of its writes it misses.
    private static final class Writer implements BiConsumer<Rx, Tx> {
        private long line;
        private int written = WRITES;
        private boolean wasFull;
        private boolean holds;

        @Override
        public void accept(Rx rx, Tx tx) {
            boolean writes = written < WRITES && !holds;
            if (rx.c1TxAlmFull != wasFull && !(writes && written == BLIND)) {
                holds = rx.c1TxAlmFull;
            }
            wasFull = rx.c1TxAlmFull;
            if (writes) {
                tx.c1.write(
                        WriteType.WRLINE_I,
                        VirtualChannel.VA,
                        LineCount.ONE,
                        line + written,
                        written);
                written++;
            }
            if (rx.c0.mmioWrValid) {
                line = rx.c0.data[0];
                written = 0;
            }
        }
    }

    private static Simulation run(LongPredicate almostFull, long[] writeCycles) {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new RegisterAfu(new Writer()))
                        .policy(ErrorPolicy.LOG)
                        .build();
        simulation.raiseAlmostFull(Channel.TX_C1, almostFull);
        simulation.monitor((cycle, tx, rx, answers) -> {
            if (tx.c1.valid) {
                writeCycles[tx.c1.mdata()] = cycle;
            }
        });
        try (Fpga fpga = Fpga.open(simulation);
                Buffer buffer = fpga.prepareBuffer(4096)) {
            fpga.writeMmio64(RegisterAfu.SCRATCH, buffer.lineAddress());
            fpga.step(500);
        }
        return simulation;
    }

    /// Once the host names a line, writes and reads that and those behind it, a line of each per
    /// cycle, and holds each channel by the wire that is given for it.
    private record Streamer(boolean[] looks, long[] at) implements BiConsumer<Rx, Tx> {
        static final int C0_BY_C0 = 0;
        static final int C0_BY_C1 = 1;
        static final int C1_BY_C0 = 2;
        static final int C1_BY_C1 = 3;

        static Streamer looking(int... wires) {
            Streamer streamer = new Streamer(new boolean[4], new long[] {0, LINES, LINES});
            for (int wire : wires) {
                streamer.looks[wire] = true;
            }
            return streamer;
        }

        private static final int LINES = 64;

        @Override
        public void accept(Rx rx, Tx tx) {
            boolean c0Holds =
                    (looks[C0_BY_C0] && rx.c0TxAlmFull) || (looks[C0_BY_C1] && rx.c1TxAlmFull);
            boolean c1Holds =
                    (looks[C1_BY_C0] && rx.c0TxAlmFull) || (looks[C1_BY_C1] && rx.c1TxAlmFull);
            if (at[1] < LINES && !c0Holds) {
                tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VA, LineCount.ONE, at[0] + at[1]++, 0);
            }
            if (at[2] < LINES && !c1Holds) {
                tx.c1.write(
                        WriteType.WRLINE_I,
                        VirtualChannel.VA,
                        LineCount.ONE,
                        at[0] + LINES + at[2]++,
                        0);
            }
            if (rx.c0.mmioWrValid) {
                at[0] = rx.c0.data[0];
                at[1] = 0;
                at[2] = 0;
            }
        }
    }

    private static Map<Violation, Long> stream(
            Streamer afu, Mode mode, long seed, Channel... full) {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new RegisterAfu(afu))
                        .policy(ErrorPolicy.LOG)
                        .mode(mode)
                        .seed(seed)
                        .build();
        for (Channel channel : full) {
            simulation.raiseAlmostFull(channel, cycle -> cycle > 400 && cycle < 430);
        }
        try (Fpga fpga = Fpga.open(simulation);
                Buffer buffer = fpga.prepareBuffer(8192)) {
            simulation.stepUntil(() -> simulation.cycle() == 390, 1000);
            fpga.writeMmio64(RegisterAfu.SCRATCH, buffer.lineAddress());
            fpga.step(1000);
        }
        return simulation.checker().counts();
    }

    @Test
    @Requirement("CCIP-FLW-11")
    void anAfuThatLooksAtTheOtherWireIsFoundWhereOneRisesAlone() {
        Streamer byC0 = Streamer.looking(Streamer.C0_BY_C0, Streamer.C1_BY_C0);
        assertThat(stream(byC0, Mode.TIMED, 1, Channel.TX_C0, Channel.TX_C1)).isEmpty();
        assertThat(stream(byC0, Mode.TIMED, 1, Channel.TX_C0)).isEmpty();
        assertThat(stream(byC0, Mode.TIMED, 1, Channel.TX_C1))
                .containsOnlyKeys(Violation.C1TX_ALMFULL_OVERRUN);
        Streamer byC1 = Streamer.looking(Streamer.C0_BY_C1, Streamer.C1_BY_C1);
        assertThat(stream(byC1, Mode.TIMED, 1, Channel.TX_C0))
                .containsOnlyKeys(Violation.C0TX_ALMFULL_OVERRUN);
    }

    /// The first seed from 1 to 60 that shows anything, or 0.
    private static int firstSeed(int... wires) {
        for (int seed = 1; seed <= 60; seed++) {
            if (!stream(Streamer.looking(wires), Mode.ADVERSARIAL, seed).isEmpty()) {
                return seed;
            }
        }
        return 0;
    }

    @Test
    @Requirement("CCIP-FLW-11")
    void adversarialRunsFindAnAfuThatIgnoresEitherWireWithinSixtySeeds() {
        assertThat(firstSeed(Streamer.C0_BY_C0)).isPositive();
        assertThat(firstSeed(Streamer.C1_BY_C1)).isPositive();
        assertThat(firstSeed(Streamer.C0_BY_C0, Streamer.C1_BY_C0)).isPositive();
        assertThat(firstSeed(Streamer.C0_BY_C0, Streamer.C1_BY_C1)).isZero();
    }

    /// By the cycle in which almost-full rises, what is found.
    private static Map<Long, Report> sweep(long from, long to) {
        Map<Long, Report> found = new TreeMap<>();
        for (long first = from; first <= to; first++) {
            long rises = first;
            Simulation run =
                    run(cycle -> cycle >= rises && cycle < rises + LENGTH, new long[WRITES]);
            run.checker().reports().forEach(report -> found.putIfAbsent(rises, report));
        }
        return found;
    }

    /// The AFU drives a write a cycle before it is seen, by what the FIU drove a cycle before that.
    private static long blindCycle() {
        long[] writeCycles = new long[WRITES];
        assertThat(run(cycle -> false, writeCycles).checker().reports()).isEmpty();
        return writeCycles[BLIND] - 2;
    }

    @Test
    void theOneCycleInWhichAnAfuIsWrongIsFoundAndNoOther() {
        long blind = blindCycle();
        Map<Long, Report> found = sweep(blind - 40, blind + 40);
        assertThat(found).containsOnlyKeys(blind);
        assertThat(found.get(blind).violation()).isEqualTo(Violation.C1TX_ALMFULL_OVERRUN);
    }
}
