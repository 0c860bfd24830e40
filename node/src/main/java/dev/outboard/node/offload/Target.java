package dev.outboard.node.offload;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// Where a routine runs.
public enum Target {
    /// On a worker of the node.
    CPU,
    /// In a function of an FPGA, behind a CCI-P port.
    AFU,
    /// In a kernel of a data-path accelerator, which the node launches for each RPC.
    DPA,
    /// In a handler of a data-path accelerator, which the RPC itself activates and which answers
    /// it.
    DPA_HANDLER,
    /// In a function of an FPGA that a handler of a data-path accelerator drives.
    CHAIN;

    /// Whether the processors of the node see nothing of an RPC.
    public boolean isDataPath() {
        return this == DPA_HANDLER || this == CHAIN;
    }

    /// Whether a program of a data-path accelerator takes part.
    public boolean hasDpaProgram() {
        return this == DPA || isDataPath();
    }

    /// As it is written.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The target that is written so.
    ///
    /// @throws IllegalArgumentException if there is none
    public static Target of(String word) {
        return Arrays.stream(values())
                .filter(target -> target.word().equals(word))
                .findAny()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "target '%s'; valid: %s".formatted(word, words())));
    }

    private static String words() {
        return Arrays.stream(values()).map(Target::word).collect(Collectors.joining(", "));
    }
}
