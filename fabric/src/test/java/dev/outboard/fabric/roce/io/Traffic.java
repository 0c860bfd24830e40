package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Packets for tests: SENDs of one packet each, told apart by their PSN.
final class Traffic {
    static final int QPN = 0x2A;

    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Traffic() {}

    /// A packet that arrived.
    record Arrival(int psn, byte[] payload, int sourcePort, int trafficClass) {}

    /// What a transmitter asked and told.
    static final class Listener implements TransmitListener {
        final List<Path> tooLong = new ArrayList<>();
        final List<Path> unreadable = new ArrayList<>();
        boolean segmenting = true;

        @Override
        public boolean maySegment(Path path) {
            return segmenting;
        }

        @Override
        public void tooLong(Path path) {
            tooLong.add(path);
        }

        @Override
        public void unreadable(Path path) {
            unreadable.add(path);
        }
    }

    /// `length` bytes of memory, each different from its neighbours.
    static Payload payload(int length) {
        MemorySegment memory = Arena.ofAuto().allocate(length);
        for (int i = 0; i < length; i++) {
            memory.set(JAVA_BYTE, i, (byte) (i * 7 + (i >> 8)));
        }
        return Payload.of(memory);
    }

    static byte[] bytes(Payload payload, long offset, int length) {
        return payload.segment().asSlice(offset, length).toArray(JAVA_BYTE);
    }

    /// Finishes a packet whose payload is the whole of `payload`.
    static void send(PacketSink sink, Path path, int psn, Payload payload) {
        send(sink, path, psn, payload, 0, (int) payload.byteSize());
    }

    static void send(
            PacketSink sink, Path path, int psn, Payload payload, long offset, int length) {
        begin(sink, psn, length);
        sink.append(payload, offset, length);
        sink.finish(path, Bth.LENGTH);
    }

    /// Writes the headers of a packet.
    static void begin(PacketSink sink, int psn, int payloadLength) {
        Bth.write(
                sink.headerMemory(),
                sink.headerOffset(),
                Opcode.SEND_ONLY,
                false,
                Bth.padCount(payloadLength),
                Bth.DEFAULT_PARTITION_KEY,
                QPN,
                false,
                psn);
    }

    /// Receives until `count` packets have come. Fails if they do not.
    static List<Arrival> receive(UdpSocket socket, Receiver receiver, int count) {
        List<Arrival> arrivals = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        try (Waiter waiter = new Waiter(socket)) {
            while (arrivals.size() < count) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError(arrivals.size() + " of " + count + " packets came");
                }
                if (receiveAll(receiver, arrivals) == 0) {
                    waiter.await(left);
                }
            }
        }
        return arrivals;
    }

    /// Receives what is there.
    static int receiveAll(Receiver receiver, List<Arrival> arrivals) {
        return receiver.receive(
                Integer.MAX_VALUE, System.nanoTime(), (packet, now) -> arrivals.add(of(packet)));
    }

    private static Arrival of(Packet packet) {
        byte[] payload =
                packet.segment()
                        .asSlice(packet.payloadOffset(), packet.payloadLength())
                        .toArray(JAVA_BYTE);
        return new Arrival(packet.psn(), payload, packet.sourcePort(), packet.trafficClass());
    }
}
