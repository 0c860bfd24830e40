package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Opcode.Transport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Finds out from a capture why transfers failed: who did not answer, from which packet on, what
/// was repeated, and what to look at next. It takes the packets one after the other and keeps what
/// it needs of [#MAX_HALVES] directions of connections, so that a capture may be of any size. One
/// thread.
///
/// ```java
/// CaptureExplainer explainer = new CaptureExplainer();
/// for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
///     explainer.packet(packet);
/// }
/// explainer.findings().forEach(finding -> …);
/// ```
public final class CaptureExplainer {
    /// The most bytes of a packet that a capture holds, by default of the usual programs.
    public static final int MAX_PACKET_BYTES = 1 << 18;

    /// How many directions of connections are followed at a time; those that were silent longest
    /// are reported and forgotten.
    static final int MAX_HALVES = 1024;

    private static final int MAX_CONVERSATIONS = 1024;
    private static final int MAX_HOSTS = 4096;
    private static final int MAX_FINDINGS = 1000;

    /// @param nanos when it began
    private record Dated(long nanos, Finding finding) {}

    private final Map<Half.Key, Half> halves = new LeastRecent<>(MAX_HALVES, this::report);
    private final Handshakes handshakes =
            new Handshakes(MAX_CONVERSATIONS, this::report, this::agreed, this::ended);
    private final Map<Gid, Host> hosts = new LeastRecent<>(MAX_HOSTS, _ -> {});
    private final Decoder decoder = new Decoder(hosts);
    private final List<Dated> findings = new ArrayList<>();
    private long packets;
    private long rocePackets;
    private long firstNanos;
    private long lastNanos;
    private long untold;

    /// An explainer that has seen nothing yet.
    public CaptureExplainer() {}

    /// Takes the next packet of the capture, of any protocol.
    public void packet(CapturedPacket captured) {
        if (packets == 0) {
            firstNanos = captured.epochNanos();
        }
        packets++;
        lastNanos = captured.epochNanos();
        RocePacket packet =
                decoder.decode(captured.epochNanos(), captured.linkType(), captured.bytes());
        if (packet != null) {
            rocePackets++;
            host(packet.source()).lastNanos = packet.nanos();
            dispatch(packet);
        }
    }

    /// How many packets it has taken.
    public long packets() {
        return packets;
    }

    /// How many of them were sound packets of RoCEv2 with all their headers.
    public long rocePackets() {
        return rocePackets;
    }

    /// Ends the capture and tells what it shows, failures first: FAIL for what did not get done,
    /// WARN for what did after repetitions, OK for connections without trouble and for what cannot
    /// be told. `subject` names the connection.
    public List<Finding> findings() {
        handshakes.all().forEach(this::report);
        new ArrayList<>(halves.values()).forEach(this::report);
        halves.clear();
        hosts.forEach(this::reportChecksums);
        List<Finding> told = new ArrayList<>();
        findings.stream()
                .sorted(
                        Comparator.comparing((Dated dated) -> dated.finding.verdict())
                                .reversed()
                                .thenComparingLong(Dated::nanos))
                .map(Dated::finding)
                .forEach(told::add);
        decoder.skipped()
                .forEach((why, count) -> {
                    if (why != Skip.NOT_ROCE && why != Skip.WRONG_CHECKSUM) {
                        told.add(
                                Finding.ok(
                                        "the capture",
                                        "not looked at: %s %s"
                                                .formatted(
                                                        Times.count(count, "packet"), why.text())));
                    }
                });
        if (untold > 0) {
            told.add(
                    Finding.ok(
                            "the capture",
                            "%s more; show a part of it (editcap -A, -B)"
                                    .formatted(Times.count(untold, "finding"))));
        }
        return told;
    }

    private void dispatch(RocePacket packet) {
        Opcode opcode = packet.opcode();
        if (opcode.transport() == Transport.UD) {
            handshakes.datagram(packet);
            return;
        }
        Half half = half(keyOf(packet));
        if (packet.isMarked()) {
            half.marked++;
        }
        if (opcode.transport() == Transport.CNP) {
            half.notifications++;
        } else if (opcode.isRequest()) {
            half.request(packet);
        } else {
            Half answered = half.back == null ? search(half, packet) : half.back;
            if (answered != null) {
                answered.response(packet);
            }
        }
    }

    private static Half.Key keyOf(RocePacket packet) {
        return new Half.Key(packet.source(), packet.destination(), packet.destinationQpn());
    }

