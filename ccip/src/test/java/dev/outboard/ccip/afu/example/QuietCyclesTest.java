package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Time that passes at once leaves the same trace as time in which each cycle is clocked.
class QuietCyclesTest {
    private static final int LINES = 100;

    /// What carries on the port, cycle by cycle, and how many cycles were clocked.
    private static final class Trace implements Monitor {
        private final boolean ofEveryCycle;
        private final List<String> beats = new ArrayList<>();
        private int clocked;

        Trace(boolean ofEveryCycle) {
            this.ofEveryCycle = ofEveryCycle;
        }

        @Override
        public long nextCycle(long cycle) {
            return ofEveryCycle ? cycle + 1 : Long.MAX_VALUE;
        }

        @Override
        public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
            clocked++;
            if (tx.c0.valid) {
                beats.add("%d C0Tx %x %x".formatted(cycle, tx.c0.hdrHigh, tx.c0.hdrLow));
            }
            if (tx.c1.valid) {
                beats.add("%d C1Tx %x %x".formatted(cycle, tx.c1.hdrHigh, tx.c1.hdrLow));
            }
            if (tx.c2.mmioRdValid) {
                beats.add("%d C2Tx %x %x".formatted(cycle, tx.c2.tid, tx.c2.data));
            }
            if (rx.c0.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid) {
                // A read of a register has no data.
                long data = rx.c0.mmioRdValid ? 0 : rx.c0.data[0];
                beats.add("%d C0Rx %x %x".formatted(cycle, rx.c0.hdr, data));
            }
            if (rx.c1.rspValid) {
                beats.add("%d C1Rx %x".formatted(cycle, rx.c1.hdr));
            }
        }
    }

    /// An example and what its software does with it.
    record Job(
            String name, Profile profile, UUID afuId, Supplier<Afu> afu, Consumer<Rig> software) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Job> jobs() {
        return List.of(
                new Job("Hello", Profile.PAC_A10, Hello.AFU_ID, Hello::new, QuietCyclesTest::hello),
                new Job(
                        "MemoryCopy",
                        Profile.INTEGRATED,
                        MemoryCopy.AFU_ID,
                        MemoryCopy::new,
                        QuietCyclesTest::job),
                new Job(
                        "VectorAdd",
                        Profile.PAC_D5005,
                        VectorAdd.AFU_ID,
                        VectorAdd::new,
                        QuietCyclesTest::vectorAdd),
                new Job(
                        "Sha256",
                        Profile.PAC_A10,
                        Sha256.AFU_ID,
                        Sha256::new,
                        QuietCyclesTest::sha256),
                new Job(
                        "UmsgEcho",
                        Profile.INTEGRATED,
                        UmsgEcho.AFU_ID,
                        UmsgEcho::new,
                        QuietCyclesTest::umsgEcho),
                new Job(
                        "InterruptSender",
                        Profile.PAC_A10,
                        InterruptSender.AFU_ID,
                        InterruptSender::new,
                        QuietCyclesTest::interrupt),
                new Job(
                        "ByteWriter",
                        Profile.PAC_D5005,
                        ByteWriter.AFU_ID,
                        ByteWriter::new,
                        QuietCyclesTest::byteWriter));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    @Requirement("CCIP-MOD-5")
    void leaveNoTrace(Job job) {
        Trace trace = run(job, job.afu.get(), new Trace(false));
        Afu clocked = job.afu.get();
        Trace full = run(job, (rx, tx) -> clocked.clock(rx, tx), new Trace(true));
        assertThat(trace.beats).isEqualTo(full.beats).isNotEmpty();
        assertThat(trace.clocked).isLessThan(full.clocked / 2);
    }

    private static Trace run(Job job, Afu afu, Trace trace) {
        try (Rig rig = new Rig(job.profile, Mode.TIMED, 1, afu, job.afuId)) {
            rig.simulation.monitor(trace);
            for (int i = 0; i < 3; i++) {
                rig.fpga.step(20_000);
                job.software.accept(rig);
            }
        }
        return trace;
    }

    private static void hello(Rig rig) {
        rig.write(Hello.BUFFER, rig.buffer(1, 1).lineAddress());
    }

    private static void job(Rig rig) {
        Buffer source = rig.buffer(LINES, 1);
        rig.setLines(source.lineAddress(), rig.buffer(LINES, 2).lineAddress(), LINES);
        rig.run();
    }

    private static void vectorAdd(Rig rig) {
        rig.write(VectorAdd.SECOND_SOURCE, rig.buffer(LINES, 3).lineAddress());
        job(rig);
    }

    private static void sha256(Rig rig) {
        rig.write(Sha256.LENGTH, 200);
        job(rig);
    }

    private static void interrupt(Rig rig) {
        rig.fpga.registerInterrupt(0);
        job(rig);
    }

    private static void byteWriter(Rig rig) {
        rig.write(ByteWriter.OFFSET, 13);
        rig.write(ByteWriter.LENGTH, 999);
        job(rig);
    }

    private static void umsgEcho(Rig rig) {
        Buffer flag = rig.buffer(1, 0);
        rig.fpga.triggerUmsg(
                0,
                rig.simulation.cycle(),
                rig.buffer(LINES, 1).lineAddress(),
                rig.buffer(LINES, 2).lineAddress(),
                LINES,
                flag.lineAddress());
        long before = flag.segment().get(ValueLayout.JAVA_LONG, 0);
        rig.await(() -> flag.segment().get(ValueLayout.JAVA_LONG, 0) != before);
        rig.settle();
    }
}
