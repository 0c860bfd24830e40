package dev.outboard.ccip.checker;

/// What follows a violation of severity [Severity#ERROR].
public enum ErrorPolicy {
    /// The port behaves as hardware does (CCI-P manual 1.3.11): error wire, no new requests. What
    /// is wrong in the FIU itself (`FIU_…`) still stops the run.
    HARDWARE,
    /// The run stops with a [ViolationException].
    STOP,
    /// The report is kept, and the run goes on.
    LOG;

    /// CCIP-ERR-7: what holds unless a run says otherwise. Under test, which a JVM is that checks
    /// assertions (`-ea`), the run stops; otherwise the port behaves as hardware does.
    public static ErrorPolicy byDefault() {
        return ErrorPolicy.class.desiredAssertionStatus() ? STOP : HARDWARE;
    }
}
