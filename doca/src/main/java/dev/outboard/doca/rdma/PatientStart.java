package dev.outboard.doca.rdma;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/// Tells the log, once, that a context waits for its only connection: nothing else would explain
/// why a program hangs that waits for RUNNING before it exports, as one may that was written for
/// mode OPEN.
final class PatientStart {
    static final long PATIENCE_NANOS = Duration.ofSeconds(2).toNanos();

    private static final Logger LOGGER = System.getLogger(Rdma.class.getName());

    private long startNanos;
    private boolean isTold = true;

    /// It starts now.
    void begin() {
        startNanos = System.nanoTime();
        isTold = false;
    }

    /// It waits no longer.
    void end() {
        isTold = true;
    }

    boolean isTold() {
        return isTold;
    }

    boolean isTimeToLook() {
        return !isTold && System.nanoTime() - startNanos >= PATIENCE_NANOS;
    }

    /// `rdma` still waits.
    void look(Rdma rdma) {
        if (isTimeToLook()) {
            isTold = true;
            LOGGER.log(
                    Level.WARNING,
                    "{0} is STARTING for {1} s: in mode GATED it is RUNNING once its connection is;"
                            + " export() it, carry its details() to the peer and connect() it to the"
                            + " peer''s, or choose connectionMode(OPEN)",
                    rdma,
                    Duration.ofNanos(PATIENCE_NANOS).toSeconds());
        }
    }
}
