package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Every connection of an agent that is not IDLE, by the keys that messages bring, and their
/// timers.
///
/// Linux finds duplicate and stale connections by (CA GUID, communication ID) and by (CA GUID,
/// queue pair number). Here the peer's address belongs to both keys: otherwise a peer that claims
/// another one's CA GUID could tear down that one's connections, or keep it from connecting.
final class ConnectionTable {
    /// The deadline of a timer that is not running.
    static final long NEVER = Long.MAX_VALUE;

    private record PeerKey(Gid gid, long caGuid, int number) {}

    private final Map<Integer, Connection> byLocalId = new HashMap<>();
    private final Map<PeerKey, Connection> byRemoteId = new HashMap<>();
    private final Map<PeerKey, Connection> byRemoteQpn = new HashMap<>();
    private final Set<Integer> timewaitQpns = new HashSet<>();
    private final TreeSet<Connection> timers =
            new TreeSet<>(
                    Comparator.<Connection>comparingLong(c -> c.deadlineNanos)
                            .thenComparingInt(Connection::localId));
    private int nextLocalId;
    private int passiveCount;

    /// @param firstLocalId where communication IDs start: at random, so that those of two instances
    ///   differ
    ConnectionTable(int firstLocalId) {
        nextLocalId = firstLocalId;
    }

    /// A communication ID that no connection has: not 0, and not one in TIMEWAIT.
    int allocateLocalId() {
        int id = nextLocalId;
        while (id == 0 || byLocalId.containsKey(id)) {
            id++;
        }
        nextLocalId = id + 1;
        return id;
    }

    void add(Connection connection) {
        byLocalId.put(connection.localId(), connection);
        if (!connection.isActive()) {
            passiveCount++;
        }
    }

    /// Makes `connection` known by what identifies it at the peer.
    void bind(Connection connection, int remoteId, long remoteCaGuid, int remoteQpn) {
        connection.remoteId = remoteId;
        connection.remoteCaGuid = remoteCaGuid;
        connection.remoteQpn = remoteQpn;
        byRemoteId.put(remoteIdKey(connection), connection);
        byRemoteQpn.put(remoteQpnKey(connection), connection);
    }

    /// The peer may connect its queue pair anew: this connection is being torn down.
    void releaseRemoteQpn(Connection connection) {
        byRemoteQpn.remove(remoteQpnKey(connection), connection);
    }

    void occupyTimewaitQpn(Connection connection) {
        timewaitQpns.add(connection.localQpn);
    }

    void remove(Connection connection) {
        cancelTimer(connection);
        byRemoteId.remove(remoteIdKey(connection), connection);
        releaseRemoteQpn(connection);
        if (connection.state() == ConnectionState.TIMEWAIT) {
            timewaitQpns.remove(connection.localQpn);
        }
        if (byLocalId.remove(connection.localId()) != null && !connection.isActive()) {
            passiveCount--;
        }
    }

    /// The connection with our communication ID `ours`.
    Optional<Connection> find(int ours) {
        return Optional.ofNullable(byLocalId.get(ours));
    }

    /// The connection between our ID and the peer's. One that has not learned its peer's ID yet
    /// fits any.
    Optional<Connection> find(int ours, int theirs) {
        return find(ours).filter(c -> c.remoteId == theirs || c.remoteId == 0);
    }

    /// The connection with the peer's communication ID `remoteId`.
    Optional<Connection> findRemoteId(Gid gid, long caGuid, int remoteId) {
        return Optional.ofNullable(byRemoteId.get(new PeerKey(gid, caGuid, remoteId)));
    }

    /// The live connection with the peer's queue pair `remoteQpn`.
    Optional<Connection> findRemoteQpn(Gid gid, long caGuid, int remoteQpn) {
        return Optional.ofNullable(byRemoteQpn.get(new PeerKey(gid, caGuid, remoteQpn)));
    }

    boolean isInTimewait(int qpn) {
        return timewaitQpns.contains(qpn);
    }

    int size() {
        return byLocalId.size();
    }

    int passiveCount() {
        return passiveCount;
    }

    /// All connections, as of now.
    List<Connection> snapshot() {
        return List.copyOf(byLocalId.values());
    }

    /// Starts the timer, which runs out at the connection's limit if that is earlier.
    void startTimer(Connection connection, long deadlineNanos) {
        cancelTimer(connection);
        connection.deadlineNanos = Math.min(deadlineNanos, connection.limitNanos);
        timers.add(connection);
    }

    void cancelTimer(Connection connection) {
        if (connection.deadlineNanos != NEVER) {
            timers.remove(connection);
            connection.deadlineNanos = NEVER;
        }
    }

    /// When the next timer runs out, or [#NEVER].
    long deadlineNanos() {
        return timers.isEmpty() ? NEVER : timers.first().deadlineNanos;
    }

    /// Takes a connection whose timer has run out; null if there is none.
    @Nullable Connection pollExpired(long nowNanos) {
        if (deadlineNanos() > nowNanos) {
            return null;
        }
        Connection connection = timers.first();
        cancelTimer(connection);
        return connection;
    }

    private static PeerKey remoteIdKey(Connection connection) {
        return new PeerKey(connection.remoteGid(), connection.remoteCaGuid, connection.remoteId);
    }

    private static PeerKey remoteQpnKey(Connection connection) {
        return new PeerKey(connection.remoteGid(), connection.remoteCaGuid, connection.remoteQpn);
    }
}
