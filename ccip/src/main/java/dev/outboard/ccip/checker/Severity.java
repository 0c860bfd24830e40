package dev.outboard.ccip.checker;

/// How much a violation matters. Each has a default; [Checker#severity] sets another.
public enum Severity {
    /// Neither counted nor reported.
    OFF,
    /// Counted, and reported to who asks for it.
    INFO,
    /// Legal at the port, but very likely a defect.
    WARNING,
    /// A protocol error (CCI-P manual 1.3.11): the FIU raises `pck_cp2af_error`.
    ERROR
}
