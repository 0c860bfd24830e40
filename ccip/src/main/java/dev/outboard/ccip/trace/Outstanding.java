package dev.outboard.ccip.trace;

/// The lines that are under way on one channel, and how long each took.
final class Outstanding {
    /// More requests than an FIU has under way.
    private static final int REQUESTS = 1 << 16;

    private final long[] since = new long[REQUESTS];
    private final CycleHistogram latency = new CycleHistogram();
    private long lines;
    private long mostLines;
    private long lineCycles;
    private long answered;

    /// So many cycles passed with what is under way.
    void pass(long cycles) {
        lineCycles += lines * cycles;
    }

    void request(long number, long cycle, int count) {
        since[(int) number & REQUESTS - 1] = cycle;
        lines += count;
        mostLines = Math.max(mostLines, lines);
    }

    void answer(long number, long cycle, int count) {
        latency.add(cycle - since[(int) number & REQUESTS - 1]);
        lines = Math.max(0, lines - count);
        answered += count;
    }

    /// A reset forgets what is under way.
    void reset() {
        lines = 0;
    }

    CycleHistogram latency() {
        return latency;
    }

    long answered() {
        return answered;
    }

    long mostLines() {
        return mostLines;
    }

    double meanLines(long cycles) {
        return cycles == 0 ? 0 : (double) lineCycles / cycles;
    }
}
