package dev.outboard.peers;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// The packets of a stream of WRITEs without a protocol: many per call, checksum at both ends, copy
/// at the receiver, one acknowledgement per call. All go to the same memory. Two threads that spin.
final class FloorStream implements Measured {
    private static final int MTU = 4096;
    private static final int HEADERS = 12;

    /// Of the first packet of a WRITE, which says where it goes.
    private static final int FIRST_HEADERS = HEADERS + 16;

    private static final int CRC = 4;

    /// So short a payload is cheaper to copy than to point to.
    private static final int COPY_LIMIT = 256;

    private static final int ACK = 20;
    private static final int MAX_CALL_PACKETS = 64;
    private static final int MAX_CALL_BYTES = 65_507;
    private static final int WINDOW_CALLS = 8;
    private static final double NANOS_PER_SECOND = 1e9;

    private final UdpEnd near = new UdpEnd();
    private final UdpEnd far = new UdpEnd();
    private final int bytes;
    private final boolean countsBytes;
    private final int packets;
    private final int perCall;
    private final MemorySegment source;
    private final ByteBuffer sourceView;
    private final MemorySegment target;

    /// Headers, checksums and short payloads.
    private final MemorySegment own = UdpEnd.memory(UdpEnd.BUFFER_BYTES);

    private final ByteBuffer ownView = own.asByteBuffer();
    private final MemorySegment ack = UdpEnd.memory(ACK);
    private final ByteBuffer ackView = ack.asByteBuffer();
    private volatile boolean stopping;
    private int sourceAt;
    private int targetAt;

    /// @param bytes of a WRITE
    /// @param countsBytes whether the result is bytes per second, not messages
    FloorStream(int bytes, boolean countsBytes) {
        this.bytes = bytes;
        this.countsBytes = countsBytes;
        packets = Math.ceilDiv(bytes, MTU);
        int largest = HEADERS + Math.min(bytes, MTU) + CRC;
        perCall = Math.min(MAX_CALL_PACKETS, MAX_CALL_BYTES / largest);
        source = UdpEnd.memory(bytes);
        sourceView = UdpEnd.view(source);
        target = UdpEnd.memory(bytes);
        near.connect(far);
        far.connect(near);
    }

    @Override
    public double measure(long nanos) throws Exception {
        stopping = false;
        Thread receiver = Thread.ofPlatform().daemon().start(this::receive);
        long sent = 0;
        long done = 0;
        long start = System.nanoTime();
        long end;
        do {
            while (sent + perCall - done > (long) WINDOW_CALLS * perCall) {
                done = Math.max(done, acknowledged());
            }
            sent += send();
            end = System.nanoTime();
        } while (end - start < nanos);
        while (done < sent) {
            done = Math.max(done, acknowledged());
        }
        end = System.nanoTime();
        stopping = true;
        receiver.join();
        double messages = sent * NANOS_PER_SECOND / packets / (end - start);
        return countsBytes ? messages * bytes : messages;
    }

    /// Sends as many packets as one call takes: all as long as the first, the last one perhaps
    /// shorter.
    ///
    /// @return how many
    private int send() {
        int segment = length(sourceAt);
        int length = segment;
        int at = 0;
        int total = 0;
        int count = 0;
        do {
            at = add(at);
            total += length;
            count++;
            boolean isLast = length < segment || count == MAX_CALL_PACKETS;
            length = isLast ? Integer.MAX_VALUE : length(sourceAt);
        } while (length <= segment && total + length <= MAX_CALL_BYTES);
        near.send(segment);
        return count;
    }

    /// Adds the next packet, with what is not pointed to at `at`.
    ///
    /// @return where that ends
    private int add(int at) {
        int headers = headers(sourceAt);
        int payload = payload(sourceAt);
        near.add(own, at, headers);
        int end = at + headers;
        if (payload <= COPY_LIMIT) {
            MemorySegment.copy(source, sourceAt, own, end, payload);
            near.add(own, end, payload);
            end += payload;
            near.seal(own, ownView, at, end - at);
        } else {
            near.add(source, sourceAt, payload);
            int crc = near.crcOf(ownView, at, headers, sourceView, sourceAt, payload);
            own.set(JAVA_INT_UNALIGNED, end, crc);
        }
        near.add(own, end, CRC);
        sourceAt = next(sourceAt);
        return end + CRC;
    }

    private int length(int at) {
        return headers(at) + payload(at) + CRC;
    }

    private static int headers(int at) {
        return at == 0 ? FIRST_HEADERS : HEADERS;
    }

    private int payload(int at) {
        return Math.min(MTU, bytes - at);
    }

    private int next(int at) {
        int after = at + payload(at);
        return after == bytes ? 0 : after;
    }

    /// What the latest acknowledgement says, 0 if there is none.
    private long acknowledged() {
        int length = near.receive(false);
        if (length < ACK) {
            return 0;
        }
        check(near, length - ACK, ACK);
        return near.buffer.get(JAVA_LONG_UNALIGNED, length - ACK);
    }

    private void receive() {
        long packets = 0;
        while (!stopping) {
            int length = far.receive(false);
            if (length <= 0) {
                continue;
            }
            int segment = far.segmentBytes();
            for (int at = 0; at < length; at += segment) {
                accept(at, Math.min(segment, length - at));
                packets++;
            }
            ack.set(JAVA_LONG_UNALIGNED, 0, packets);
            far.seal(ack, ackView, 0, ACK - CRC);
            far.add(ack, 0, ACK);
            far.send(0);
        }
    }

    private void accept(int at, int length) {
        check(far, at, length);
        int from = at + headers(targetAt);
        MemorySegment.copy(far.buffer, from, target, targetAt, payload(targetAt));
        targetAt = next(targetAt);
    }

    private static void check(UdpEnd end, int at, int length) {
        if (!end.isSound(at, length)) {
            throw new IllegalStateException("a packet has a wrong checksum");
        }
    }
}
