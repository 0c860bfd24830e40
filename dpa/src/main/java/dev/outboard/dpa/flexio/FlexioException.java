package dev.outboard.dpa.flexio;

/// A call of FlexIO that did nothing, or did not end as it should.
@SuppressWarnings("serial") // Enums and text.
public final class FlexioException extends RuntimeException {
    private final Status status;
    private final Reason reason;

    /// What the native call returns.
    public enum Status {
        /// The call is refused, and nothing has changed.
        FAILED,
        /// It has taken too long. It may still take effect.
        TIMEOUT,
        /// The process has met a fatal error.
        FATAL_ERR
    }

    /// Why.
    public enum Reason {
        /// The device has no DPA.
        NOT_SUPPORTED,
        /// DPA-ERR-12: the heap has no hole that is large enough.
        NO_MEMORY,
        /// DPA-FXH-3, DPA-ERR-11: the address is not the start of a live block.
        NOT_A_BLOCK,
        /// DPA-FXH-4: the bytes do not lie in one live block.
        OUTSIDE_BLOCK,
        /// The function is none of the app of the process, or none of that kind.
        NOT_IN_APP,
        /// DPA-SYS-12: others still use the object.
        IN_USE,
        /// The object has been destroyed.
        DESTROYED,
        /// The call has come too late, or too early.
        WRONG_TIME,
        /// An argument has no meaning.
        BAD_ARGUMENT,
        /// DPA-HW-16: the process of the host has not the role for it.
        NOT_PERMITTED,
        /// The object belongs to another process or protection domain.
        FOREIGN,
        /// DPA-ERR-13: the process has ended by a fatal error.
        PROCESS_ENDED,
        /// DPA-SYS-3, DPA-ERR-24: the process of the host is closed.
        HOST_PROCESS_GONE,
        /// Nobody has done what the call waits for.
        NO_ANSWER
    }

    FlexioException(Status status, Reason reason, String text) {
        super(text);
        this.status = status;
        this.reason = reason;
    }

    /// A refusal.
    static FlexioException refuse(Reason reason, String text) {
        return new FlexioException(Status.FAILED, reason, text);
    }

    /// What the native call returns.
    public Status status() {
        return status;
    }

    /// Why.
    public Reason reason() {
        return reason;
    }
}
