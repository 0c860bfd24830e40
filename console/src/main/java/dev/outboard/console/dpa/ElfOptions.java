package dev.outboard.console.dpa;

import dev.outboard.dpa.rv.BareRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Of `outboard dpa run`, the options for programs in RV64 code.
final class ElfOptions {
    static final String BARE = "--bare";
    static final String FUNCTION = "--function";
    static final String GDB = "--gdb";
    static final String INSTRUCTIONS = "--instructions";
    static final String LIMIT = "--limit";

    @Option(
            names = BARE,
            description =
                    "Run a static program in RV64IMAC code that knows nothing of the DPA, such as a"
                            + " test of the instruction set, until it ends by 'ecall' 93. Ends with its"
                            + " code.")
    boolean bare;

    @Option(
            names = FUNCTION,
            paramLabel = "NAME",
            description =
                    "Run that __dpa_rpc__ function of a DPA program in C, and print what it returns.")
    Optional<String> function = Optional.empty();

    @Option(
            names = GDB,
            paramLabel = "PORT",
            description =
                    "Wait for gdb on this port of 127.0.0.1, and let it operate the program, which"
                            + " runs in turns; 0 for any port that is free.")
    @Nullable Integer gdb;

    @Option(
            names = "--gdb-wait",
            paramLabel = "TIME",
            converter = TraceCommand.Time.class,
            defaultValue = "5min",
            description = "How long to wait for gdb, as 30s or 5min. Default: ${DEFAULT-VALUE}.")
    Duration gdbWait = Duration.ZERO;

    @Option(
            names = INSTRUCTIONS,
            paramLabel = "FILE",
            description =
                    "Write each instruction that runs to that file: the number of its thread, its"
                            + " address, symbol and line.")
    Optional<Path> instructions = Optional.empty();

    @Option(
            names = LIMIT,
            paramLabel = "COUNT",
            description =
                    "How many instructions a bare program may run before it is ended. Default: "
                            + BareRun.DEFAULT_LIMIT
                            + ".")
    long limit = BareRun.DEFAULT_LIMIT;

    /// Whether somebody follows the program, instruction by instruction.
    boolean follows() {
        return gdb != null || instructions.isPresent();
    }

    /// The port for gdb, if it may come.
    OptionalInt port() {
        return gdb == null ? OptionalInt.empty() : OptionalInt.of(gdb);
    }
}
