package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// Everything that is the same in all packets from one address to another: the addresses, the UDP
/// source port, the traffic class, and from these the bytes that every ICRC starts with.
///
/// A path for sending is immutable and may be shared. A path that an [IcrcVerifier] is given stands
/// for a sender and remembers how that sender fills the two fields a receiver cannot see; it
/// belongs to the verifier's thread.
public final class Path {
    /// ROCE-PKT-1: the UDP port that every packet is sent to.
    public static final int DESTINATION_PORT = 4791;

    private final Gid source;
    private final Gid destination;
    private final int sourcePort;
    private final int trafficClass;
    private final MemorySegment template;
    private final SenderHabit habit = new SenderHabit();

    public Path(Gid source, Gid destination, int sourcePort, int trafficClass) {
        if (source.isIpv4() != destination.isIpv4()) {
            throw new IllegalArgumentException(
                    "no path leads from " + source + " to " + destination + ": mixed IP versions");
        }
        this.source = source;
        this.destination = destination;
        this.sourcePort = sourcePort;
        this.trafficClass = trafficClass;
        this.template = IpHeaders.icrcTemplate(source, destination, sourcePort);
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

    /// Whether the IPv4 header carries DF. Always when sending; of a sender, what the verifier
    /// found.
    public boolean isDontFragment() {
        return habit.isDontFragment();
    }

    SenderHabit habit() {
        return habit;
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
