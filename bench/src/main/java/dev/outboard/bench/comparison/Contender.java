package dev.outboard.bench.comparison;

import java.time.Duration;

/// One side of a comparison: ours, a floor or a peer. Used by one thread; between measurements it
/// leaves the processors to the others.
public interface Contender extends AutoCloseable {
    /// What the report calls it.
    String name();

    /// The command that would make it available; empty if it is.
    default String remedy() {
        return "";
    }

    /// Measures for about `time`.
    ///
    /// @return nanoseconds, bytes per second or messages per second, as the work wants it
    /// @throws MeasurementException if there is no result; the others go on
    double measure(Duration time);

    @Override
    default void close() {}

    /// Why a contender has no result in a round.
    final class MeasurementException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /// There is no result because of `message`.
        public MeasurementException(String message) {
            super(message);
        }
    }
}
