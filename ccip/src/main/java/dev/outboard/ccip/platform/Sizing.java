package dev.outboard.ccip.platform;

/// How much an AFU keeps in flight on a channel for its full bandwidth: advice for the size of its
/// buffers, no limit (CCI-P manual 1.3.15; the lines are those of the public platform database).
///
/// @param leastRequests with fewer requests outstanding the link is not busy all the time
/// @param mostRequests more requests outstanding gain nothing
/// @param readLines lines of reads in flight for the highest bandwidth
/// @param writeLines lines of writes in flight for the highest bandwidth
public record Sizing(int leastRequests, int mostRequests, int readLines, int writeLines) {
    /// CCIP-PLT-24, CCIP-GUI-6: lines under way for full bandwidth.
    static final Sizing UPI = new Sizing(128, 256, 512, 256);

    static final Sizing PCIE = new Sizing(64, 64, 256, 128);

    /// The lines of reads that all links of a platform can use together.
    private static final int MOST_LINES = 512;

    Sizing plus(Sizing other) {
        return new Sizing(
                leastRequests + other.leastRequests,
                mostRequests + other.mostRequests,
                Math.min(MOST_LINES, readLines + other.readLines),
                Math.min(MOST_LINES, writeLines + other.writeLines));
    }
}
