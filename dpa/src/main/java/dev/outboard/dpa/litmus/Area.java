package dev.outboard.dpa.litmus;

import java.util.Locale;

/// DPA-MEM-5: where a variable lies. All but [#EXTERNAL] is DPA memory.
public enum Area {
    /// The heap of the process.
    HEAP,
    /// Its globals: MEMORY, but not HEAP.
    GLOBALS,
    /// The stack of a thread: MEMORY, but not HEAP.
    STACK,
    /// Memory outside the process, which threads reach through a window.
    EXTERNAL;

    /// The word of the text form.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
