package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// Everything that is the same in all packets from one address to another: the addresses, the UDP
/// source port, the traffic class, and from these the bytes that every ICRC starts with.
///
/// Immutable, may be shared.
public final class Path {
    /// ROCE-PKT-1: the UDP port that every packet is sent to.
    public static final int DESTINATION_PORT = 4791;

    private final Gid source;
    private final Gid destination;
    private final int sourcePort;
    private final int trafficClass;
    private final boolean dontFragment;
    private final MemorySegment template;

    /// A path whose IPv4 headers carry DF, as all that we send does.
    public Path(Gid source, Gid destination, int sourcePort, int trafficClass) {
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException(
                    "no path leads from " + source + " to " + destination + ": mixed IP versions");
        }
        this.source = source;
        this.destination = destination;
        this.sourcePort = sourcePort;
        this.trafficClass = trafficClass;
        this.dontFragment = true;
        this.template = IpHeaders.icrcTemplate(source, destination, sourcePort);
    }

    private Path(Path other, boolean dontFragment) {
        this.source = other.source;
        this.destination = other.destination;
        this.sourcePort = other.sourcePort;
        this.trafficClass = other.trafficClass;
        this.dontFragment = dontFragment;
        this.template = other.template;
    }

    /// The same path with or without DF in its IPv4 headers.
    Path withDontFragment(boolean set) {
        return set == dontFragment ? this : new Path(this, set);
    }

    public Gid source() {
        return source;
    }

    public Gid destination() {
        return destination;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int trafficClass() {
        return trafficClass;
    }

    public boolean isIpv4() {
        return source.isIpv4();
    }

    /// Whether the IPv4 header carries DF.
    public boolean isDontFragment() {
        return dontFragment;
    }

    /// What the ICRC covers ahead of the BTH ([IpHeaders#icrcTemplate]).
    MemorySegment template() {
        return template;
    }

    @Override
    public String toString() {
        return source + ":" + sourcePort + " to " + destination;
    }
}
