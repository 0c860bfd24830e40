package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/// Watches the packets of one end of a connection and fails when one breaks a rule that holds
/// always (roce.md 3.4 to 3.8), whatever the network does.
///
/// Requests of this end are counted from 0, as many as they take sequence numbers.
final class WireWatch implements SimulatedEndpoint.Watch {
    private static final int NOTHING = -1;
    private static final int MAX_PACKETS_PER_ACK_REQUEST = 64;
    private static final int MAX_READ_BURST = 64;

    private final RcConnection connection;

    /// A hash of every request packet by its number: sent again, it must be the same. A READ has
    /// one per response, because it may be asked for from any of them on.
    private final Map<Long, Long> contents = new HashMap<>();

    /// The numbers of READ responses and atomic results that have not come.
    private final TreeSet<Long> awaited = new TreeSet<>();

    /// Behind the last response of every READ or atomic that is not answered.
    private final ArrayDeque<Long> readEnds = new ArrayDeque<>();

    private long unacked;
    private long next;
    private int packetsSinceAckRequest;
    private long rnrUntilNanos;
    private boolean hasSentSinceRefusal;

    private int reportedGap = NOTHING;
    private int lastAck;
    private int lastResponse;
    private int lastMsn;
    private long packets;

    WireWatch(RcConnection connection) {
        this.connection = connection;
        lastAck = Psn.add(connection.receivePsn(), -1);
        lastResponse = lastAck;
    }

    /// Packets sent.
    long packets() {
        return packets;
    }

    @Override
    public void sent(Packet packet, long nowNanos) {
        packets++;
        assertThat(packet.destinationQpn()).isEqualTo(connection.destinationQpn());
        assertThat(packet.payloadLength()).isLessThanOrEqualTo(connection.pathMtuBytes());
        if (packet.opcode().isRequest()) {
            requestSent(packet, nowNanos);
        } else if (packet.opcode() == Opcode.ACKNOWLEDGE) {
            acknowledgementSent(packet);
        } else {
            responseSent(packet);
        }
    }

    @Override
    public void received(Packet packet, long nowNanos) {
        if (packet.opcode().isResponse()) {
            answerReceived(packet, nowNanos);
        } else if (packet.psn() == reportedGap) {
            reportedGap = NOTHING;
        }
    }

    private long numberOf(int psn) {
        int unackedPsn = (int) (connection.sendPsn() + unacked) & Psn.MASK;
        return unacked + Psn.difference(psn, unackedPsn);
    }

    private boolean isAnsweredWithData(Packet packet) {
        return packet.opcode() == Opcode.READ_REQUEST || packet.opcode().hasAtomicEth();
    }

    private void requestSent(Packet packet, long nowNanos) {
        long number = numberOf(packet.psn());
        long end = number + numbersOf(packet);
        assertThat(number).as("skips a PSN: %s", packet).isLessThanOrEqualTo(next);
        assertThat(number).as("acknowledged: %s", packet).isGreaterThanOrEqualTo(unacked);
        int window =
                packet.opcode() == Opcode.READ_REQUEST
                        ? Math.max(MAX_READ_BURST, connection.maxWindowPackets())
                        : connection.maxWindowPackets();
        assertThat(end - unacked).as("in the window: %s", packet).isLessThanOrEqualTo(window);
        assertThat(nowNanos)
                .as("waits for the RNR timer: %s", packet)
                .isGreaterThanOrEqualTo(rnrUntilNanos);
        hasSentSinceRefusal = true;
        checkContents(packet, number, end);
        if (end > next) {
            sentFirst(packet, end);
        }
        packetsSinceAckRequest = packet.ackRequest() ? 0 : packetsSinceAckRequest + 1;
        assertThat(packetsSinceAckRequest).isLessThan(MAX_PACKETS_PER_ACK_REQUEST);
        if (packet.opcode().isLast() || packet.opcode().isOnly()) {
            assertThat(packet.ackRequest()).as("asks for an ACK: %s", packet).isTrue();
        }
    }

    private int numbersOf(Packet packet) {
        return packet.opcode() == Opcode.READ_REQUEST
                ? Math.max(1, Math.ceilDiv((int) packet.dmaLength(), connection.pathMtuBytes()))
                : 1;
    }

