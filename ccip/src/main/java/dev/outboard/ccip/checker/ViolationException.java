package dev.outboard.ccip.checker;

/// A violation of CCI-P has stopped the run; see [ErrorPolicy].
public final class ViolationException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Report report;

    /// Stops the run for this report.
    public ViolationException(Report report) {
        super(report.toString());
        this.report = report;
    }

    /// What was violated, where and when.
    public Report report() {
        return report;
    }
}
