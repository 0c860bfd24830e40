package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaException;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Programs that call DOCA DPA with what belongs to something else, is half right or is nothing:
/// each call returns or ends its process with a fault, and a process beside goes on.
class HostileCallsTest {
    private static final int FIRST = 0x100;
    private static final int LAST = 0x1C0;
    private static final int ARGUMENTS = 7;
    private static final int CALLS = 400;

    /// How long a call may wait for what never comes.
    private static final RunMode MODE = new RunMode.Fast(Duration.ofMillis(200));

    private static final Setting SETTING = new Setting(MODE, Optional.of(RdmaFixture.SIM));

    /// What is nobody's.
    private static final List<Long> WILD =
            List.of(0L, 1L, -1L, 3L, -8L, Long.MIN_VALUE, Long.MAX_VALUE, 0xFFFF_FFFFL, 1L << 32);

    /// A context with something of each kind.
    private static final class Victim implements AutoCloseable {
        private final RdmaFixture ends;
        private final DpaApp<DpaThread> app;
        private final List<Long> known = new ArrayList<>(WILD);

        Victim(DpaApp<DpaThread> app) {
            this.app = app;
            ends = new RdmaFixture(SETTING, app);
            RdmaEnd near = ends.open(end(ends.left));
            RdmaEnd far = ends.open(end(ends.right));
            near.connect(0, far, 0);
            known.addAll(near.towards(far));
            known.add(near.told.orElseThrow().handle());
            known.add(ends.open(DocaDpaHashTable.create(ends.left.dpa(), 8)).handle());
            DpaAddr block = ends.left.block(1, 2, 3, 4, 5, 6, 7, 8);
            known.add(block.value());
            known.add(block.value() + 3);
        }

        private RdmaEnd end(RdmaFixture.Side side) {
            DocaDpaCompletion told = ends.open(DocaDpaCompletion.create(side.dpa(), 64).start());
            return new RdmaEnd(side.dev(), side.dpa(), 1, Optional.of(told));
        }

        /// Whether the process lives on.
        boolean survives(long number, SplittableRandom random) {
            long[] given = new long[ARGUMENTS + 1];
            for (int i = 0; i < ARGUMENTS; i++) {
                given[i] = value(random);
            }
            given[ARGUMENTS] = number;
            try {
                ends.left.dpa().rpc(Clang.of(app, "attack", given));
                return true;
            } catch (DocaException fault) {
                assertThat(fault.getMessage())
                        .as("call 0x%x with %s", number, Arrays.toString(given))
                        .isNotBlank();
                return false;
            }
        }

        /// Mostly one, sometimes two halves, sometimes one with a wrong bit.
        private long value(SplittableRandom random) {
            long one = known.get(random.nextInt(known.size()));
            long other = known.get(random.nextInt(known.size()));
            return switch (random.nextInt(6)) {
                case 0 -> (one << Integer.SIZE) | Integer.toUnsignedLong((int) other);
                case 1 -> one ^ (1L << random.nextInt(Long.SIZE));
                default -> one;
            };
        }

        @Override
        public void close() {
            ends.close();
        }
    }

    @Test
    @Requirement("DPA-SYS-5")
    void aCallReturnsOrEndsItsProcess() {
        DpaApp<DpaThread> app = Clang.app("attack");
        Seeds.campaign(1, seed -> attack(app, new SplittableRandom(seed)));
    }

    private static void attack(DpaApp<DpaThread> app, SplittableRandom random) {
        int ended = 0;
        try (ContextFixture beside = ContextFixture.open(MODE, app)) {
            Victim victim = new Victim(app);
            try {
                for (int i = 0; i < CALLS; i++) {
                    if (!victim.survives(random.nextLong(FIRST, LAST), random)) {
                        ended++;
                        victim.close();
                        victim = new Victim(app);
                    }
                }
            } finally {
                victim.close();
            }
            // The rank of a call.
            assertThat(beside.dpa.rpc(Clang.of(app, "attack", 0, 0, 0, 0, 0, 0, 0, FIRST)))
                    .isZero();
        }
        assertThat(ended).isBetween(CALLS / 4, CALLS - 1);
    }
}
