package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelfCheckTest {
    private static final int IP_OPTIONS = 4;
    private static final int THREE_NO_OPERATIONS = 0x00010101;
    private static final String GOOD_HEADER = "4500002C 0000 4000 4011 0000 7F5B0102 7F5B0102";

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment bytes = arena.allocate(256);
    private final MemorySegment incoming = UdpSocket.message(arena, bytes);
    private final Traffic.Listener listener = new Traffic.Listener();

    @Test
    @Requirement("ROCE-SOCK-3")
    void passesASocketWhoseHeadersAreKnown() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(Transmitter.open(socket, listener).counters().total()).isZero();
        }
    }

    /// 0 never sets DF, 1 sets it and counts identifications.
    @ParameterizedTest
    @CsvSource({"0, 0x0000", "1, 0x4000"})
    @Requirement("ROCE-SOCK-3")
    void refusesToTransmitWhenTheKernelWritesAnotherHeader(int discovery, String flags) {
        try (UdpSocket socket = Loopback.bind()) {
            socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER, discovery);
            // A counter may pass through 0 once.
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> SelfCheck.require(socket))
                        .isInstanceOfSatisfying(
                                FabricException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.UNUSABLE_PATH))
                        .hasMessageContaining(socket.localAddress().getHostAddress())
                        .hasMessageContaining("flags " + flags)
                        .hasMessageContaining("IPv6");
            }
            assertThatThrownBy(() -> Transmitter.open(socket, listener))
                    .isInstanceOf(FabricException.class);
        }
    }

    @Test
    void leavesNothingBehind() {
        try (UdpSocket socket = Loopback.bind()) {
            Transmitter.open(socket, listener);

            assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING)).isZero();
            Receiver receiver = new Receiver(socket, Policy.SOLVE);
            List<Traffic.Arrival> arrivals = new ArrayList<>();
            Traffic.receiveAll(receiver, arrivals);
            assertThat(arrivals).isEmpty();
            assertThat(receiver.counters().get(ReceiveCounter.PACKETS)).isZero();
        }
    }

    @Test
    void leavesNothingOpen() {
        try (UdpSocket socket = Loopback.bind()) {
            OpenFiles files = new OpenFiles();
            assertThat(SelfCheck.problemOf(socket)).isEmpty();
            assertThat(files.opened()).isEmpty();
        }
    }

    @Test
    void hasNothingToProveOnIpv6() {
        try (UdpSocket socket = Loopback.bindIpv6()) {
            SelfCheck.require(socket);
        }
    }

    @Test
    void noticesOptionsInTheHeader() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(socket.option(UdpSocket.IPPROTO_IP, IP_OPTIONS, THREE_NO_OPERATIONS))
                    .isZero();

            assertThat(SelfCheck.problemOf(socket))
                    .isEqualTo("its IPv4 header is not 20 bytes long");
        }
    }

    /// A frame of zeros with another header came back before: it is not the packet of the check,
    /// and neither is what lies in the receive queue.
    @Test
    void isNotConfusedByWhatTheSocketHeldBefore() {
        try (UdpSocket socket = Loopback.bind()) {
            transmit(socket, 0);
            transmit(socket, Packet.MIN_LENGTH);

            assertThat(SelfCheck.problemOf(socket)).isEmpty();
            assertThat(socket.receive(incoming)).isEqualTo(-Errno.EAGAIN);
            assertThat(socket.receiveError(incoming)).isEqualTo(-Errno.EAGAIN);
        }
    }

    @Test
    void saysWhyItCannotSendAndLeavesNothingBehind() {
        try (UdpSocket socket = Loopback.bind()) {
            transmit(socket, 0);
            transmit(socket, Packet.MIN_LENGTH);
            transmit(socket, Packet.MIN_LENGTH);
            refuseToSend(socket);

            assertThat(SelfCheck.problemOf(socket)).isEqualTo("cannot send to itself: EINVAL");
            assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING)).isZero();
            assertThat(socket.receive(incoming)).isEqualTo(-Errno.EAGAIN);
            assertThat(socket.receiveError(incoming)).isEqualTo(-Errno.EAGAIN);
        }
    }

    /// A transmitted frame comes back only if the receive buffer has room for it.
    @Test
    void doesNotTrustASocketThatShowsNothing() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_RCVBUF, 0)).isZero();
            for (int i = 0; i < 100; i++) {
                sendToItself(socket, 1);
            }

            assertThatThrownBy(() -> SelfCheck.require(socket))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("the kernel does not show the headers it sends")
                    .hasMessageContaining("net.core.tstamp_allow_data=1");
            assertThat(socket.receive(incoming)).isEqualTo(-Errno.EAGAIN);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "4500002C 0000 4000 4011 0000 7F5B0102 7F5B0102, ''",
        "4500002C 0000 0000 4011 0000 7F5B0102 7F5B0102, flags 0x0000 and identification 0x0000",
        "4500002C 0000 6000 4011 0000 7F5B0102 7F5B0102, flags 0x6000 and identification 0x0000",
        "4500002C 0000 4001 4011 0000 7F5B0102 7F5B0102, flags 0x4001 and identification 0x0000",
        "4500002C FF01 4000 4011 0000 7F5B0102 7F5B0102, flags 0x4000 and identification 0xFF01",
        "4600002C 0000 4000 4011 0000 7F5B0102 7F5B0102, not 20 bytes long",
        "6500002C 0000 4000 4011 0000 7F5B0102 7F5B0102, not 20 bytes long",
        "4500002C 0000 4000 4011 0000 7F5B0103 7F5B0102, another source address",
        "4500002C 0000 4000 4011 0000 7F5B0102 7F5B0103, ''",
    })
    @Requirement("ROCE-SOCK-3")
    void readsTheHeaderByteByByte(String header, String problem) {
        String finding = SelfCheck.inspect(hex(header), Loopback.address(127, 91, 1, 2));

        assertThat(finding).contains(problem);
        assertThat(finding.isEmpty()).isEqualTo(problem.isEmpty());
    }

    /// With a link header in front or without.
    @ParameterizedTest
    @ValueSource(ints = {0, 14})
    void findsTheHeaderOfItsOwnPacket(int linkBytes) {
        String probe = "0123456789ABCDEF 0123456789ABCDEF";
        String udp = "12B7 12B7 0018 0000";
        MemorySegment frame = hex("00".repeat(linkBytes) + GOOD_HEADER + udp + probe + "FFFF");
        int length = linkBytes + 20 + 8 + 16;

        assertThat(SelfCheck.findHeader(frame, length, hex(probe))).isEqualTo(linkBytes);
        assertThat(SelfCheck.findHeader(frame, length + 1, hex(probe))).isNegative();
        assertThat(SelfCheck.findHeader(frame, 16, hex(udp + "0123456789ABCDEF"))).isNegative();
        assertThat(SelfCheck.findHeader(frame, -Errno.EAGAIN, hex(probe))).isNegative();
    }

    @Test
    void aFrameWithoutHeadersIsNotItsOwn() {
        MemorySegment probe = hex("0123456789ABCDEF 0123456789ABCDEF");

        assertThat(SelfCheck.findHeader(probe, 16, probe)).isNegative();
    }

    /// Sends a message with a header of another kind, which comes back in the error queue, too.
    private void transmit(UdpSocket socket, int length) {
        socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER, 0);
        socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING, SelfCheck.LOOP_TRANSMITTED);
        sendToItself(socket, length);
        socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_TIMESTAMPING, 0);
        socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER, UdpSocket.IP_PMTUDISC_PROBE);
    }

    private void sendToItself(UdpSocket socket, int length) {
        MemorySegment message = UdpSocket.message(arena, bytes.asSlice(0, length));
        MemorySegment name =
                UdpSocket.socketAddress(arena, socket.localAddress(), socket.localPort());
        Msghdr.name(message, name.address(), (int) name.byteSize());
        assertThat(socket.send(message)).isEqualTo(length);
    }

    /// Every message is to be segmented, which the kernel does not do without UDP checksums.
    private static void refuseToSend(UdpSocket socket) {
        assertThat(socket.option(UdpSocket.SOL_UDP, UdpSocket.UDP_SEGMENT, 8)).isZero();
        assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_NO_CHECK, 1)).isZero();
    }

    private static MemorySegment hex(String text) {
        return MemorySegment.ofArray(HexFormat.of().parseHex(text.replace(" ", "")));
    }
}
