package dev.outboard.console.verbs;

/// The loops that measure how many messages go one way. One thread.
final class BandwidthTest {
    /// Messages over which the fastest stretch is looked for.
    private static final int STRETCH = 100;

    private final PerftestEnd end;
    private final int iterations;

    BandwidthTest(PerftestEnd end, int iterations) {
        this.end = end;
        this.iterations = iterations;
    }

    /// Posts requests, as many at a time as there may be outstanding.
    BandwidthResult stream() {
        long[] completed = new long[iterations + 1];
        completed[0] = System.nanoTime();
        int posted = 0;
        while (end.sent() < iterations) {
            while (posted < iterations && posted - end.sent() < end.settings().sendDepth()) {
                end.post();
                posted++;
            }
            int before = end.sent();
            end.awaitSent(before + 1);
            end.poll();
            long now = System.nanoTime();
            for (int i = before + 1; i <= end.sent(); i++) {
                completed[i] = now;
            }
        }
        return result(completed);
    }

    /// Receives what the peer streams.
    BandwidthResult receive() {
        long[] completed = new long[iterations + 1];
        completed[0] = System.nanoTime();
        for (int i = 1; i <= iterations; i++) {
            end.awaitReceived(i);
            completed[i] = System.nanoTime();
        }
        return result(completed);
    }

    private BandwidthResult result(long[] completed) {
        int stretch = Math.min(STRETCH, iterations);
        long fastest = Long.MAX_VALUE;
        for (int i = stretch; i <= iterations; i++) {
            fastest = Math.min(fastest, completed[i] - completed[i - stretch]);
        }
        long whole = Math.max(1, completed[iterations] - completed[0]);
        return BandwidthResult.of(
                end.settings().bytes(),
                iterations,
                Math.max(1, fastest) / (double) stretch,
                whole / (double) iterations);
    }
}
