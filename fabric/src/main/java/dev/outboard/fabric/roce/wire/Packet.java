package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A view of one received UDP payload, from the BTH to the ICRC. One object is reused for all
/// packets of a receiver; it and what it shows are valid until the next [#wrap], in that thread.
///
/// ```java
/// PacketFlaw reason = packet.wrap(buffer, at, length);
/// if (reason == null && packet.opcode().isRequest()) { … }
/// ```
///
/// `wrap` checks everything that can be seen in the packet itself; after it no accessor fails. The
/// accessors of an extension header may be called only when the opcode has that header.
public final class Packet {
    /// BTH and ICRC.
    public static final int MIN_LENGTH = Bth.LENGTH + Icrc.LENGTH;

    private static final int PARTITION_MASK = 0x7FFF;
    private static final int EXTENSION = Bth.LENGTH;

    private MemorySegment segment = MemorySegment.NULL;
    private long at;
    private Opcode opcode = Opcode.CNP;
    private int length;
    private int payloadLength;
    private long sourceHigh;
    private long sourceLow;
    private int sourcePort;
    private int trafficClass;
    private int identification;
    private boolean isDontFragment;

    /// Shows the `length` bytes at `at`, which must lie in the segment. Returns null when they are
    /// a well-formed packet, otherwise why not; then the view is unusable.
    ///
    /// ROCE-PKT-5: what is not well-formed is dropped, each kind under a reason of its own.
    public @Nullable PacketFlaw wrap(MemorySegment segment, long at, int length) {
        if (length < MIN_LENGTH) {
            return PacketFlaw.TOO_SHORT;
        }
        if ((length & 3) != 0) {
            return PacketFlaw.NOT_MULTIPLE_OF_4;
        }
        if (Bth.transportVersion(segment, at) != 0) {
            return PacketFlaw.BAD_TRANSPORT_VERSION;
        }
        Opcode known = Opcode.of(Bth.opcode(segment, at));
        if (known == null) {
            return PacketFlaw.UNKNOWN_OPCODE;
        }
        this.segment = segment;
        this.at = at;
        this.opcode = known;
        this.length = length;
        this.payloadLength = length - known.headerLength() - Icrc.LENGTH - padCount();
        return check(length);
    }

    private @Nullable PacketFlaw check(int length) {
        if (length < opcode.headerLength() + Icrc.LENGTH) {
            return PacketFlaw.TOO_SHORT;
        }
        if (destinationQpn() == 0) {
            return PacketFlaw.QPN_ZERO;
        }
        /// ROCE-PKT-7: the top bit tells full from limited members, who may all talk to us.
        if ((partitionKey() & PARTITION_MASK) != PARTITION_MASK) {
            return PacketFlaw.BAD_PARTITION_KEY;
        }
        return payloadLength < 0 ? PacketFlaw.BAD_PAD : null;
    }

    /// Notes where the packet came from: the sender's GID, UDP port, and the traffic class if
    /// known.
    public void from(long sourceHigh, long sourceLow, int sourcePort, int trafficClass) {
        this.sourceHigh = sourceHigh;
        this.sourceLow = sourceLow;
        this.sourcePort = sourcePort;
        this.trafficClass = trafficClass;
        identified(0, true);
    }

    /// Notes what the ICRC told about two fields of the IPv4 header that its receiver was not told.
    public void identified(int identification, boolean isDontFragment) {
        this.identification = identification;
        this.isDontFragment = isDontFragment;
    }

    public long sourceHigh() {
        return sourceHigh;
    }

    public long sourceLow() {
        return sourceLow;
    }

    /// ROCE-PKT-1: flow entropy chosen by the sender, of no meaning to the receiver.
    public int sourcePort() {
        return sourcePort;
    }

    public int trafficClass() {
        return trafficClass;
    }

    public int identification() {
        return identification;
    }

    public boolean isDontFragment() {
        return isDontFragment;
    }

    /// Of the UDP payload: BTH to ICRC.
    public int length() {
        return length;
    }

    public MemorySegment segment() {
        return segment;
    }

    /// Where the payload starts in [#segment].
    public long payloadOffset() {
        return at + opcode.headerLength();
    }

    /// Without pad bytes.
    public int payloadLength() {
        return payloadLength;
    }

    public Opcode opcode() {
        return opcode;
    }

    public int psn() {
        return Bth.psn(segment, at);
    }

