package dev.outboard.naa;

/// A [NaaPool][dev.outboard.naa.client.NaaPool] had no session for a call: all are in use, or no
/// NAA can be reached. The message names each NAA and what it is doing. Nothing was called.
public final class NaaUnavailableException extends NaaException {
    private static final long serialVersionUID = 1;

    /// None was free in time.
    public NaaUnavailableException(Where where, String what) {
        super(where, what);
    }
}
