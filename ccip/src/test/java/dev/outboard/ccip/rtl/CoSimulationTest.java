package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.trace.TransactionLog;
import dev.outboard.ccip.trace.VcdWriter;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// AFUs in SystemVerilog behind the same FIU, checker and host as those in Java.
class CoSimulationTest {
    private static final long ENOUGH = 2_000_000;
    private static final int LINES = 1000;

    /// What travels in each cycle in which something does.
    private static final class Trace implements Monitor {
        private final boolean everyCycle;
        private final List<String> lines = new ArrayList<>();

        Trace(boolean everyCycle) {
            this.everyCycle = everyCycle;
        }

        @Override
        public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
            if (tx.c0.valid || tx.c1.valid || tx.c2.mmioRdValid) {
                lines.add(
                        cycle
                                + " tx "
                                + (tx.c0.valid ? tx.c0.hdrLow : 0)
                                + " "
                                + (tx.c1.valid ? tx.c1.hdrLow + tx.c1.data[0] : 0)
                                + " "
                                + (tx.c2.mmioRdValid ? tx.c2.data : 0));
            }
            if (rx.c0.rspValid || rx.c1.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid) {
                lines.add(cycle + " rx " + rx.c0.hdr + " " + rx.c1.hdr);
            }
        }

        @Override
        public long nextCycle(long cycle) {
            return everyCycle ? cycle + 1 : Long.MAX_VALUE;
        }
    }

    private static Simulation simulation(Afu afu, Mode mode, long seed) {
        return Simulation.of(Profile.PAC_A10, afu).mode(mode).seed(seed).build();
    }

    private static VerilatedDesign compiled(String example) throws IOException {
        return Verilator.build().compile(Verilator.example(example));
    }

    /// The host program of hello: what it finds of the AFU, and the line that it gets.
    private static String greeting(Afu afu, Mode mode) {
        try (Fpga fpga = Fpga.open(simulation(afu, mode, 3), Hello.AFU_ID);
                Buffer buffer = fpga.prepareBuffer(4096)) {
            fpga.writeMmio64(JobRegisters.SCRATCH, 0x1122_3344_5566_7788L);
            MemorySegment line = buffer.segment();
            fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress());
            fpga.waitUntil(() -> line.get(ValueLayout.JAVA_BYTE, 0) != 0, ENOUGH);
            return Long.toHexString(fpga.readMmio64(JobRegisters.SCRATCH))
                    + " "
                    + Long.toHexString(fpga.readMmio64(0x18))
                    + " "
                    + fpga.features().features()
                    + line.getString(0);
        }
    }

    @Requirement({"CCIP-MOD-3", "CCIP-RTL-9"})
    @ParameterizedTest
    @EnumSource(Mode.class)
    void helloInSystemVerilogAndInJavaAreTheSameToAHostProgram(Mode mode) throws IOException {
        try (VerilatedAfu afu = compiled("hello").open(Profile.PAC_A10, 1)) {
            assertThat(greeting(afu, mode))
                    .isEqualTo(greeting(new Hello(), mode))
                    .contains("1122334455667788 0 ")
                    .endsWith("Hello world!");
        }
    }

    /// The host program of a copy: the buffer it ends with.
    private static byte[] copied(Simulation simulation) {
        try (Fpga fpga = Fpga.open(simulation);
                Buffer source = fpga.prepareBuffer(LINES * 64L);
                Buffer destination = fpga.prepareBuffer(LINES * 64L + 128)) {
            SplittableRandom random = new SplittableRandom(5);
            for (long at = 0; at < source.segment().byteSize(); at += 8) {
                source.segment().set(ValueLayout.JAVA_LONG, at, random.nextLong());
            }
            fpga.writeMmio64(JobRegisters.SOURCE, source.lineAddress());
            fpga.writeMmio64(JobRegisters.DESTINATION, destination.lineAddress() + 1);
            fpga.writeMmio64(JobRegisters.LINES, LINES - 1);
            fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
            fpga.waitUntil(() -> fpga.readMmio64(JobRegisters.STATUS) == JobRegisters.DONE, ENOUGH);
            MemorySegment wanted = source.segment().asSlice(0, (LINES - 1) * 64L);
            MemorySegment found = destination.segment().asSlice(64, (LINES - 1) * 64L);
            assertThat(wanted.mismatch(found)).isEqualTo(-1);
            return destination.segment().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Requirement({"CCIP-MOD-3", "CCIP-RTL-9"})
    @Test
    void copyInSystemVerilogAndInJavaAreTheSameToAHostProgram() throws IOException {
        try (VerilatedAfu afu = compiled("copy").open(Profile.PAC_A10, 1)) {
            byte[] fromSystemVerilog = copied(simulation(afu, Mode.TIMED, 4));
            byte[] fromJava = copied(simulation(new MemoryCopy(), Mode.TIMED, 4));
            assertThat(fromSystemVerilog).isEqualTo(fromJava);
        }
    }

    @Requirement("CCIP-MOD-5")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void theSameSeedGivesTheSameTrace(Mode mode) throws IOException {
        assertThat(traceOfCopy(mode, false, 1)).isEqualTo(traceOfCopy(mode, false, 2));
    }

    @Requirement({"CCIP-MOD-5", "CCIP-MOD-8", "CCIP-RTL-6"})
    @ParameterizedTest
    @EnumSource(Mode.class)
    void theSameSeedGivesTheSameLogAndWavesByteForByte(Mode mode) throws IOException {
        Traces first = tracesOfCopy(mode, 1);
        assertThat(tracesOfCopy(mode, 1).equals(first)).isTrue();
        Traces other = tracesOfCopy(mode, 2);
        assertThat(other.log).isNotEqualTo(first.log);
        assertThat(other.waves).isNotEqualTo(first.waves);
    }

    private record Traces(String log, String waves) {}

    private static Traces tracesOfCopy(Mode mode, long seed) throws IOException {
        StringBuilder log = new StringBuilder();
        ByteArrayOutputStream waves = new ByteArrayOutputStream();
        try (VerilatedAfu afu = compiled("copy").open(Profile.PAC_A10, seed);
                VcdWriter writer = new VcdWriter(waves, Profile.PAC_A10)) {
            Simulation simulation = simulation(afu, mode, seed);
            simulation.monitor(writer);
            simulation.monitor(TransactionLog.to(log));
            copied(simulation);
        }
        assertThat(log.length()).isGreaterThan(100 * LINES);
        assertThat(waves.size()).isGreaterThan(100 * LINES);
        return new Traces(log.toString(), waves.toString(StandardCharsets.ISO_8859_1));
    }

    @Requirement("CCIP-RTL-3")
    @Test
    void quietCyclesInBulkGiveTheSameTrace() throws IOException {
        assertThat(traceOfCopy(Mode.TIMED, false, 1)).isEqualTo(traceOfCopy(Mode.TIMED, true, 1));
    }

    /// CCIP-CLK-6: twice as fast, the same cycles.
    @Requirement("CCIP-CLK-6")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void theFrequencyOfPClkChangesNothingInAnyCycle(Mode mode) throws IOException {
        Profile slow = Profile.PAC_A10;
        Profile fast = slow.withPClkMegahertz(2 * slow.pClkMegahertz());
        assertThat(traceOfCopy(fast, mode, true, 1)).isEqualTo(traceOfCopy(slow, mode, true, 1));
    }

    private static List<String> traceOfCopy(Mode mode, boolean everyCycle, long contents)
            throws IOException {
        return traceOfCopy(Profile.PAC_A10, mode, everyCycle, contents);
    }

    private static List<String> traceOfCopy(
            Profile profile, Mode mode, boolean everyCycle, long contents) throws IOException {
        Trace trace = new Trace(everyCycle);
        try (VerilatedAfu afu = compiled("copy").open(profile, contents)) {
            Simulation simulation = Simulation.of(profile, afu).mode(mode).seed(6).build();
            // Enough for the reset, in which a port means nothing.
            simulation.step(20);
            simulation.monitor(trace);
            copied(simulation);
        }
        assertThat(trace.lines).hasSizeGreaterThan(1000);
        return trace.lines;
    }

    @Requirement({"CCIP-RTL-6", "CCIP-RTL-7"})
    @ParameterizedTest
    @EnumSource(Mode.class)
    void theExamplesDependOnNoUnsetRegisterAndHaveNoCombinationalPath(Mode mode)
            throws IOException {
        try (VerilatedAfu afu = compiled("copy").open(Profile.PAC_A10, 1)) {
            Simulation simulation = simulation(afu, mode, 7);
            try (RtlCheck check = new RtlCheck(afu, simulation.checker())) {
                simulation.monitor(check);
                copied(simulation);
            }
            assertThat(simulation.checker().reports()).isEmpty();
        }
    }

    @Requirement("CCIP-MOD-9")
    @Test
    void theCheckerNamesTheSeededBug() throws IOException {
        int[] beats = new int[2];
        try (VerilatedAfu afu = compiled("seeded_bug").open(Profile.PAC_A10, 1)) {
            Simulation simulation =
                    Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.LOG).build();
            simulation.monitor((cycle, tx, rx, answers) -> {
                beats[0] = rx.c1TxAlmFull ? beats[0] + (tx.c1.valid ? 1 : 0) : 0;
                beats[1] = Math.max(beats[1], beats[0]);
            });
            try (Fpga fpga = Fpga.open(simulation);
                    Buffer buffer = fpga.prepareBuffer(8 * LINES * 64L)) {
                fpga.writeMmio64(JobRegisters.DESTINATION, buffer.lineAddress());
                fpga.writeMmio64(JobRegisters.LINES, 8 * LINES);
                fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
                fpga.step(20_000);
            }
            assertThat(beats[1]).as("beats under almost-full").isGreaterThan(10);
            assertThat(simulation.checker().reports())
                    .filteredOn(report -> report.severity() == Severity.ERROR)
                    .isNotEmpty()
                    .allMatch(report -> report.violation() == Violation.C1TX_ALMFULL_OVERRUN);
        }
    }
}
