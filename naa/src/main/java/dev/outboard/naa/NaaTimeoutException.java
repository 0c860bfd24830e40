package dev.outboard.naa;

/// Something took longer than its limit. After an RPC has timed out the client can only be closed:
/// a late result may still arrive in its regions until then.
public final class NaaTimeoutException extends NaaException {
    private static final long serialVersionUID = 1;

    /// The time is over.
    public NaaTimeoutException(Where where, String what) {
        super(where, what);
    }
}
