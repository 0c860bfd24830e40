package dev.outboard.doca.rdma;

import java.time.Duration;

/// When a context looks for connections whose peers are silent, to ask whether they are there.
final class KeepAlive {
    /// Looks while a connection may be silent.
    private static final int LOOKS = 4;

    private long silenceNanos;
    private long nextNanos;

    /// Begins; with ZERO it never looks.
    void begin(Duration silence) {
        silenceNanos = silence.toNanos();
        nextNanos = System.nanoTime();
    }

    boolean isOn() {
        return silenceNanos > 0;
    }

    boolean isTimeToLook() {
        return isOn() && System.nanoTime() - nextNanos >= 0;
    }

    /// Asks the peers of the connections that were silent for too long, if it is time to.
    ///
    /// @return how many
    int look(Connections connections) {
        if (!isTimeToLook()) {
            return 0;
        }
        long now = System.nanoTime();
        nextNanos = now + lookAgainNanos();
        return connections.probe(now, silenceNanos);
    }

    /// How long until it may be time to look again.
    long lookAgainNanos() {
        return isOn() ? silenceNanos / LOOKS : Long.MAX_VALUE;
    }
}
