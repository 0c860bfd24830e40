package dev.outboard.doca.sync;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.blob.Blob;
import dev.outboard.doca.spi.ExecutionEnvironment;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/// A [SyncEvent] of a peer (`doca_sync_event_remote_net`), known from its export: what the sync
/// event tasks of an RDMA context work on, over any connection to the device of its owner. All one
/// can do with it is that. Immutable; holds nothing that would have to be closed.
public final class SyncEventRemoteNet {
    /// Address, remote key; the address of the device follows.
    private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES;

    private final DocaDev dev;
    private final long address;
    private final int remoteKey;
    private final InetAddress host;

    private SyncEventRemoteNet(DocaDev dev, long address, int remoteKey, InetAddress host) {
        this.dev = dev;
        this.address = address;
        this.remoteKey = remoteKey;
        this.host = host;
    }

    /// The event that [SyncEvent#exportToRemoteNet] described at the peer, to be reached through
    /// `dev`.
    ///
    /// DSE-EXP-2: good for tasks of a context, and for nothing else.
    ///
    /// @throws DocaException with INVALID_VALUE if `export` is damaged, of another version, or no
    ///   export of a sync event; the message says which
    public static SyncEventRemoteNet fromExport(DocaDev dev, byte[] export) {
        DocaException.nonNull(dev, "dev");
        DocaException.nonNull(export, "export");
        try {
            ByteBuffer body = Blob.decode(Blob.Kind.SYNC_EVENT, export);
            InetAddress host = Blob.hostAt(FIXED_BYTES, body);
            return new SyncEventRemoteNet(dev, body.getLong(), body.getInt(), host);
        } catch (IllegalArgumentException e) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "this is no export of a sync event: " + e.getMessage(),
                    e);
        }
    }

    static byte[] encode(long address, int remoteKey, InetAddress host) {
        byte[] raw = host.getAddress();
        ByteBuffer body = ByteBuffer.allocate(FIXED_BYTES + raw.length);
        body.putLong(address).putInt(remoteKey).put(raw);
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

    /// The address of the device that the event belongs to: only a connection to that device
    /// reaches it.
    public InetAddress host() {
        return host;
    }

    /// What programs of an environment know it by, to update it over RDMA, until the environment
    /// stops (`doca_sync_event_remote_net_get_dpa_handle`).
    ///
    /// @throws DocaException with BAD_STATE if the environment does not run, with NOT_SUPPORTED if
    ///   its programs have no RDMA
    public long handle(ExecutionEnvironment environment) {
        return DocaException.nonNull(environment, "environment").remoteEvent(address, remoteKey);
    }

    /// Whether the event is to be reached through `device`.
    public boolean isThrough(DocaDev device) {
        DocaException.nonNull(device, "device");
        return dev.isSameDevice(device);
    }

    @Override
    public String toString() {
        return "remote sync event at 0x%x".formatted(address);
    }
}