    private Half half(Half.Key key) {
        return halves.computeIfAbsent(key, Half::new);
    }

    /// Packets do not say which queue pair they come from, and a capture need not have the
    /// agreement: an answer tells it by its PSN.
    private @Nullable Half search(Half answers, RocePacket packet) {
        if (answers.searches >= Half.MAX_SEARCHES) {
            return null;
        }
        answers.searches++;
        Half found = null;
        for (Half half : halves.values()) {
            boolean isOpposite =
                    half.back == null
                            && half.key.source().equals(packet.destination())
                            && half.key.destination().equals(packet.source());
            if (isOpposite && half.mayAnswer(packet.psn())) {
                found = half;
            }
        }
        if (found != null) {
            found.back = answers;
            answers.back = found;
        }
        return found;
    }

    /// Both queue pairs of a connection are known, and begin anew.
    private void agreed(Conversation conversation) {
        Half requests =
                anew(
                        new Half.Key(
                                conversation.active,
                                conversation.passive,
                                conversation.passiveQpn()));
        Half back =
                anew(
                        new Half.Key(
                                conversation.passive,
                                conversation.active,
                                conversation.activeQpn()));
        requests.startsAt(conversation.activePsn());
        back.startsAt(conversation.passivePsn());
        requests.back = back;
        back.back = requests;
    }

    private Half anew(Half.Key key) {
        Half before = halves.remove(key);
        if (before != null) {
            report(before);
        }
        return half(key);
    }

    private void ended(Conversation conversation) {
        for (Half half : halves.values()) {
            half.isClosed |=
                    conversation.isBetween(half.key.source(), half.key.destination())
                            && conversation.qpnAt(half.key.destination()) == half.key.qpn();
        }
    }

    // Reports.

    private void report(Half half) {
        if (half.hasRequests || half.marked > 0 || half.notifications > 0) {
            new HalfReport(half, this).findings().forEach(f -> add(half.firstRequestNanos, f));
        }
    }

    private void report(Conversation conversation) {
        new ConversationReport(conversation, this)
                .findings()
                .forEach(f -> add(conversation.firstNanos(), f));
    }

    private void reportChecksums(Gid address, Host host) {
        if (host.damaged > 0 && host.intact == 0) {
            add(
                    firstNanos,
                    Finding.fail(
                            address.toString(),
                            "all %s from there have a wrong checksum (ICRC): receivers drop them, and nothing is answered"
                                    .formatted(Times.count(host.damaged, "packet")),
                            "Something rewrites header fields that the checksum covers: a NAT, a port mapping of a container, user-mode networking of a virtual machine, or a kernel that sets the IPv4 identification (outboard doctor). Use a routed or bridged network, or IPv6."));
        } else if (host.damaged > 0) {
            add(
                    firstNanos,
                    Finding.warn(
                            address.toString(),
                            "%s from there have a wrong checksum (ICRC): they were damaged on the way, and the receiver drops them"
                                    .formatted(
                                            Times.count(host.damaged, "packet")
                                                    + " of "
                                                    + (host.damaged + host.intact)),
                            "Look at cables, transceivers and memory of what is on the way: error counters of the ports (ethtool -S), icrc.bad of a node's --stats."));
        }
    }

    private void add(long nanos, Finding finding) {
        boolean isFull = findings.size() >= MAX_FINDINGS;
        if (isFull && finding.verdict() != Verdict.OK) {
            isFull = !findings.removeIf(dated -> dated.finding.verdict() == Verdict.OK);
        }
        if (isFull) {
            untold++;
        } else {
            findings.add(new Dated(nanos, finding));
        }
    }

    /// How many directions of connections are followed now.
    int followed() {
        return halves.size();
    }

    // What reports ask.

    Host host(Gid address) {
        return hosts.computeIfAbsent(address, _ -> new Host());
    }

    /// How long after the first packet of the capture.
    String at(long nanos) {
        return "at " + Times.text(nanos - firstNanos);
    }

    long lastNanos() {
        return lastNanos;
    }

    Stream<Conversation> between(Gid one, Gid other) {
        return handshakes.all().stream().filter(conversation -> conversation.isBetween(one, other));
    }

    /// Whether anybody has sent requests to that queue pair.
    boolean isUsed(Half.Key key) {
        Half half = halves.get(key);
        return half != null && half.hasRequests;
    }
}
