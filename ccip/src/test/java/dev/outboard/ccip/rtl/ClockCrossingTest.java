package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The example `copy` with its port on a clock that its JSON file asks for.
class ClockCrossingTest {
    private static final int LINES = 1500;

    private static VerilatedDesign onClock(String clock) throws IOException {
        Path example = Repository.root().resolve("examples/afu/copy");
        Path directory = Repository.root().resolve("ccip/target/rtl/crossing-" + clock);
        Files.createDirectories(directory);
        String json =
                Files.readString(example.resolve("copy.json"))
                        .replaceFirst(
                                "\"afu-top-interface\"\\s*:\\s*\\{[^}]*}",
                                """
                                "afu-top-interface": {"class": "ccip_std_afu", "module-ports":
                                  [{"class": "cci-p", "params": {"clock": "%s"}}]}
                                """
                                        .formatted(clock));
        String source =
                Files.readString(example.resolve("ccip_std_afu.sv"))
                        .replace("posedge pClk)", "posedge `PLATFORM_PARAM_CCI_P_CLOCK)")
                        .replace(".clk(pClk)", ".clk(`PLATFORM_PARAM_CCI_P_CLOCK)")
                        .replace(
                                "import ccip_if_pkg",
                                "`include \"platform_if.vh\"\nimport ccip_if_pkg");
        assertThat(json).contains(clock);
        assertThat(source).contains("posedge `PLATFORM", ".clk(`PLATFORM");
        return Verilator.build()
                .compile(
                        RtlDesign.of(
                                Files.writeString(directory.resolve("copy.json"), json),
                                Files.copy(
                                        example.resolve("copy_engine.sv"),
                                        directory.resolve("copy_engine.sv"),
                                        StandardCopyOption.REPLACE_EXISTING),
                                Files.writeString(directory.resolve("ccip_std_afu.sv"), source)));
    }

    /// More lines than the crossing holds, against a host that makes almost-full rise: each
    /// arrives, and no side sends more than the other takes.
    @Requirement({"CCIP-RTL-14a", "CCIP-RTL-14b", "CCIP-RTL-14c"})
    @ParameterizedTest
    @CsvSource({"pClkDiv2", "pClkDiv4", "uClk_usr", "uClk_usrDiv2"})
    void aCopyOnAnotherClockIsWholeAndKeepsTheRules(String clock) throws IOException {
        VerilatedDesign design = onClock(clock);
        for (Mode mode : Mode.values()) {
            try (VerilatedAfu afu = design.open(Profile.PAC_A10, 2)) {
                Simulation simulation =
                        Simulation.of(Profile.PAC_A10, afu).mode(mode).seed(2).build();
                simulation.raiseAlmostFull(Channel.TX_C0, cycle -> cycle % 1000 > 900);
                simulation.raiseAlmostFull(Channel.TX_C1, cycle -> cycle % 1000 > 900);
                try (RtlCheck check = new RtlCheck(afu, simulation.checker())) {
                    simulation.monitor(check);
                    copy(simulation);
                }
                assertThat(simulation.checker().reports()).isEmpty();
                assertThat(simulation.checker().count(Violation.C1TX_ALMFULL_OVERRUN)).isZero();
            }
        }
    }

    private static void copy(Simulation simulation) {
        try (Fpga fpga = Fpga.open(simulation);
                Buffer source = fpga.prepareBuffer(LINES * 64L);
                Buffer destination = fpga.prepareBuffer(LINES * 64L)) {
            SplittableRandom random = new SplittableRandom(5);
            for (long at = 0; at < source.segment().byteSize(); at += 8) {
                source.segment().set(ValueLayout.JAVA_LONG, at, random.nextLong());
            }
            fpga.writeMmio64(JobRegisters.SOURCE, source.lineAddress());
            fpga.writeMmio64(JobRegisters.DESTINATION, destination.lineAddress());
            fpga.writeMmio64(JobRegisters.LINES, LINES);
            fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
            fpga.waitUntil(
                    () -> fpga.readMmio64(JobRegisters.STATUS) == JobRegisters.DONE, 2_000_000);
            MemorySegment wanted = source.segment().asSlice(0, LINES * 64L);
            assertThat(wanted.mismatch(destination.segment().asSlice(0, LINES * 64L)))
                    .isEqualTo(-1);
        }
    }
}
