package dev.outboard.peers;

/// Something that can be measured again and again. Used by one thread; between measurements it
/// leaves the processors alone.
interface Measured {
    /// Runs for about `nanos`.
    ///
    /// @return nanoseconds per round trip (the median), or messages or bytes per second
    double measure(long nanos) throws Exception;
}
