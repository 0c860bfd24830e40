package dev.outboard.console.afu;

import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.InitialValues;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of 'afu run'.
final class RunOptions {
    @Option(
            names = "--program",
            paramLabel = "PROGRAM",
            description = {
                "What the host does: ${COMPLETION-CANDIDATES}. Default that of the example, else"
                        + " discover.",
                "'hello' writes a line address to register 0x40 and waits for text there. 'job' and"
                        + " 'copy' write source, destination and number of lines to 0x40, 0x48 and"
                        + " 0x50, 1 to 0x58, and wait for bit 0 of 0x60."
            })
    @Nullable HostProgram program;

    @Option(
            names = "--platform",
            paramLabel = "NAME",
            converter = PlatformName.class,
            completionCandidates = PlatformName.class,
            description =
                    "One of ${COMPLETION-CANDIDATES}; default the first that the program needs.")
    @Nullable Profile platform;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "timed as hardware usually is, or adversarial: any order that CCI-P allows."
                            + " Default timed.")
    Mode mode = Mode.TIMED;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Where all chance comes from, default 1.")
    long seed = 1;

    @Option(
            names = "--cycles",
            paramLabel = "N",
            description = "The program has to be done by cycle N, default 10000000.")
    long limit = 10_000_000;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description =
                    "After a protocol error: log and go on, stop, or do as hardware does. Default"
                            + " log.")
    ErrorPolicy policy = ErrorPolicy.LOG;

    @Option(
            names = "--lines",
            paramLabel = "N",
            description = "How many lines of 64 bytes the AFU works on, default 256.")
    int lines = 256;

    @Option(names = "--in", paramLabel = "FILE", description = "What the AFU reads.")
    @Nullable Path input;

    @Option(names = "--out", paramLabel = "FILE", description = "Where to put what it wrote.")
    @Nullable Path output;

    @Option(
            names = "--vcd",
            paramLabel = "FILE",
            description = "Write waveforms of the port for GTKWave.")
    @Nullable Path waves;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Write all transactions, for 'outboard afu trace' and other programs.")
    @Nullable Path log;

    @Option(
            names = "--almost-full",
            paramLabel = "FROM-TO",
            converter = CycleRange.Converter.class,
            description =
                    "Run once for each of these cycles, with almost-full raised on both channels"
                            + " from there on for 64 cycles: some AFUs are wrong in one cycle only.")
    @Nullable CycleRange almostFull;

    @Option(
            names = "--init",
            paramLabel = "VALUES",
            converter = InitOption.Converter.class,
            description =
                    "What registers and memories of a design in SystemVerilog hold at first: zero,"
                            + " as on most boards, random, or random by a seed of their own, a"
                            + " number. Default random, by --seed.")
    @Nullable InitOption init;

    InitialValues initialValues() {
        return init == null ? InitialValues.random(seed) : init.values(seed);
    }
}
