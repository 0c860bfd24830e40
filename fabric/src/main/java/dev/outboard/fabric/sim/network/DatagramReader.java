package dev.outboard.fabric.sim.network;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Sender;
import dev.outboard.fabric.roce.wire.Senders;
import dev.outboard.fabric.verbs.Counters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Turns datagrams into checked packets, as the receiving end of a device does.
public final class DatagramReader {
    private static final int MAX_BYTES = 9216;

    private final Gid local;
    private final int sourcePort;
    private final Payload buffer = Payload.of(Arena.ofAuto().allocate(MAX_BYTES));
    private final Packet packet = new Packet();

    /// Of devices of the network, which send all with identification 0 and DF.
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.STRICT);

    private final Map<Gid, Sender> senders = new HashMap<>();
    private final Counters<PacketFlaw> flaws = new Counters<>(PacketFlaw.class);

    /// Made with the first of them.
    private @Nullable Strangers strangers;

    /// Those who may send from any port, with any identification.
    private record Strangers(Senders senders, IcrcVerifier verifier) {}

    /// Reads what arrives at `local` from `sourcePort`.
    public DatagramReader(Gid local, int sourcePort) {
        this.local = local;
        this.sourcePort = sourcePort;
    }

    /// The packet, valid until the next call, or null if it is malformed or damaged.
    public @Nullable Packet read(Gid source, byte[] datagram) {
        Sender sender =
                senders.computeIfAbsent(
                        source, from -> new Sender(new Path(from, local, sourcePort, 0)));
        return read(verifier, sender, 0, datagram);
    }

    /// The same for a packet from any port.
    public @Nullable Packet read(Gid source, int port, int trafficClass, byte[] datagram) {
        Strangers known = strangers;
        if (known == null) {
            known = new Strangers(new Senders(local), new IcrcVerifier(IcrcVerifier.Policy.SOLVE));
            strangers = known;
        }
        Sender sender = known.senders.of(source.high(), source.low(), port);
        return read(known.verifier, sender, trafficClass, datagram);
    }

    private @Nullable Packet read(
            IcrcVerifier by, Sender sender, int trafficClass, byte[] datagram) {
        int length = datagram.length;
        MemorySegment.copy(datagram, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, length);
        PacketFlaw flaw = packet.wrap(buffer.segment(), 0, length);
        if (flaw != null) {
            flaws.increment(flaw);
            return null;
        }
        if (by.verify(sender, buffer, 0, length) == IcrcVerifier.BAD) {
            flaws.increment(PacketFlaw.BAD_ICRC);
            return null;
        }
        Path path = sender.path();
        packet.from(path.source().high(), path.source().low(), path.sourcePort(), trafficClass);
        return packet;
    }

    /// What was malformed or damaged so far.
    public Counters<PacketFlaw> flaws() {
        return flaws;
    }
}