    public int destinationQpn() {
        return Bth.destinationQpn(segment, at);
    }

    public boolean ackRequest() {
        return Bth.ackRequest(segment, at);
    }

    public boolean solicited() {
        return Bth.solicited(segment, at);
    }

    public boolean migrationRequest() {
        return Bth.migrationRequest(segment, at);
    }

    public boolean fecn() {
        return Bth.fecn(segment, at);
    }

    public boolean becn() {
        return Bth.becn(segment, at);
    }

    public int padCount() {
        return Bth.padCount(segment, at);
    }

    public int partitionKey() {
        return Bth.partitionKey(segment, at);
    }

    /// Of a RETH or an AtomicETH: both start with address and key.
    public long remoteAddress() {
        assert opcode.hasReth() || opcode.hasAtomicEth() : opcode;
        return Reth.virtualAddress(segment, at + EXTENSION);
    }

    /// Of a RETH or an AtomicETH.
    public int remoteKey() {
        assert opcode.hasReth() || opcode.hasAtomicEth() : opcode;
        return Reth.remoteKey(segment, at + EXTENSION);
    }

    /// Of a RETH: 0 to 2³² − 1.
    public long dmaLength() {
        assert opcode.hasReth() : opcode;
        return Reth.dmaLength(segment, at + EXTENSION);
    }

    public long swapOrAdd() {
        assert opcode.hasAtomicEth() : opcode;
        return AtomicEth.swapOrAdd(segment, at + EXTENSION);
    }

    public long compare() {
        assert opcode.hasAtomicEth() : opcode;
        return AtomicEth.compare(segment, at + EXTENSION);
    }

    public int syndrome() {
        assert opcode.hasAeth() : opcode;
        return Aeth.syndrome(segment, at + EXTENSION);
    }

    public int msn() {
        assert opcode.hasAeth() : opcode;
        return Aeth.msn(segment, at + EXTENSION);
    }

    public long originalValue() {
        assert opcode.hasAtomicAckEth() : opcode;
        return AtomicAckEth.originalValue(segment, payloadOffset() - AtomicAckEth.LENGTH);
    }

    public int queueKey() {
        assert opcode.hasDeth() : opcode;
        return Deth.queueKey(segment, at + EXTENSION);
    }

    public int sourceQpn() {
        assert opcode.hasDeth() : opcode;
        return Deth.sourceQpn(segment, at + EXTENSION);
    }

    public int immediate() {
        assert opcode.hasImmediate() : opcode;
        return Immediate.immediate(segment, payloadOffset() - Immediate.LENGTH);
    }

    /// The R_Key of an IETH.
    public int invalidateKey() {
        assert opcode.hasIeth() : opcode;
        return Ieth.remoteKey(segment, payloadOffset() - Ieth.LENGTH);
    }

    /// One line, for traces: `SEND_ONLY qpn 0x000011 psn 0x90e341 ack-request 32 bytes from …`.
    @Override
    public String toString() {
        if (segment.equals(MemorySegment.NULL)) {
            return "no packet";
        }
        var line = new StringBuilder();
        line.append(opcode)
                .append(String.format(" qpn 0x%06x psn 0x%06x", destinationQpn(), psn()));
        if (ackRequest()) {
            line.append(" ack-request");
        }
        if (solicited()) {
            line.append(" solicited");
        }
        appendExtensions(line);
        return line.append(' ')
                .append(payloadLength)
                .append(" bytes from ")
                .append(new Gid(sourceHigh, sourceLow))
                .toString();
    }

    private void appendExtensions(StringBuilder line) {
        if (opcode.hasReth() || opcode.hasAtomicEth()) {
            line.append(String.format(" address 0x%x key 0x%08x", remoteAddress(), remoteKey()));
        }
        if (opcode.hasReth()) {
            line.append(" length ").append(dmaLength());
        }
        if (opcode.hasAeth()) {
            line.append(String.format(" syndrome 0x%02x msn %d", syndrome(), msn()));
        }
        if (opcode.hasDeth()) {
            line.append(String.format(" from qpn 0x%06x", sourceQpn()));
        }
        if (opcode.hasImmediate()) {
            line.append(String.format(" immediate 0x%08x", immediate()));
        }
        if (opcode.hasIeth()) {
            line.append(String.format(" invalidate 0x%08x", invalidateKey()));
        }
    }
}
