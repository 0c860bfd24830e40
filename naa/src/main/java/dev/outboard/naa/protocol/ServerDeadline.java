package dev.outboard.naa.protocol;

import java.time.Duration;
import java.util.Optional;

/// What a server waits for its client to do, and until when. The time is a parameter, as
/// [System#nanoTime] counts it.
final class ServerDeadline {
    private final ServerSettings settings;
    private final Timer timer = new Timer();
    private Awaited awaited = Awaited.REGIONS;

    /// What the client has not done in time.
    ///
    /// @param text for people, with the limit
    record Overdue(ServerCounter counter, String text) {}

    private enum Awaited {
        REGIONS(ServerCounter.SETUP_TIME, "the client did not ask for regions within %s"),
        ACKNOWLEDGEMENT(ServerCounter.TRANSFER_TIME, "the client did not take an answer within %s"),
        RPC(ServerCounter.IDLE_TIME, "the client made no RPC within %s");

        private final ServerCounter counter;
        private final String text;

        Awaited(ServerCounter counter, String text) {
            this.counter = counter;
            this.text = text;
        }
    }

    ServerDeadline(ServerSettings settings) {
        this.settings = settings;
    }

    /// The client is to ask for its regions.
    void awaitRegions(long nowNanos) {
        set(Awaited.REGIONS, settings.setupLimit(), nowNanos);
    }

    /// The client is to take what it is sent.
    void awaitAcknowledgement(long nowNanos) {
        set(Awaited.ACKNOWLEDGEMENT, settings.transferLimit(), nowNanos);
    }

    /// The client is to call.
    void awaitRpc(long nowNanos) {
        set(Awaited.RPC, settings.idleLimit(), nowNanos);
    }

    /// Nothing is awaited.
    void clear() {
        timer.clear();
    }

    private void set(Awaited what, Duration limit, long nowNanos) {
        awaited = what;
        timer.set(nowNanos, limit);
    }

    /// What the client should have done by now; told once.
    Optional<Overdue> overdue(long nowNanos) {
        if (!timer.isDue(nowNanos)) {
            return Optional.empty();
        }
        timer.clear();
        String text = awaited.text.formatted(timer.delay());
        return Optional.of(new Overdue(awaited.counter, text));
    }

    /// The nanoseconds until [#overdue] has something to tell; huge if nothing is awaited.
    long nanosLeft(long nowNanos) {
        return timer.nanosLeft(nowNanos);
    }
}
