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
    /// In a kernel of a data-path accelerator.
    DPA;

    /// As it is written.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
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
