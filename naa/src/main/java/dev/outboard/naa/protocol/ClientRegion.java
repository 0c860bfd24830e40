package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.RegionSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A wire region of a client: the caller's memory, its registration, and the server's counterpart.
/// Memory on the heap has a native copy, which is what the device works on. Belongs to one
/// [ClientMachine].
public final class ClientRegion {
    private final RegionSpec spec;
    private final MemorySegment memory;
    private @Nullable MemoryRegion registered;
    private @Nullable PeerRegion peer;
    private long bytesToSend;
    private boolean wasSent;

    /// A region of the caller's.
    ///
    /// NAA-SCOPE-10: native memory is used where it is.
    ///
    /// @param copies makes the native copy, if one is needed
    public ClientRegion(RegionSpec spec, SegmentAllocator copies) {
        this.spec = spec;
        boolean isNative = spec.memory().isNative();
        this.memory = isNative ? spec.memory() : copies.allocate(spec.memory().byteSize());
        this.bytesToSend = spec.memory().byteSize();
    }

    /// What the caller said about it.
    RegionSpec spec() {
        return spec;
    }

    /// What the device reads and writes.
    public MemorySegment memory() {
        return memory;
    }

    private boolean isCopy() {
        return !spec.memory().isNative();
    }

    /// The length in bytes.
    public long size() {
        return spec.memory().byteSize();
    }

    /// The device may use the memory now.
    public void register(MemoryRegion region) {
        registered = region;
    }

    MemoryRegion registered() {
        return Objects.requireNonNull(registered);
    }

    MrspMessage.Entry entry(int flags, long naaAddress) {
        MemoryRegion local = registered();
        return new MrspMessage.Entry(flags, naaAddress, local.address(), local.remoteKey(), size());
    }

    /// NAA-FLAG-3, NAA-FLAG-5: as it was marked, and no other bit.
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

    /// NAA-XFER-5: whether the next RPC writes it.
    boolean isDue() {
        return spec.input() && !(spec.singleSend() && wasSent);
    }

    void sent() {
        wasSent = true;
    }

    /// Adds the WRITE of its first `length` bytes.
    ///
    /// NAA-ADDR-7, NAA-RPC-5: to where the server advertised it, with its content of now.
    void addTo(WritePlan plan, long length) {
        PeerRegion target = Objects.requireNonNull(peer);
        if (isCopy()) {
            MemorySegment.copy(spec.memory(), 0, memory, 0, length);
        }
        plan.add(registered, length, target.address(), target.remoteKey());
    }

    /// A result has arrived.
    ///
    /// NAA-XFER-21: memory on the heap is written now and at no other time.
    void received() {
        if (isCopy()) {
            spec.memory().copyFrom(memory);
        }
    }
}
