package dev.outboard.peers;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// The packets of an empty RPC without a protocol: a WRITE with immediate each way, and behind each
/// answer, in the same call, the acknowledgement of what it answers. Two threads.
final class FloorRpc implements Measured {
    private static final int HEADERS = 12 + 16 + 4;
    private static final int ACK_HEADERS = 12 + 4;
    private static final int CRC = 4;
    private static final byte GO_ON = 0;
    private static final byte STOP = 1;
    private static final int ACK = ACK_HEADERS + CRC;

    private final RoundTrips trips = new RoundTrips();
    private final boolean blocking;
    private final int payload;
    private final int percent;
    private final Side near = new Side();
    private final Side far = new Side();
    private boolean isFirst = true;

    /// @param percent which percentile of the time of a call is measured
    FloorRpc(boolean blocking, int payload, int percent) {
        this.blocking = blocking;
        this.payload = payload;
        this.percent = percent;
        near.end.connect(far.end);
        far.end.connect(near.end);
    }

    @Override
    public double measure(long nanos) throws Exception {
        mark(near, GO_ON);
        mark(far, GO_ON);
        Thread echo = Thread.ofPlatform().daemon().start(this::echo);
        double result = trips.percentile(percent, nanos, this::call);
        mark(near, STOP);
        call();
        echo.join();
        return result;
    }

    private void call() {
        near.send(!isFirst);
        isFirst = false;
        near.receive();
    }

    /// The first byte of a message says whether it is the last one.
    private void echo() {
        do {
            far.receive();
            far.send(true);
        } while (far.region.get(JAVA_BYTE, 0) == GO_ON);
    }

    private static void mark(Side side, byte value) {
        side.region.set(JAVA_BYTE, 0, value);
    }

    private final class Side {
        private final UdpEnd end = new UdpEnd();
        private final MemorySegment region = UdpEnd.memory(UdpEnd.BUFFER_BYTES);
        private final MemorySegment packets = UdpEnd.memory(UdpEnd.BUFFER_BYTES);
        private final ByteBuffer view = packets.asByteBuffer();

        void send(boolean acknowledges) {
            int write = HEADERS + payload + CRC;
            MemorySegment.copy(region, 0, packets, HEADERS, payload);
            end.seal(packets, view, 0, write - CRC);
            if (acknowledges) {
                end.seal(packets, view, write, ACK_HEADERS);
            }
            end.add(packets, 0, acknowledges ? write + ACK : write);
            end.send(acknowledges ? write : 0);
        }

        void receive() {
            int length = end.receive(blocking);
            while (length < 0) {
                Thread.onSpinWait();
                length = end.receive(blocking);
            }
            int segment = end.segmentBytes();
            for (int at = 0; at < length; at += segment) {
                accept(at, Math.min(segment, length - at));
            }
        }

        private void accept(int at, int length) {
            if (!end.isSound(at, length)) {
                throw new IllegalStateException("a packet has a wrong checksum");
            }
            if (length > ACK) {
                MemorySegment.copy(end.buffer, at + HEADERS, region, 0, payload);
            }
        }
    }
}
