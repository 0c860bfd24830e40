package dev.outboard.console.verbs;

/// The loops that measure how long one message takes. One thread.
final class LatencyTest {
    private final PerftestEnd end;
    private final int iterations;
    private final LatencyResult result;

    LatencyTest(PerftestEnd end, int iterations) {
        this.end = end;
        this.iterations = iterations;
        result = new LatencyResult(end.settings().bytes());
    }

    /// SENDs there and back; the client begins. A message takes half of it.
    LatencyResult bounceSends(boolean client) {
        long before = System.nanoTime();
        for (int i = 1; i <= iterations; i++) {
            if (client) {
                end.post();
            }
            end.awaitReceived(i);
            if (!client) {
                end.post();
            }
            before = addHalf(before);
            end.awaitSent(i);
        }
        return result;
    }

    /// WRITEs there and back, noticed by their last byte; the server begins. A message takes half
    /// of it.
    LatencyResult bounceWrites(boolean client) {
        long before = System.nanoTime();
        for (int i = 1; i <= iterations; i++) {
            if (client) {
                end.awaitMark((byte) i);
            }
            end.mark((byte) i);
            end.post();
            if (!client) {
                end.awaitMark((byte) i);
            }
            before = addHalf(before);
            end.awaitSent(i);
        }
        return result;
    }

    /// READs or atomics, one after the other.
    LatencyResult fetch() {
        for (int i = 1; i <= iterations; i++) {
            long before = System.nanoTime();
            end.post();
            end.awaitSent(i);
            result.add(System.nanoTime() - before);
        }
        return result;
    }

    private long addHalf(long before) {
        long now = System.nanoTime();
        result.add((now - before) / 2);
        return now;
    }
}
