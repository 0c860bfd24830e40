package dev.outboard.fabric.roce.ud;

import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Packet;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// The 40 bytes that precede a received datagram: an IPv6 header, or 20 zeros and an IPv4 header
/// (roce.md 1.5). A plain socket does not show the real header, so it is put together from what is
/// known of it: both addresses, lengths, traffic class and identification are those of the packet;
/// the hop limit is always 64.
public final class RouteHeader {
    public static final int LENGTH = 40;

    private static final int IPV4_OFFSET = LENGTH - IpHeaders.IPV4_LENGTH;

    /// A reply keeps the class of the question but not what the network marked on its way.
    private static final int CONGESTION_BITS = 3;

    private RouteHeader() {}

    /// Writes the header of `packet`, which arrived at `local`, over `header`, whose first 20 bytes
    /// nobody else writes.
    ///
    /// ROCE-UD-2: 40 bytes, the IPv4 header in the last 20 of them.
    static void write(MemorySegment header, Packet packet, Gid local) {
        IpHeaders.writeReceived(header, local.isIpv4() ? IPV4_OFFSET : 0, packet, local);
    }

    /// The way back to the sender of the datagram behind the header at `at`; empty if there is no
    /// route header.
    public static Optional<AddressVector> replyVector(MemorySegment segment, long at) {
        if (segment.byteSize() - at < LENGTH || at < 0) {
            return Optional.empty();
        }
        if (IpHeaders.isIpv4(segment, at + IPV4_OFFSET)) {
            return Optional.of(replyVector(segment, at + IPV4_OFFSET, 0));
        }
        return IpHeaders.isIpv6(segment, at)
                ? Optional.of(replyVector(segment, at, IpHeaders.flowLabel(segment, at)))
                : Optional.empty();
    }

    private static AddressVector replyVector(MemorySegment segment, long at, int flowLabel) {
        return new AddressVector(
                IpHeaders.source(segment, at).toInetAddress(),
                IpHeaders.trafficClass(segment, at) & ~CONGESTION_BITS,
                flowLabel);
    }
}
