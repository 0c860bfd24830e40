package dev.outboard.node.offload;

import java.util.Locale;

/// What the node's own programs of the DPA are written in: there is each of them in both.
public enum KernelLanguage {
    /// They are there.
    JAVA,
    /// They are compiled when the node starts, which takes clang and lld.
    C;

    /// As it is written.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
