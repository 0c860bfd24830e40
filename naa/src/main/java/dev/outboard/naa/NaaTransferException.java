package dev.outboard.naa;

import dev.outboard.fabric.CompletionStatus;

/// A SEND, WRITE or receive completed with an error; the connection is lost.
public final class NaaTransferException extends NaaException {
    private static final long serialVersionUID = 1;

    private final CompletionStatus status;

    /// A work request that ended with `status`.
    public NaaTransferException(Where where, CompletionStatus status, String what) {
        super(where, what);
        this.status = status;
    }

    /// How the work request ended.
    public CompletionStatus status() {
        return status;
    }
}
