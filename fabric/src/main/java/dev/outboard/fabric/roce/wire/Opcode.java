package dev.outboard.fabric.roce.wire;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// What a packet is: the first byte of the BTH. An opcode fixes the transport, the operation, the
/// packet's place in its message, and which extension headers follow.
///
/// Source: spec/roce.md, 3.1 (RC), 4 (UD) and 6 (CNP). The order of extension headers is that of
/// 1.4: RETH, AETH, AtomicETH or DETH first, right behind the BTH; immediate data or IETH last.
public enum Opcode {
    SEND_FIRST(0x00, Operation.SEND, Position.FIRST),
    SEND_MIDDLE(0x01, Operation.SEND, Position.MIDDLE),
    SEND_LAST(0x02, Operation.SEND, Position.LAST),
    SEND_LAST_IMM(0x03, Operation.SEND, Position.LAST, Extension.IMMEDIATE),
    SEND_ONLY(0x04, Operation.SEND, Position.ONLY),
    SEND_ONLY_IMM(0x05, Operation.SEND, Position.ONLY, Extension.IMMEDIATE),
    WRITE_FIRST(0x06, Operation.WRITE, Position.FIRST, Extension.RETH),
    WRITE_MIDDLE(0x07, Operation.WRITE, Position.MIDDLE),
    WRITE_LAST(0x08, Operation.WRITE, Position.LAST),
    WRITE_LAST_IMM(0x09, Operation.WRITE, Position.LAST, Extension.IMMEDIATE),
    WRITE_ONLY(0x0A, Operation.WRITE, Position.ONLY, Extension.RETH),
    WRITE_ONLY_IMM(0x0B, Operation.WRITE, Position.ONLY, Extension.RETH, Extension.IMMEDIATE),
    READ_REQUEST(0x0C, Operation.READ_REQUEST, Position.ONLY, Extension.RETH),
    READ_RESP_FIRST(0x0D, Operation.READ_RESPONSE, Position.FIRST, Extension.AETH),
    READ_RESP_MIDDLE(0x0E, Operation.READ_RESPONSE, Position.MIDDLE),
    READ_RESP_LAST(0x0F, Operation.READ_RESPONSE, Position.LAST, Extension.AETH),
    READ_RESP_ONLY(0x10, Operation.READ_RESPONSE, Position.ONLY, Extension.AETH),
    ACKNOWLEDGE(0x11, Operation.ACKNOWLEDGE, Position.ONLY, Extension.AETH),
    ATOMIC_ACK(0x12, Operation.ATOMIC_ACK, Position.ONLY, Extension.AETH, Extension.ATOMIC_ACK_ETH),
    CMP_SWAP(0x13, Operation.COMPARE_SWAP, Position.ONLY, Extension.ATOMIC_ETH),
    FETCH_ADD(0x14, Operation.FETCH_ADD, Position.ONLY, Extension.ATOMIC_ETH),
    SEND_LAST_INV(0x16, Operation.SEND, Position.LAST, Extension.IETH),
    SEND_ONLY_INV(0x17, Operation.SEND, Position.ONLY, Extension.IETH),
    /// Its extension headers are not decoded.
    FLUSH(0x1C, Operation.FLUSH, Position.ONLY, Extension.FETH_AND_RETH),
    ATOMIC_WRITE(0x1D, Operation.ATOMIC_WRITE, Position.ONLY, Extension.RETH),
    UD_SEND_ONLY(0x64, Operation.UD_SEND, Position.ONLY, Extension.DETH),
    UD_SEND_ONLY_IMM(0x65, Operation.UD_SEND, Position.ONLY, Extension.DETH, Extension.IMMEDIATE),
    CNP(0x81, Operation.CNP, Position.ONLY);

    /// The transport service that an opcode belongs to.
    public enum Transport {
        /// Reliable connection.
        RC,
        /// Unreliable datagram.
        UD,
        /// Congestion notification: sent along a reliable connection, but outside its sequence.
        CNP
    }

