package dev.outboard.naa.server;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/// What a client does with its place, and for how long: whether it must give it up when others want
/// it.
///
/// @param use what it does; those that deserve the place least come first
/// @param nanos for how long
record Standing(Use use, long nanos) {
    /// What an honest client's handshake, request or acknowledgement takes at most, when others
    /// want its place.
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /// What a client does with its place.
    enum Use {
        /// It has not finished its handshake.
        HALF_OPEN,
        /// It is connected and has not asked for regions.
        NO_REGIONS,
        /// It does not acknowledge what it is sent.
        STALLED,
        /// It has its regions and calls nothing.
        IDLE,
        /// It is served.
        BUSY
    }

    /// Who gives up the place: of those that do the least with it the one that has for longest.
    ///
    /// @param idleLimit for how long a client may call nothing; zero for ever
    /// @return empty if all use their places
    static <T> Optional<T> leastDeserving(
            Collection<T> all, Function<T, Standing> standing, Duration idleLimit) {
        record Ranked<T>(T one, Standing standing) {}
        return all.stream()
                .map(one -> new Ranked<>(one, standing.apply(one)))
                .filter(ranked -> ranked.standing.isEvictable(idleLimit))
                .min(
                        Comparator.comparing((Ranked<T> ranked) -> ranked.standing.use)
                                .thenComparingLong(ranked -> -ranked.standing.nanos))
                .map(Ranked::one);
    }

    private boolean isEvictable(Duration idleLimit) {
        return switch (use) {
            case HALF_OPEN, NO_REGIONS, STALLED -> nanos >= PATIENCE.toNanos();
            case IDLE -> !idleLimit.isZero() && nanos >= idleLimit.toNanos();
            case BUSY -> false;
        };
    }

    /// One line for people, about a client that has given up its place.
    String text() {
        String why =
                switch (use) {
                    case HALF_OPEN -> "did not finish its handshake";
                    case NO_REGIONS -> "asked for no regions";
                    case STALLED -> "acknowledged nothing";
                    case IDLE -> "called nothing";
                    case BUSY -> "was served";
                };
        return "%s for %.1f s while others wanted its place"
                .formatted(why, Duration.ofNanos(nanos).toMillis() / 1000.0);
    }
}
