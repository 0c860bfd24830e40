package dev.outboard.doca;

import dev.outboard.doca.blob.Blob;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.RemoteMemory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;

/// Memory of a peer, known from an export of its [Mmap]: DOCA's mmap created from an export. It
/// holds no memory and needs no start; all one can do is make buffers of it for tasks. Belongs to
/// whoever made it; any thread.
///
/// DCORE-MMAP-15, DCORE-MMAP-16: what an export gives can make buffers and nothing else.
public final class RemoteMmap implements AutoCloseable {
    private static final String NO_EXPORT = "this is no export of an mmap: ";

    private static final Set<AccessFlag> PEER_FLAGS =
            EnumSet.of(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC);

    /// Address, length, remote key, permissions; the address of the device follows.
    private static final int FIXED_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

    private final DocaDev dev;
    private final long address;
    private final long length;
    private final int remoteKey;
    private final Set<AccessFlag> permissions;
    private final InetAddress host;
    private final BufferCount buffers = new BufferCount();
    private final Leak leak;
    private volatile boolean closed;

    private RemoteMmap(
            DocaDev dev,
            long address,
            long length,
            int remoteKey,
            Set<AccessFlag> permissions,
            InetAddress host) {
        this.dev = dev;
        this.address = address;
        this.length = length;
        this.remoteKey = remoteKey;
        this.permissions = permissions;
        this.host = host;
        dev.use();
        this.leak = Leak.watch(this, toString(), dev::release);
    }

    /// Whether exports for the other side of the PCI bus can be imported through this device; no
    /// device of today's fabric can (`doca_mmap_cap_is_create_from_export_pci_supported`).
    public static boolean isFromExportPciSupported(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        return false;
    }

    /// The memory that [Mmap#exportRdma] described at the peer, to be reached through `dev`.
    ///
    /// @throws DocaException with INVALID_VALUE if `export` is damaged, of another version, or no
    ///   export of an mmap; the message says which. With BAD_STATE if `dev` is closed
    public static RemoteMmap fromExport(DocaDev dev, byte[] export) {
        DocaException.nonNull(dev, "dev");
        DocaException.nonNull(export, "export");
        ByteBuffer body;
        InetAddress host;
        try {
            body = Blob.decode(Blob.Kind.MMAP, export);
            host = Blob.hostAt(FIXED_BYTES, body);
        } catch (IllegalArgumentException e) {
            throw new DocaException(DocaError.INVALID_VALUE, NO_EXPORT + e.getMessage(), e);
        }
        long address = body.getLong();
        long length = body.getLong();
        int remoteKey = body.getInt();
        Set<AccessFlag> permissions = AccessFlag.of(body.getInt());
        MmapBuilder.requireRange(address, length);
        if (!permitsPeers(permissions)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, NO_EXPORT + "it permits only " + permissions);
        }
        return new RemoteMmap(dev, address, length, remoteKey, permissions, host);
    }

    /// The address of the first byte at the peer.
    ///
    /// DCORE-MMAP-3: as the peer told it.
    public long address() {
        return address;
    }

    /// The bytes of the memory.
    public long length() {
        return length;
    }

    /// Where the peer's `address` lies, in bytes from the start of the memory.
    ///
    /// @throws DocaException with INVALID_VALUE if it lies outside
    public long offsetOf(long address) {
        return offset(this, this.address, length, address);
    }

    /// The key that opens the memory at the peer.
    public int remoteKey() {
        return remoteKey;
    }

    /// What programs of an environment know the memory by in operations over RDMA
    /// (`doca_mmap_dev_get_dpa_handle`).
    ///
    /// @throws DocaException with BAD_STATE if the environment does not run
    public int handle(ExecutionEnvironment environment) {
        return remoteMemory(environment).key();
    }

    /// What programs of an environment call the first byte.
    ///
    /// @throws DocaException as [#handle]
    public long addressFor(ExecutionEnvironment environment) {
        return remoteMemory(environment).address();
    }

    private RemoteMemory remoteMemory(ExecutionEnvironment environment) {
        return DocaException.nonNull(environment, "environment").remoteMemory(address, remoteKey);
    }

    /// What the peer permitted when it made the export.
    public Set<AccessFlag> permissions() {
        return permissions;
    }

    /// The address of the peer's device that the memory was exported for: only a connection to that
    /// device reaches it.
    public InetAddress host() {
        return host;
    }

    /// Whether the memory is to be reached through `device`.
    public boolean isThrough(DocaDev device) {
        DocaException.nonNull(device, "device");
        return dev.isSameDevice(device);
    }

    /// How many buffers point into the memory now.
    public long bufferCount() {
        return buffers.get();
    }

    /// Lets go of the device; the peer's memory stays what it is. Closing twice is harmless.
    ///
    /// @throws DocaException with NOT_PERMITTED if buffers of it are out; it closes with the last
    ///   of them then
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        buffers.closing();
        buffers.requireNone(this, "closed");
        end();
    }

    private synchronized void endIfUnused() {
        if (!closed && buffers.get() == 0) {
            end();
        }
    }

    private void end() {
        closed = true;
        dev.release();
        leak.closed();
    }

    @Override
    public String toString() {
        return "remote mmap of %d bytes at 0x%x".formatted(length, address);
    }

    boolean isOpen() {
        return !closed;
    }

    void bufferMade() {
        buffers.made();
    }

    void bufferReturned() {
        if (buffers.returned()) {
            endIfUnused();
        }
    }

    static byte[] encode(
            long address,
            long length,
            int remoteKey,
            Set<AccessFlag> permissions,
            InetAddress host) {
        byte[] raw = host.getAddress();
        ByteBuffer body = ByteBuffer.allocate(FIXED_BYTES + raw.length);
        body.putLong(address)
                .putLong(length)
                .putInt(remoteKey)
                .putInt(AccessFlag.bits(permissions))
                .put(raw);
        return Blob.encode(Blob.Kind.MMAP, body.array());
    }

    static boolean permitsPeers(Set<AccessFlag> permissions) {
        return permissions.stream().anyMatch(PEER_FLAGS::contains);
    }

    static long offset(Object mmap, long start, long length, long address) {
        long offset = address - start;
        if (offset < 0 || offset >= length) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "address 0x%x is not in the %s".formatted(address, mmap));
        }
        return offset;
    }
}
