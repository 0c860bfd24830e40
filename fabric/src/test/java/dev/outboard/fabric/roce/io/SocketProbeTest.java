package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.roce.io.SocketProbe.Batching;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class SocketProbeTest {
    private static final int LARGEST_UDP_PAYLOAD = 65_507;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment bytes = arena.allocate(1 << 16);
    private final MemorySegment incoming = UdpSocket.message(arena, bytes);

    @Test
    void sendsAndReceivesManyPacketsInOneCall() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.batching()).isEqualTo(Batching.BOTH_WAYS);
            assertThat(probe.batching()).isEqualTo(Batching.BOTH_WAYS);
        }
    }

    @Test
    void noticesThatPacketsArriveOneByOneAndTakesThemAll() {
        UdpSocket socket = Loopback.bind();
        assertThat(socket.option(UdpSocket.SOL_UDP, UdpSocket.UDP_GRO, 0)).isZero();
        try (SocketProbe probe = new SocketProbe(socket)) {
            assertThat(probe.batching()).isEqualTo(Batching.SENDING);
            assertThat(socket.receive(incoming)).isEqualTo(-Errno.EAGAIN);
        }
    }

    /// The kernel segments nothing for a socket that sends without UDP checksums.
    @Test
    void noticesThatEachPacketTakesACall() {
        UdpSocket socket = Loopback.bind();
        assertThat(socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_NO_CHECK, 1)).isZero();
        try (SocketProbe probe = new SocketProbe(socket)) {
            assertThat(probe.batching()).isEqualTo(Batching.NONE);
        }
    }

    @Test
    @Requirement("ROCE-SOCK-4")
    void takesIpv6PacketsWithoutChecksum() {
        try (SocketProbe probe = new SocketProbe(Loopback.ipv6Address())) {
            assertThat(probe.takesZeroChecksum()).isTrue();
            assertThat(probe.batching()).isEqualTo(Batching.BOTH_WAYS);
            assertThat(probe.takesZeroChecksum()).isTrue();
        }
    }

    @Test
    @Requirement("ROCE-SOCK-4")
    void noticesThatIpv6PacketsWithoutChecksumAreDropped() {
        UdpSocket socket = Loopback.bindIpv6();
        assertThat(socket.option(UdpSocket.SOL_UDP, UdpSocket.UDP_NO_CHECK6_RX, 0)).isZero();
        try (SocketProbe probe = new SocketProbe(socket)) {
            assertThat(probe.takesZeroChecksum()).isFalse();
            // It stands for all that is sent later, whose checksums are right.
            assertThat(probe.batching()).isEqualTo(Batching.BOTH_WAYS);
        }
    }

    @Test
    void findsNothingWrongWithTheHeaders() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.headerProblem()).isEmpty();
        }
    }

    @Test
    void saysWhatIsWrongWithTheHeaders() {
        UdpSocket socket = Loopback.bind();
        socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER, 0);
        try (SocketProbe probe = new SocketProbe(socket)) {
            assertThat(probe.headerProblem()).contains("flags 0x0000");
        }
    }

    @Test
    void tellsTheBuffersThatTheKernelGrants() {
        UdpSocket socket = Loopback.bind();
        socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_RCVBUF, 10_000);
        socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF, 12_000);
        try (SocketProbe probe = new SocketProbe(socket)) {
            assertThat(probe.receiveBufferBytes()).isEqualTo(20_000);
            assertThat(probe.sendBufferBytes()).isEqualTo(24_000);
        }
    }

    @Test
    void tellsWhatFitsTheRoute() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThat(probe.fits(Loopback.address(), 4096)).isTrue();
            assertThat(probe.fits(Loopback.address(), LARGEST_UDP_PAYLOAD)).isTrue();
            assertThat(probe.fits(Loopback.address(), LARGEST_UDP_PAYLOAD + 1)).isFalse();
        }
    }

    /// A route of its own for one loopback address.
    @Test
    void asksTheRouteNotTheInterfaceWhatFits() {
        InetAddress peer = Loopback.address();
        String destination = peer.getHostAddress() + " table local";
        int fitting = 600 - 20 - 8;
        OwnNetwork.with(
                "ip route add local " + destination + " dev lo mtu 600",
                "ip route del local " + destination,
                () -> {
                    try (SocketProbe probe = new SocketProbe(Loopback.address())) {
                        assertThat(probe.fits(peer, fitting)).isTrue();
                        assertThat(probe.fits(peer, fitting + 1)).isFalse();
                    }
                });
    }

    @Test
    void leavesTheModeOfPathMtuDiscoveryAsItWas() {
        UdpSocket socket = Loopback.bind();
        try (SocketProbe probe = new SocketProbe(socket)) {
            probe.fits(Loopback.address(), 16);

            assertThat(socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER))
                    .isEqualTo(UdpSocket.IP_PMTUDISC_PROBE);
        }
    }

    @Test
    void sendsNoByteBeyondItsOwnMemory() {
        try (SocketProbe probe = new SocketProbe(Loopback.address())) {
            assertThatThrownBy(() -> probe.fits(Loopback.address(), (1 << 16) + 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void sendsPacketsToQueuePair0AndNothingElse() {
        MemorySegment expected = arena.allocate(80);
        for (int i = 0; i < 3; i++) {
            int key = Bth.DEFAULT_PARTITION_KEY;
            Bth.write(expected, 16L * i, Opcode.SEND_ONLY, false, 0, key, 0, false, i);
        }
        try (UdpSocket peer = Loopback.bind();
                SocketProbe probe = new SocketProbe(Loopback.address())) {
            // What it tells the kernel for a batch is not for packets after it.
            assertThat(probe.batching()).isEqualTo(Batching.BOTH_WAYS);
            assertThat(probe.fits(peer.localAddress(), 80)).isTrue();

            assertThat(socketReceives(peer)).isEqualTo(expected.toArray(JAVA_BYTE));
        }
    }

    @Test
    void closesWhatItOpened() {
        OpenFiles files = new OpenFiles();
        SocketProbe probe = new SocketProbe(Loopback.address());
        probe.batching();
        probe.headerProblem();
        probe.takesZeroChecksum();
        assertThat(files.opened()).hasSize(2);
        probe.close();

        assertThat(files.opened()).isEmpty();
    }

    private byte[] socketReceives(UdpSocket socket) {
        try (Waiter waiter = new Waiter(socket)) {
            waiter.await(Traffic.PATIENCE_NANOS);
        }
        int length = socket.receive(incoming);
        assertThat(length).isNotNegative();
        return bytes.asSlice(0, length).toArray(JAVA_BYTE);
    }
}
