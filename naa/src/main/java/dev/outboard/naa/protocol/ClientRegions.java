package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.PeerRegion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The regions of a client in wire order: in `ap1-2023` the metadata region comes first. Belongs to
/// one [ClientMachine]; [#peers] and [#returnRegion] may be asked from any thread.
public final class ClientRegions {
    private static final int NO_RETURN_REGION = -1;
    private static final ValueLayout.OfLong RETURN_ADDRESS =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Dialect dialect;
    private final List<ClientRegion> regions;
    private volatile List<PeerRegion> peers = List.of();
    private volatile int returnRegion = NO_RETURN_REGION;

    public ClientRegions(Dialect dialect, List<ClientRegion> regions) {
        this.dialect = dialect;
        this.regions = List.copyOf(regions);
    }

    /// All of them, in wire order.
    public List<ClientRegion> list() {
        return regions;
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// NAA-MRSP-6: what the server is told.
    ///
    /// @param naaAddresses requested for the regions, in wire order
    AdvertiseRequest announcement(List<Long> naaAddresses, List<MrspMessage.Entry> internals) {
        List<MrspMessage.Entry> entries = new ArrayList<>();
        for (int i = 0; i < regions.size(); i++) {
            ClientRegion region = regions.get(i);
            /// NAA-FLAG-2: the first phase's server takes any other flag for INTERNAL.
            int flags = dialect == Dialect.AP1_2023 ? 0 : region.flags();
            entries.add(region.entry(flags, naaAddresses.get(i)));
        }
        entries.addAll(internals);
        return new AdvertiseRequest(entries);
    }

    /// What is wrong with the server's answer, if anything.
    ///
    /// NAA-MRSP-8: nothing of a wrong answer is used.
    Optional<String> problemWith(Advertise answer) {
        List<PeerRegion> announced = answer.regions();
        if (announced.size() != regions.size()) {
            return Optional.of(
                    "the server announced %d regions for %d"
                            .formatted(announced.size(), regions.size()));
        }
        for (int i = 0; i < announced.size(); i++) {
            if (announced.get(i).size() < regions.get(i).size()) {
                return Optional.of(
                        "the server's region %d has %d bytes instead of %d"
                                .formatted(i, announced.get(i).size(), regions.get(i).size()));
            }
        }
        return Optional.empty();
    }

    /// Keeps the server's regions.
    void advertised(Advertise answer) {
        for (int i = 0; i < regions.size(); i++) {
            regions.get(i).advertised(answer.regions().get(i));
        }
        peers = answer.regions();
    }

    /// The server's regions in wire order, once known.
    public List<PeerRegion> peers() {
        return peers;
    }

    /// Where a WRITE without payload is aimed at, once known.
    Optional<PeerRegion> firstPeer() {
        return Optional.ofNullable(regions.getFirst().peer());
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// NAA-META-3, NAA-META-4: sets the region that receives the result, from the next RPC on.
    public void setReturnRegion(int index) {
        if (dialect != Dialect.AP1_2023) {
            throw new IllegalStateException(
                    dialect + " has no return region; mark regions as output");
        }
        if (index < 1 || index >= regions.size()) {
            throw new IndexOutOfBoundsException(
                    "return region %d; valid wire regions: 1 to %d"
                            .formatted(index, regions.size() - 1));
        }
        returnRegion = index;
    }

    /// The region that receives the result, or -1.
    public int returnRegion() {
        return returnRegion;
    }

    /// NAA-META-5: refuses an RPC whose result has nowhere to go.
    void requireReturnRegion() {
        if (dialect == Dialect.AP1_2023 && returnRegion == NO_RETURN_REGION) {
            throw new IllegalStateException(
                    "no return region is set; ap1-2023 needs to know which region gets the result");
        }
    }

    /// Adds the WRITEs of an RPC: all regions in `ap1-2023`, else the inputs that are due, and if
    /// there are none one without bytes.
    ///
    /// NAA-XFER-4, NAA-META-2: in `ap1-2023` the metadata come first, with the address.
    ///
    /// NAA-XFER-7: an RPC without inputs is started all the same.
    ///
    /// @return how many bytes they carry
    long addInputs(WritePlan writes) {
        boolean all = dialect == Dialect.AP1_2023;
        if (all) {
            regions.getFirst()
                    .memory()
                    .set(RETURN_ADDRESS, 0, regions.get(returnRegion).registered().address());
        }
        long bytes = 0;
        for (int i = 0; i < regions.size(); i++) {
            ClientRegion region = regions.get(i);
            if (all || region.isDue()) {
                region.addTo(writes, region.bytesToSend());
                bytes += region.bytesToSend();
            }
        }
        if (writes.isEmpty()) {
            regions.getFirst().addTo(writes, 0);
        }
        return bytes;
    }

    /// The inputs of an RPC are with the server.
    ///
    /// NAA-XFER-6: all WRITEs of the RPC were acknowledged.
    void markSent() {
        for (int i = 0; i < regions.size(); i++) {
            if (regions.get(i).isDue()) {
                regions.get(i).sent();
            }
        }
    }

    /// The outputs of an RPC have arrived.
    void markReceived() {
        if (dialect == Dialect.AP1_2023) {
            regions.get(returnRegion).received();
            return;
        }
        for (int i = 0; i < regions.size(); i++) {
            if (regions.get(i).spec().output()) {
                regions.get(i).received();
            }
        }
    }

    /// NAA-RET-4: the bytes that the next RPC returns if it succeeds.
    long returnedBytes() {
        return dialect == Dialect.AP1_2023 ? regions.get(returnRegion).size() : outputBytes();
    }

    /// The bytes of all regions marked as output.
    public long outputBytes() {
        long sum = 0;
        for (int i = 0; i < regions.size(); i++) {
            sum += regions.get(i).spec().output() ? regions.get(i).size() : 0;
        }
        return sum;
    }
}
