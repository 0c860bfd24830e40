package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Psn;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/// Proves that the kernel builds the IPv4 headers that our ICRCs claim (roce.md 2.4): sends one
/// packet through the socket and reads it back, headers included, from the error queue, where
/// `SO_TIMESTAMPING` puts a copy of what was transmitted. Needs no privilege.
///
/// To be used before anybody else uses the socket: what it has received meanwhile is thrown away.
final class SelfCheck {
    /// `SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_SOFTWARE`; without `OPT_TSONLY`, so that the
    /// frame comes along.
    static final int LOOP_TRANSMITTED = 1 << 8 | 1 << 4;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Room for the link header, which is in front, and all else.
    private static final int FRAME_BYTES = 256;

    private static final int PROBE_BYTES = Packet.MIN_LENGTH;
    private static final int HEADER_BYTES = IpHeaders.IPV4_LENGTH + IpHeaders.UDP_LENGTH;

    private static final int VERSION_4_LENGTH_20 = 0x45;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final long IDENTIFICATION = 4;
    private static final long FLAGS = 6;
    private static final long SOURCE = 12;

    private static final ValueLayout.OfShort NETWORK_SHORT =
            JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /// So many messages are thrown away at most; a flood must not hold up the start.
    private static final int MAX_STRAY = 1024;

    private final UdpSocket socket;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment probe = arena.allocate(PROBE_BYTES, Long.BYTES);
    private final MemorySegment frame = arena.allocate(FRAME_BYTES, Long.BYTES);
    private final MemorySegment outgoing = UdpSocket.message(arena, probe);
    private final MemorySegment incoming = UdpSocket.message(arena, frame);

    private SelfCheck(UdpSocket socket) {
        this.socket = socket;
    }

    /// Returns if RoCE packets can be sent through `socket`.
    ///
    /// @throws FabricException if not, or if the kernel does not show
    static void require(UdpSocket socket) {
        String finding = problemOf(socket);
        if (!finding.isEmpty()) {
            throw new FabricException(
                    Reason.UNUSABLE_PATH,
                    "cannot send RoCE over IPv4 from "
                            + socket
                            + ": "
                            + finding
                            + ". Peers would drop every packet for its checksum; over IPv6 they"
                            + " would not");
        }
    }

    /// What is wrong with the headers of `socket`, or nothing.
    static String problemOf(UdpSocket socket) {
        // An IPv6 header has no field that the kernel would choose and the ICRC cover.
        return socket.isIpv4() ? new SelfCheck(socket).finding() : "";
    }

    private String finding() {
        int armed = loopTransmitted(LOOP_TRANSMITTED);
        if (armed < 0) {
            return "the kernel refuses SO_TIMESTAMPING: " + Errno.name(-armed);
        }
        try (Waiter waiter = new Waiter(socket)) {
            writeProbe();
            int sent = sendProbe();
            return sent < 0 ? "cannot send to itself: " + Errno.name(-sent) : awaitFrame(waiter);
        } finally {
            loopTransmitted(0);
            throwAwayReceived();
            throwAwayTransmitted();
        }
    }

    private int loopTransmitted(int flags) {
        return socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING, flags);
    }

    /// The smallest packet, to queue pair 0, which everybody drops. The PSN tells it from others.
    private void writeProbe() {
        int psn = ThreadLocalRandom.current().nextInt(Psn.MODULUS);
        Bth.write(probe, 0, Opcode.SEND_ONLY, false, 0, Bth.DEFAULT_PARTITION_KEY, 0, false, psn);
    }

    private int sendProbe() {
        InetAddress local = socket.localAddress();
        MemorySegment name = UdpSocket.socketAddress(arena, local, socket.localPort());
        Msghdr.name(outgoing, name.address(), (int) name.byteSize());
        return socket.send(outgoing);
    }

    private String awaitFrame(Waiter waiter) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (long left = PATIENCE_NANOS; left > 0; left = deadline - System.nanoTime()) {
            long ip = findHeader(frame, socket.receiveError(incoming), probe);
            if (ip >= 0) {
                return inspect(frame.asSlice(ip, IpHeaders.IPV4_LENGTH), socket.localAddress());
            }
            throwAwayReceived();
            waiter.await(left);
        }
        return "the kernel does not show the headers it sends; net.core.tstamp_allow_data=1 lets it";
    }

    /// Where the IPv4 header starts in a frame of `length` bytes that ends with `probe`; negative
    /// if it is another packet's, or none.
    static long findHeader(MemorySegment frame, int length, MemorySegment probe) {
        long end = length - probe.byteSize();
        boolean found =
                end >= HEADER_BYTES && frame.asSlice(end, probe.byteSize()).mismatch(probe) == -1;
        return found ? end - HEADER_BYTES : -1;
    }

    /// What is wrong with the IPv4 header of a packet from `local`, or nothing. One with options
    /// starts earlier than it would without, so that the first byte here is one of theirs.
    static String inspect(MemorySegment header, InetAddress local) {
        if (header.get(JAVA_BYTE, 0) != VERSION_4_LENGTH_20) {
            return "its IPv4 header is not 20 bytes long";
        }
        int identification = Short.toUnsignedInt(header.get(NETWORK_SHORT, IDENTIFICATION));
        int flags = Short.toUnsignedInt(header.get(NETWORK_SHORT, FLAGS));
        if (flags != DONT_FRAGMENT || identification != 0) {
            return String.format(
                    "its IPv4 headers have flags 0x%04X and identification 0x%04X instead of"
                            + " 0x%04X and 0",
                    flags, identification, DONT_FRAGMENT);
        }
        byte[] source = header.asSlice(SOURCE, Integer.BYTES).toArray(JAVA_BYTE);
        return Arrays.equals(source, local.getAddress())
                ? ""
                : "its packets have another source address";
    }

    private void throwAwayReceived() {
        for (int i = 0; i < MAX_STRAY; i++) {
            if (socket.receive(incoming) < 0) {
                return;
            }
        }
    }

    private void throwAwayTransmitted() {
        for (int i = 0; i < MAX_STRAY; i++) {
            if (socket.receiveError(incoming) < 0) {
                return;
            }
        }
    }
}