    private void sentFirst(Packet packet, long end) {
        if (isAnsweredWithData(packet)) {
            for (long number = next; number < end; number++) {
                awaited.add(number);
            }
            readEnds.add(end);
            assertThat(readEnds)
                    .as("READs and atomics outstanding")
                    .hasSizeLessThanOrEqualTo(connection.maxReadAtomic());
        }
        next = end;
    }

    private void checkContents(Packet packet, long first, long end) {
        for (long number = first; number < end; number++) {
            long content =
                    packet.opcode() == Opcode.READ_REQUEST
                            ? readHash(packet, number - first)
                            : contentHash(packet);
            assertThat(contents.putIfAbsent(number, content))
                    .as("same again: %s", packet)
                    .isIn(null, content);
        }
    }

    /// Of what a READ asks for from response `index` on.
    private long readHash(Packet packet, long index) {
        long skipped = index * connection.pathMtuBytes();
        return (packet.remoteAddress() + skipped) * 31
                + (packet.dmaLength() - skipped) * 7
                + packet.remoteKey();
    }

    /// Of everything but AckReq and the ICRC.
    private static long contentHash(Packet packet) {
        long start = packet.payloadOffset() - packet.opcode().headerLength();
        int length =
                packet.opcode().headerLength()
                        + packet.payloadLength()
                        + packet.padCount()
                        + Icrc.LENGTH;
        byte[] bytes = packet.segment().asSlice(start, length).toArray(ValueLayout.JAVA_BYTE);
        int hash = 1;
        for (int i = 0; i < length - Icrc.LENGTH; i++) {
            hash = 31 * hash + (i == 8 ? bytes[i] & 0x7F : bytes[i]);
        }
        return hash;
    }

    private void acknowledgementSent(Packet packet) {
        int syndrome = packet.syndrome();
        assertThat(Psn.difference(packet.msn(), lastMsn)).as("MSN: %s", packet).isNotNegative();
        lastMsn = packet.msn();
        if (syndrome == Aeth.ACK) {
            assertThat(Psn.difference(packet.psn(), lastAck)).as("ACK: %s", packet).isNotNegative();
            lastAck = packet.psn();
        } else if (syndrome == Aeth.NAK_PSN_SEQUENCE_ERROR) {
            assertThat(packet.psn()).as("reports a gap once: %s", packet).isNotEqualTo(reportedGap);
            reportedGap = packet.psn();
        }
    }

    /// A response is new, or repeats one that was sent; a new one was not overtaken by an ACK.
    private void responseSent(Packet packet) {
        if (Psn.difference(packet.psn(), lastResponse) > 0) {
            assertThat(Psn.difference(packet.psn(), lastAck))
                    .as("overtaken by an ACK: %s", packet)
                    .isPositive();
            lastResponse = packet.psn();
        }
    }

    /// An answer acknowledges what was before it, up to the first response that is missing.
    private void answerReceived(Packet packet, long nowNanos) {
        long number = numberOf(packet.psn());
        if (number < unacked || number >= next) {
            return;
        }
        boolean isAcknowledgement = packet.opcode() == Opcode.ACKNOWLEDGE;
        boolean isAck = isAcknowledgement && Aeth.isAck(packet.syndrome());
        long reached = Math.min(isAck ? number + 1 : number, firstAwaited());
        if (!isAcknowledgement && reached == number && number == firstAwaited()) {
            awaited.remove(number);
            reached++;
        }
        if (reached != unacked) {
            unacked = reached;
            rnrUntilNanos = 0;
        }
        while (!readEnds.isEmpty() && readEnds.element() <= unacked) {
            readEnds.remove();
        }
        if (isAcknowledgement && Aeth.isRnrNak(packet.syndrome()) && hasSentSinceRefusal) {
            hasSentSinceRefusal = false;
            rnrUntilNanos = nowNanos + Aeth.rnrTimerNanos(Aeth.rnrTimerCode(packet.syndrome()));
        }
    }

    private long firstAwaited() {
        return awaited.isEmpty() ? Long.MAX_VALUE : awaited.first();
    }
}
