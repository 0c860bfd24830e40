package dev.outboard.dpa.nic;

import static dev.outboard.dpa.nic.FrameHeaders.load16;
import static dev.outboard.dpa.nic.FrameHeaders.load32;
import static dev.outboard.dpa.nic.FrameHeaders.load8;
import static dev.outboard.dpa.nic.FrameHeaders.put16;
import static dev.outboard.dpa.nic.FrameHeaders.put32;
import static dev.outboard.dpa.nic.FrameHeaders.put8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// DPA-FXQ-8d: cuts the payload of a large send into frames, which leave through a port at once.
/// Each send queue of frames has one, and uses it again and again.
final class LargeSend {
    /// The most payload of an entry.
    static final int MAX_PAYLOAD_BYTES = 1 << 18;

    private static final int IDENTIFICATION = 4;
    private static final int SEQUENCE = 4;
    private static final int DATA_OFFSET = 12;
    private static final int DATA_OFFSET_SHIFT = 4;
    private static final int TCP_LEAST_BYTES = 20;
    private static final int TCP_FLAGS = 13;
    private static final int FIN_AND_PSH = 0x01 | 0x08;
    private static final int CWR = 0x80;

    private final NicPort port;
    private final FrameHeaders headers = new FrameHeaders();
    private final FrameChecksums checksums = new FrameChecksums();
    private final MemorySegment frame =
            Arena.ofAuto().allocate(NicPort.MAX_FRAME_BYTES, Long.BYTES);

    LargeSend(NicPort port) {
        this.port = port;
    }

    /// Sends all frames of an entry, at least one, if its inline bytes are the headers of Ethernet,
    /// IP and TCP; else none.
    ///
    /// @param large the headers and what goes into a frame together are no longer than a frame
    Acknowledge send(Message large) {
        int headerBytes = large.inlineBytes();
        headers.find(large.payload(), headerBytes);
        if (!endsWithTcp(large.payload(), headerBytes)) {
            return Acknowledge.NOT_EXECUTABLE;
        }
        int payloadBytes = large.byteCount() - headerBytes;
        int position = 0;
        for (int number = 0; number == 0 || position < payloadBytes; number++) {
            int length = Math.min(large.segmentBytes(), payloadBytes - position);
            MemorySegment.copy(large.payload(), 0, frame, 0, headerBytes);
            MemorySegment.copy(large.payload(), headerBytes + position, frame, headerBytes, length);
            boolean isLast = position + length == payloadBytes;
            fillIn(headerBytes + length, number, position, isLast);
            checksums.insert(frame, headerBytes + length, large.flags());
            port.send(frame, headerBytes + length);
            position += length;
        }
        return Acknowledge.DONE;
    }

    private boolean endsWithTcp(MemorySegment bytes, int headerBytes) {
        if (headers.protocol() != FrameHeaders.TCP) {
            return false;
        }
        int at = headers.transport();
        int words = load8(bytes, at + DATA_OFFSET) >>> DATA_OFFSET_SHIFT;
        int tcpBytes = words * Integer.BYTES;
        return tcpBytes >= TCP_LEAST_BYTES && at + tcpBytes == headerBytes;
    }

    /// Makes the headers those of one of the frames.
    private void fillIn(int lengthBytes, int number, int position, boolean isLast) {
        headers.setPacketEnd(frame, lengthBytes);
        if (headers.version() == 4) {
            int at = headers.network() + IDENTIFICATION;
            put16(frame, at, load16(frame, at) + number);
        }
        int sequence = headers.transport() + SEQUENCE;
        put32(frame, sequence, load32(frame, sequence) + position);
        int flags = headers.transport() + TCP_FLAGS;
        int dropped = (isLast ? 0 : FIN_AND_PSH) | (number == 0 ? 0 : CWR);
        put8(frame, flags, load8(frame, flags) & ~dropped);
    }
}
