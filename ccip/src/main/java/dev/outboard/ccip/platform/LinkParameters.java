package dev.outboard.ccip.platform;

/// How fast one physical link is, in cycles of pClk: what TIMED mode makes of it.
///
/// CCIP-VC-10, CCIP-VC-6: latencies that a run may replace.
///
/// @param minimumLatency from the acceptance of a line to its response, at least
/// @param maximumLatency the same, at most
/// @param cyclesPerLine how long a line of a read or of a write occupies the link, in 1/256 of a
///   cycle
/// @param cyclesPerRequest what a request costs beside its lines, in 1/256 of a cycle
/// @param outstanding requests that may be on the link at a time, reads and writes each (CCI-P
///   manual 1.3.15)
public record LinkParameters(
        int minimumLatency,
        int maximumLatency,
        int cyclesPerLine,
        int cyclesPerRequest,
        int outstanding) {
    /// The unit of [#cyclesPerLine] and [#cyclesPerRequest].
    public static final int CYCLE = 256;

    public LinkParameters {
        if (minimumLatency < 1 || maximumLatency < minimumLatency || maximumLatency > 4096) {
            throw new IllegalArgumentException(
                    "A latency of "
                            + minimumLatency
                            + " to "
                            + maximumLatency
                            + " cycles; valid are 1 to 4096, the least first");
        }
        if (cyclesPerLine < 0 || cyclesPerRequest < 0) {
            throw new IllegalArgumentException(
                    "A line of "
                            + cyclesPerLine
                            + " and a request of "
                            + cyclesPerRequest
                            + " 1/256 cycles; valid are 0 and more");
        }
        if (outstanding < 1) {
            throw new IllegalArgumentException(
                    outstanding + " requests outstanding on a link; valid are 1 and more");
        }
    }
}
