package dev.outboard.dpa.doca;

import dev.outboard.dpa.machine.Messages.Level;

/// How important what device code [logs][dev.outboard.dpa.doca.dev.DocaDpaDevLog] must be:
/// `doca_dpa_dev_log_level_t`. Each takes what those before it take, too.
public enum DocaDpaLogLevel {
    /// Nothing is logged.
    DISABLE(Level.NONE),
    /// Nothing works any more. What threads [print][dev.outboard.dpa.machine.DpaThread#print]
    /// counts as such.
    CRIT(Level.ALWAYS),
    /// Something has failed.
    ERROR(Level.ERROR),
    /// Something may be wrong.
    WARNING(Level.WARN),
    /// Something has happened.
    INFO(Level.INFO),
    /// For whoever looks for a mistake.
    DEBUG(Level.DEBUG);

    private final Level required;

    DocaDpaLogLevel(Level required) {
        this.required = required;
    }

    /// The same of a message stream.
    Level required() {
        return required;
    }
}
