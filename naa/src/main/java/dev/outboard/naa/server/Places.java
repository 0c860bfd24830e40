package dev.outboard.naa.server;

import dev.outboard.fabric.ConnectionId;
import dev.outboard.naa.protocol.ServerCounter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The clients of a listener, and who has to go when all places are taken. Any thread reads; the
/// holder of the listener's lock adds.
final class Places {
    private final ServerOptions options;
    private final Map<ConnectionId, NaaServerContext> contexts = new ConcurrentHashMap<>();

    /// Why there is no place, and for whom one of `rivals` would have to go.
    record Shortage(ServerCounter counter, String why, List<NaaServerContext> rivals) {}

    Places(ServerOptions options) {
        this.options = options;
    }

    /// All clients that are connected or connecting.
    Collection<NaaServerContext> all() {
        return contexts.values();
    }

    Optional<NaaServerContext> find(ConnectionId id) {
        return Optional.ofNullable(contexts.get(id));
    }

    void add(ConnectionId id, NaaServerContext context) {
        contexts.put(id, context);
    }

    void remove(NaaServerContext context) {
        contexts.values().remove(context);
    }

    /// Whether there is a place for a client from `origin`.
    ///
    /// NAA-MULTI-4: a place is free as soon as its client has left, while what it had is still
    /// being released; but no more than as many clients again may leave at a time.
    ///
    /// @return empty if there is
    Optional<Shortage> shortage(Origin origin) {
        List<NaaServerContext> staying =
                contexts.values().stream().filter(context -> !context.place().hasEnded()).toList();
        List<NaaServerContext> near =
                staying.stream()
                        .filter(context -> context.place().origin().equals(origin))
                        .toList();
        int share = options.share(origin).connections();
        int max = options.maxConnections();
        if (near.size() >= share && share < max) {
            String why = "all %d connections of %s are in use".formatted(share, origin);
            return Optional.of(new Shortage(ServerCounter.REJECTED_ADDRESS_FULL, why, near));
        }
        if (staying.size() >= max || contexts.size() >= 2 * max) {
            String why = "all %d connections are in use".formatted(max);
            return Optional.of(new Shortage(ServerCounter.REJECTED_FULL, why, staying));
        }
        return Optional.empty();
    }
}
