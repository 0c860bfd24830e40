package dev.outboard.naa;

import dev.outboard.fabric.MemoryRegion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A wire region of a client: the caller's memory, its registration, and the server's counterpart.
/// Belongs to one [ClientMachine].
final class ClientRegion {
    private final RegionSpec spec;
    private @Nullable MemoryRegion registered;
    private @Nullable PeerRegion peer;
    private long bytesToSend;
    private boolean wasSent;

    /// A region of the caller's.
    ClientRegion(RegionSpec spec) {
        this.spec = spec;
        this.bytesToSend = spec.memory().byteSize();
    }

    /// What the caller said about it.
    RegionSpec spec() {
        return spec;
    }

    /// The length in bytes.
    long size() {
        return spec.memory().byteSize();
    }

    /// The device may use the memory now.
    void register(MemoryRegion region) {
        registered = region;
    }

    MemoryRegion registered() {
        return Objects.requireNonNull(registered);
    }

    MrspMessage.Entry entry(int flags, long naaAddress) {
        MemoryRegion local = registered();
        return new MrspMessage.Entry(flags, naaAddress, local.address(), local.remoteKey(), size());
    }

    int flags() {
        return (spec.input() ? RegionFlags.INPUT : 0)
                | (spec.output() ? RegionFlags.OUTPUT : 0)
                | (spec.singleSend() ? RegionFlags.SINGLE_SEND : 0);
    }

    void advertised(PeerRegion region) {
        peer = region;
    }

    /// The server's region, once known.
    @Nullable PeerRegion peer() {
        return peer;
    }

    long bytesToSend() {
        return bytesToSend;
    }

    void setBytesToSend(long bytes) {
        bytesToSend = bytes;
    }

    /// Whether the next RPC writes it (NAA-XFER-5).
    boolean isDue() {
        return spec.input() && !(spec.singleSend() && wasSent);
    }

    void sent() {
        wasSent = true;
    }

    /// Adds the WRITE of its first `length` bytes.
    void addTo(WritePlan plan, long length) {
        PeerRegion target = Objects.requireNonNull(peer);
        plan.add(registered, length, target.address(), target.remoteKey());
    }
}
