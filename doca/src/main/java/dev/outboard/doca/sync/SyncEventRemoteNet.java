package dev.outboard.doca.sync;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.blob.Blob;
import java.nio.ByteBuffer;

/// A [SyncEvent] of a peer (`doca_sync_event_remote_net`), known from its export: what the sync
/// event tasks of an RDMA context work on, over any connection to the device of its owner. All one
/// can do with it is that. Immutable; holds nothing that would have to be closed.
public final class SyncEventRemoteNet {
    /// Address, remote key.
    private static final int BODY_BYTES = Long.BYTES + Integer.BYTES;

    private final long address;
    private final int remoteKey;

    private SyncEventRemoteNet(long address, int remoteKey) {
        this.address = address;
        this.remoteKey = remoteKey;
    }

    /// The event that [SyncEvent#exportToRemoteNet] described at the peer.
    ///
    /// @throws DocaException with INVALID_VALUE if `export` is damaged, of another version, or no
    ///   export of a sync event; the message says which
    public static SyncEventRemoteNet fromExport(byte[] export) {
        DocaException.nonNull(export, "export");
        ByteBuffer body;
        try {
            body = Blob.decode(Blob.Kind.SYNC_EVENT, export);
        } catch (IllegalArgumentException e) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "this is no export of a sync event: " + e.getMessage(),
                    e);
        }
        if (body.remaining() != BODY_BYTES) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "this is no export of a sync event: its body has %d bytes instead of %d"
                            .formatted(body.remaining(), BODY_BYTES));
        }
        return new SyncEventRemoteNet(body.getLong(), body.getInt());
    }

    static byte[] encode(long address, int remoteKey) {
        ByteBuffer body = ByteBuffer.allocate(BODY_BYTES);
        body.putLong(address).putInt(remoteKey);
        return Blob.encode(Blob.Kind.SYNC_EVENT, body.array());
    }

    /// Where the 8 bytes of the event are at the peer.
    public long address() {
        return address;
    }

    /// The key that opens them.
    public int remoteKey() {
        return remoteKey;
    }

    @Override
    public String toString() {
        return "remote sync event at 0x%x".formatted(address);
    }
}
