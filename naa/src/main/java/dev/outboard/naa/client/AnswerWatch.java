package dev.outboard.naa.client;

import dev.outboard.naa.link.Link;

/// Notices when a large answer begins to arrive. Completions tell only its end; but a queue pair
/// counts the bytes it receives, and a client receives nothing between its inputs and the answer.
/// The count is looked at now and then, so the beginning is known to about a sixteenth of the time
/// waited, at best to 50 µs. Small answers are not worth it: they begin when they end.
final class AnswerWatch {
    private static final long WORTHWHILE_BYTES = 256 * 1024;
    private static final long MIN_SLICE_NANOS = 50_000;
    private static final long MAX_SLICE_NANOS = 1_000_000;
    private static final int SLICES = 16;

    private final ClientConnection connection;
    private final boolean worthwhile;
    private boolean watching;
    private boolean waiting;
    private long waitingSince;
    private long before;

    /// @param answerBytes of a successful RPC
    AnswerWatch(ClientConnection connection, long answerBytes) {
        this.connection = connection;
        worthwhile = answerBytes >= WORTHWHILE_BYTES;
    }

    /// An RPC starts.
    void start() {
        if (worthwhile) {
            before = connection.bytesReceived();
            watching = true;
            waiting = false;
        }
    }

    /// How long to wait before looking again.
    ///
    /// @param sent whether all inputs are with the server
    long sliceNanos(boolean sent) {
        if (!watching || !sent) {
            return Link.SLICE_NANOS;
        }
        long now = System.nanoTime();
        if (!waiting) {
            waiting = true;
            waitingSince = now;
        }
        return Math.clamp((now - waitingSince) / SLICES, MIN_SLICE_NANOS, MAX_SLICE_NANOS);
    }

    /// Whether the answer has begun since the last look; true once.
    boolean sees() {
        boolean begun = watching && connection.bytesReceived() > before;
        watching &= !begun;
        return begun;
    }
}