    /// What a packet does, whatever its place in the message and the extras it carries.
    public enum Operation {
        SEND,
        WRITE,
        READ_REQUEST,
        READ_RESPONSE,
        ACKNOWLEDGE,
        ATOMIC_ACK,
        COMPARE_SWAP,
        FETCH_ADD,
        FLUSH,
        ATOMIC_WRITE,
        UD_SEND,
        CNP
    }

    private enum Position {
        FIRST,
        MIDDLE,
        LAST,
        ONLY
    }

    private enum Extension {
        RETH(Reth.LENGTH),
        AETH(Aeth.LENGTH),
        ATOMIC_ETH(AtomicEth.LENGTH),
        ATOMIC_ACK_ETH(AtomicAckEth.LENGTH),
        DETH(Deth.LENGTH),
        IMMEDIATE(Immediate.LENGTH),
        IETH(Ieth.LENGTH),
        FETH_AND_RETH(4 + Reth.LENGTH);

        private final int length;

        Extension(int length) {
            this.length = length;
        }
    }

    private static final @Nullable Opcode[] BY_CODE = new Opcode[256];

    static {
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final Operation operation;
    private final Transport transport;
    private final Position position;
    private final int headerLength;
    private final boolean hasReth;
    private final boolean hasAeth;
    private final boolean hasAtomicEth;
    private final boolean hasAtomicAckEth;
    private final boolean hasDeth;
    private final boolean hasImmediate;
    private final boolean hasIeth;

    Opcode(int code, Operation operation, Position position, Extension... extensions) {
        this.code = code;
        this.operation = operation;
        this.position = position;
        this.transport =
                switch (operation) {
                    case UD_SEND -> Transport.UD;
                    case CNP -> Transport.CNP;
                    default -> Transport.RC;
                };
        int length = Bth.LENGTH;
        for (Extension extension : extensions) {
            length += extension.length;
        }
        this.headerLength = length;
        var present = Arrays.asList(extensions);
        this.hasReth = present.contains(Extension.RETH);
        this.hasAeth = present.contains(Extension.AETH);
        this.hasAtomicEth = present.contains(Extension.ATOMIC_ETH);
        this.hasAtomicAckEth = present.contains(Extension.ATOMIC_ACK_ETH);
        this.hasDeth = present.contains(Extension.DETH);
        this.hasImmediate = present.contains(Extension.IMMEDIATE);
        this.hasIeth = present.contains(Extension.IETH);
    }

    /// The opcode of a byte (0 to 255), or null when no opcode has that code.
    public static @Nullable Opcode of(int code) {
        return BY_CODE[code];
    }

    public int code() {
        return code;
    }

    public Operation operation() {
        return operation;
    }

    public Transport transport() {
        return transport;
    }

    /// Bytes of the BTH and the extension headers: where the payload starts.
    public int headerLength() {
        return headerLength;
    }

    /// Whether it is a request: an RC packet that takes a PSN of its sender.
    public boolean isRequest() {
        return transport == Transport.RC && !isResponse();
    }

    /// Whether it is a response: an RC packet that carries the PSN of a request.
    public boolean isResponse() {
        return operation == Operation.ACKNOWLEDGE
                || operation == Operation.READ_RESPONSE
                || operation == Operation.ATOMIC_ACK;
    }

    public boolean isFirst() {
        return position == Position.FIRST;
    }

    public boolean isMiddle() {
        return position == Position.MIDDLE;
    }

    public boolean isLast() {
        return position == Position.LAST;
    }

    public boolean isOnly() {
        return position == Position.ONLY;
    }

    public boolean hasReth() {
        return hasReth;
    }

    public boolean hasAeth() {
        return hasAeth;
    }

    public boolean hasAtomicEth() {
        return hasAtomicEth;
    }

    public boolean hasAtomicAckEth() {
        return hasAtomicAckEth;
    }

    public boolean hasDeth() {
        return hasDeth;
    }

    public boolean hasImmediate() {
        return hasImmediate;
    }

    public boolean hasIeth() {
        return hasIeth;
    }
}
