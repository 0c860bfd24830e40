package dev.outboard.ccip.platform;

/// What becomes of requests that are outstanding when the port has seen a protocol error: they may
/// never complete (CCI-P manual 1.3.11).
public enum AfterError {
    /// All are answered.
    COMPLETE,
    /// None is answered any more.
    ABANDON,
    /// Some are answered, by seed.
    RANDOM
}
