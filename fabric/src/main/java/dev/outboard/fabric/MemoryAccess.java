package dev.outboard.fabric;

/// What a device does to a watched memory region, as told to its [MemoryWatch]. Valid during the
/// call only; the device reuses the object.
public final class MemoryAccess {
    /// The kinds of access.
    public enum Kind {
        /// Bytes are fetched for a packet.
        READ,
        /// Bytes of a packet are stored, or the result of an atomic operation of ours.
        WRITE,
        /// Eight bytes are read and changed in one step, for a peer.
        ATOMIC
    }

    private Kind kind = Kind.READ;
    private long offset;
    private int length;
    private int queuePairNumber;
    private boolean byPeer;

    /// An access to be filled.
    public MemoryAccess() {}

    /// Providers fill the access with this.
    public void set(Kind kind, long offset, int length, int queuePairNumber, boolean byPeer) {
        this.kind = kind;
        this.offset = offset;
        this.length = length;
        this.queuePairNumber = queuePairNumber;
        this.byPeer = byPeer;
    }

    public Kind kind() {
        return kind;
    }

    /// Where it begins in the region.
    public long offset() {
        return offset;
    }

    /// How many bytes; never more than a packet carries.
    public int length() {
        return length;
    }

    /// The local queue pair that it happens for.
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /// Whether the peer of that queue pair named the memory, by its key: it writes, reads, or uses
    /// an atomic operation. If not, a request of our own named it.
    public boolean byPeer() {
        return byPeer;
    }

    @Override
    public String toString() {
        return "%s of %d bytes at %d by queue pair %d%s"
                .formatted(kind, length, offset, queuePairNumber, byPeer ? " for its peer" : "");
    }
}
