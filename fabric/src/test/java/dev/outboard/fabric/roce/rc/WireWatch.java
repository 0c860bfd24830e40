package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

/// Watches the packets of one end of a connection and fails when one breaks a rule that holds
/// always (roce.md 3.4 to 3.8), whatever the network does.
final class WireWatch implements SimulatedEndpoint.Watch {
    private static final int NOTHING = -1;
    private static final int MAX_PACKETS_PER_ACK_REQUEST = 64;

    private final RcConnection connection;

    /// A hash of every request packet by its PSN: sent again, it must be the same.
    private final Map<Integer, Integer> contents = new HashMap<>();

    private int unackedPsn;
    private int nextPsn;
    private int packetsSinceAckRequest;
    private long rnrUntilNanos;
    private boolean hasSentSinceRefusal;
    private int reportedGap = NOTHING;
    private int lastAck;
    private int lastMsn;
    private long packets;

    WireWatch(RcConnection connection) {
        this.connection = connection;
        unackedPsn = connection.sendPsn();
        nextPsn = unackedPsn;
        lastAck = Psn.add(connection.receivePsn(), -1);
    }

    /// Packets sent.
    long packets() {
        return packets;
    }

    @Override
    public void sent(Packet packet, long nowNanos) {
        packets++;
        assertThat(packet.destinationQpn()).isEqualTo(connection.destinationQpn());
        if (packet.opcode().isRequest()) {
            requestSent(packet, nowNanos);
        } else {
            answerSent(packet);
        }
    }

    @Override
    public void received(Packet packet, long nowNanos) {
        if (packet.opcode() == Opcode.ACKNOWLEDGE) {
            answerReceived(packet, nowNanos);
        } else if (packet.psn() == reportedGap) {
            reportedGap = NOTHING;
        }
    }

    private void requestSent(Packet packet, long nowNanos) {
        int psn = packet.psn();
        assertThat(Psn.difference(psn, nextPsn)).as("skips a PSN: %s", packet).isNotPositive();
        assertThat(Psn.difference(psn, unackedPsn))
                .as("within the window and not acknowledged: %s", packet)
                .isBetween(0, connection.maxWindowPackets() - 1);
        assertThat(nowNanos)
                .as("waits for the RNR timer: %s", packet)
                .isGreaterThanOrEqualTo(rnrUntilNanos);
        hasSentSinceRefusal = true;
        int content = contentHash(packet);
        assertThat(contents.putIfAbsent(psn, content))
                .as("same again: %s", packet)
                .isIn(null, content);
        if (psn == nextPsn) {
            nextPsn = Psn.next(nextPsn);
        }
        packetsSinceAckRequest = packet.ackRequest() ? 0 : packetsSinceAckRequest + 1;
        assertThat(packetsSinceAckRequest).isLessThan(MAX_PACKETS_PER_ACK_REQUEST);
        if (packet.opcode().isLast() || packet.opcode().isOnly()) {
            assertThat(packet.ackRequest()).as("asks for an ACK: %s", packet).isTrue();
        }
        assertThat(packet.payloadLength()).isLessThanOrEqualTo(connection.pathMtuBytes());
    }

    /// Of everything but AckReq and the ICRC.
    private static int contentHash(Packet packet) {
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

    private void answerSent(Packet packet) {
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

    private void answerReceived(Packet packet, long nowNanos) {
        boolean isAck = Aeth.isAck(packet.syndrome());
        int psn = packet.psn();
        if (Psn.difference(psn, unackedPsn) < 0 || Psn.difference(psn, nextPsn) >= 0) {
            return;
        }
        int newUnacked = isAck ? Psn.next(psn) : psn;
        if (newUnacked != unackedPsn) {
            unackedPsn = newUnacked;
            rnrUntilNanos = 0;
        }
        if (Aeth.isRnrNak(packet.syndrome()) && hasSentSinceRefusal) {
            hasSentSinceRefusal = false;
            rnrUntilNanos = nowNanos + Aeth.rnrTimerNanos(Aeth.rnrTimerCode(packet.syndrome()));
        }
    }
}
