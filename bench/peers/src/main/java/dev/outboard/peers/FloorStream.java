package dev.outboard.peers;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// The packets of a stream of WRITEs without a protocol: many per call, checksum at both ends, copy
/// at the receiver, one acknowledgement per call. Two threads that spin.
final class FloorStream implements Measured {
    static final int MTU = 4096;
    static final int SMALL_REGION = 1 << 16;

    private static final int HEADERS = 12;
    private static final int CRC = 4;
    private static final int ACK = 20;
    private static final int MAX_CALL_PACKETS = 64;
    private static final int MAX_CALL_BYTES = 65_000;
    private static final int WINDOW_CALLS = 8;
    private static final double NANOS_PER_SECOND = 1e9;

    private final UdpEnd near = new UdpEnd();
    private final UdpEnd far = new UdpEnd();
    private final int payload;
    private final int perCall;
    private final MemorySegment source;
    private final ByteBuffer sourceView;
    private final MemorySegment target;
    private final MemorySegment headers = UdpEnd.memory(HEADERS);
    private final ByteBuffer headersView = headers.asByteBuffer();
    private final MemorySegment trailers = UdpEnd.memory(MAX_CALL_PACKETS * CRC);
    private final MemorySegment ack = UdpEnd.memory(ACK);
    private final ByteBuffer ackView = ack.asByteBuffer();
    private volatile boolean stopping;
    private int sourceAt;
    private int targetAt;

    /// @param bytes of the memory that the stream goes through again and again
    FloorStream(int bytes, int payload) {
        this.payload = payload;
        this.perCall = Math.min(MAX_CALL_PACKETS, MAX_CALL_BYTES / (HEADERS + payload + CRC));
        source = UdpEnd.memory(bytes + MTU);
        sourceView = UdpEnd.view(source);
        target = UdpEnd.memory(bytes + MTU);
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
            send();
            sent += perCall;
            end = System.nanoTime();
        } while (end - start < nanos);
        while (done < sent) {
            done = Math.max(done, acknowledged());
        }
        end = System.nanoTime();
        stopping = true;
        receiver.join();
        double messages = sent * NANOS_PER_SECOND / (end - start);
        return payload == MTU ? messages * MTU : messages;
    }

    private void send() {
        for (int i = 0; i < perCall; i++) {
            int crc = near.crcOf(headersView, HEADERS, sourceView, sourceAt, payload);
            trailers.set(JAVA_INT, (long) i * CRC, crc);
            near.add(headers, 0, HEADERS);
            near.add(source, sourceAt, payload);
            near.add(trailers, (long) i * CRC, CRC);
            sourceAt = next(sourceAt, source);
        }
        near.send(HEADERS + payload + CRC);
    }

    private int next(int at, MemorySegment memory) {
        int after = at + payload;
        return after + MTU > memory.byteSize() ? 0 : after;
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
        MemorySegment.copy(far.buffer, at + HEADERS, target, targetAt, payload);
        targetAt = next(targetAt, target);
    }

    private static void check(UdpEnd end, int at, int length) {
        if (!end.isSound(at, length)) {
            throw new IllegalStateException("a packet has a wrong checksum");
        }
    }
}
