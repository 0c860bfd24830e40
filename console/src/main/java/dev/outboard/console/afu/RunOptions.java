package dev.outboard.console.afu;

import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.InitialValues;
import dev.outboard.ccip.wire.Line;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The options of 'afu run'.
final class RunOptions {
    private static final int MOST_LINES = Integer.MAX_VALUE / Line.BYTES;

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
            names = "--model",
            paramLabel = "MODEL",
            description =
                    "How much order memory traffic has: manual, what CCI-P promises, or measured,"
                            + " what an integrated platform was found to keep. Default manual.")
    MemoryModel model = MemoryModel.MANUAL;

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
                    "After a protocol error: log and go on, stop, or do as hardware does, which"
                            + " raises pck_cp2af_error and takes no more requests. Default"
                            + " hardware.")
    ErrorPolicy policy = ErrorPolicy.HARDWARE;

    @Option(
            names = "--mmio-timeout",
            paramLabel = "CYCLES",
            description =
                    "Within how many cycles the AFU has to answer an MMIO read: 65536 by default,"
                            + " as in ccip_if_pkg of today, 512 in older ones.")
    int mmioTimeout = Profile.MMIO_TIMEOUT;

    @Option(
            names = "--severity",
            paramLabel = "VIOLATION=LEVEL",
            description =
                    "How much a violation matters: error, warning, info or off; may be repeated."
                            + " Off unless set are C0TX_ADDR_ZERO and C1TX_ADDR_ZERO, requests to"
                            + " line 0, and C1TX_BEAT_FIELD_CHANGED, later beats whose vc_sel,"
                            + " cl_len or mdata are not those of the first.")
    Map<Violation, Severity> severities = new EnumMap<>(Violation.class);

    @Option(
            names = "--flag",
            paramLabel = "BUFFER:LINE",
            converter = FlagLine.Converter.class,
            description =
                    "The AFU announces data by writing this line of the buffer it reads ('source')"
                            + " or writes ('destination'), from 0: report the write if no fence is"
                            + " before it. May be repeated.")
    List<FlagLine> flags = new ArrayList<>();

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
            names = "--vcd-inside",
            paramLabel = "LEVELS",
            description =
                    "Put the signals inside a design in SystemVerilog beside the port, of so many"
                            + " levels of modules: 1 for the top module alone, 99 for all. The"
                            + " design is compiled for it apart.")
    int wavesInside;

    @Option(
            names = "--vcd-on-error",
            description =
                    "Begin the waveforms when pck_cp2af_error rises, with the 256 cycles before it;"
                            + " without an error there is no file.")
    boolean wavesOnError;

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
                    "Run three times for each of these cycles, with almost-full raised from there"
                            + " on for 64 cycles on Tx C0, on Tx C1 and on both: some AFUs are"
                            + " wrong in one cycle or on one channel only.")
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

    /// Refuses what does not fit together or is out of range.
    ///
    /// @param compiles whether the AFU is a design in SystemVerilog
    void check(CommandLine command, boolean compiles) {
        require(
                command,
                lines >= 2 && lines <= MOST_LINES,
                lines + " lines; valid are 2 to " + MOST_LINES);
        require(
                command,
                mmioTimeout >= 1,
                "--mmio-timeout " + mmioTimeout + "; valid are 1 and more");
        require(
                command,
                !wavesOnError || (waves != null && policy == ErrorPolicy.HARDWARE),
                "--vcd-on-error needs --vcd FILE and --policy hardware");
        require(
                command,
                almostFull == null || (waves == null && log == null),
                "--almost-full makes many runs, and --vcd and --log keep one: leave them out");
        require(
                command,
                wavesInside >= 0,
                "--vcd-inside " + wavesInside + "; valid are 1 and more");
        require(
                command,
                wavesInside == 0 || (waves != null && compiles),
                "--vcd-inside needs --vcd FILE and a design in SystemVerilog");
        require(
                command,
                wavesInside == 0 || !wavesOnError,
                "--vcd-inside and --vcd-on-error: nobody keeps what was inside the design before the"
                        + " error; take one of them");
    }

    private static void require(CommandLine command, boolean holds, String message) {
        if (!holds) {
            throw new ParameterException(command, message);
        }
    }

    InitialValues initialValues() {
        return init == null ? InitialValues.random(seed) : init.values(seed);
    }
}
