package dev.outboard.dpa.checker;

import java.util.Locale;

/// How much a finding matters.
public enum Severity {
    /// Worth knowing; nothing can go wrong.
    NOTE,
    /// Right by luck, or by what must not be relied on.
    WARNING,
    /// Goes wrong on some machine at some time.
    ERROR;

    /// As reports spell it.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
