package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.Iovec;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.linux.SockaddrIn6;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpSocketTest {
    private static final int UDP_NO_CHECK6_TX = 101;
    private static final int EDESTADDRREQ = 89;

    @Test
    @Requirement("ROCE-SOCK-1")
    void hasItsAddressAndNoPeer() {
        try (UdpSocket socket = Loopback.bind();
                UdpSocket first = Loopback.bind();
                UdpSocket second = Loopback.bind();
                Exchange exchange = new Exchange()) {
            exchange.send(first, socket, 16);
            exchange.send(second, socket, 20);

            // A connected socket would hear one of them only, and might speak without an address.
            assertThat(exchange.receive(socket)).isEqualTo(16);
            assertThat(exchange.source()).isEqualTo(first.localAddress());
            assertThat(exchange.receive(socket)).isEqualTo(20);
            assertThat(exchange.source()).isEqualTo(second.localAddress());
            assertThat(exchange.sendToNobody(socket)).isEqualTo(-EDESTADDRREQ);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "224.0.0.1", "ff02::1"})
    @Requirement("ROCE-SOCK-1")
    void refusesAnAddressThatIsNotOneInterfacesOwn(String address) throws Exception {
        InetAddress local = InetAddress.getByName(address);

        assertThatThrownBy(() -> UdpSocket.bind(local, Path.DESTINATION_PORT))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_NOT_AVAILABLE))
                .hasMessageContaining(local.getHostAddress())
                .hasMessageContaining("name one address");
    }

    @Test
    void refusesAnAddressOfAnotherMachine() {
        InetAddress foreign = Loopback.address(203, 0, 113, 7);

        assertThatThrownBy(() -> UdpSocket.bind(foreign, Path.DESTINATION_PORT))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_NOT_AVAILABLE))
                .hasMessageContaining("203.0.113.7:4791")
                .hasMessageContaining("EADDRNOTAVAIL");
    }

    @Test
    @Requirement("ROCE-SOCK-2")
    void discoversThePathMtuByProbing() {
        try (UdpSocket socket = Loopback.bind();
                UdpSocket ipv6 = Loopback.bindIpv6()) {
            assertThat(socket.option(UdpSocket.IPPROTO_IP, UdpSocket.IP_MTU_DISCOVER))
                    .isEqualTo(UdpSocket.IP_PMTUDISC_PROBE);
            assertThat(ipv6.option(UdpSocket.IPPROTO_IPV6, UdpSocket.IPV6_MTU_DISCOVER))
                    .isEqualTo(UdpSocket.IP_PMTUDISC_PROBE);
            // Never dual-stack: no IPv4 packet leaves an IPv6 socket.
            assertThat(ipv6.option(UdpSocket.IPPROTO_IPV6, UdpSocket.IPV6_V6ONLY)).isEqualTo(1);
        }
    }

    @Test
    @Requirement("ROCE-SOCK-4")
    void hearsIpv6DatagramsWithoutAChecksum() {
        try (UdpSocket sender = Loopback.bindIpv6();
                UdpSocket socket = Loopback.bindIpv6();
                Exchange exchange = new Exchange()) {
            assertThat(sender.option(UdpSocket.SOL_UDP, UDP_NO_CHECK6_TX, 1)).isZero();
            exchange.send(sender, socket, 16);
            assertThat(exchange.receive(socket)).isEqualTo(16);

            // The control: a socket that was not told drops the very same datagram.
            socket.option(UdpSocket.SOL_UDP, UdpSocket.UDP_NO_CHECK6_RX, 0);
            exchange.send(sender, socket, 16);
            sender.option(UdpSocket.SOL_UDP, UDP_NO_CHECK6_TX, 0);
            exchange.send(sender, socket, 20);
            assertThat(exchange.receive(socket)).isEqualTo(20);
        }
    }

    @Test
    @Requirement("ROCE-SOCK-5")
    void saysWhoMayHoldAnAddressThatIsInUse() {
        try (UdpSocket holder = Loopback.bind()) {
            InetAddress address = holder.localAddress();

            assertThatThrownBy(() -> UdpSocket.bind(address, Path.DESTINATION_PORT))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE))
                    .hasMessageContaining(address.getHostAddress() + ":4791")
                    .hasMessageContaining("another Outboard process")
                    .hasMessageContaining("127.x.y.z")
                    .hasMessageContaining("rdma_rxe")
                    .hasMessageContaining("rdma link del");
        }
    }

    @Test
    @Requirement("ROCE-SOCK-6")
    void asksFor4MiBOfBufferAndTellsWhatItGot() {
        try (UdpSocket socket = Loopback.bind();
                UdpSocket other = Loopback.bind()) {
            int plenty = socket.receiveBufferBytes();
            // The kernel doubles what it grants, and grants no more than net.core.rmem_max.
            assertThat(plenty).isBetween(2 * 212_992, 2 * UdpSocket.BUFFER_BYTES);
            assertThat(other.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_RCVBUF, 1 << 30)).isZero();
            assertThat(plenty).isEqualTo(Math.min(other.receiveBufferBytes(), 8 << 20));

            socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_RCVBUF, 10_000);
            assertThat(socket.receiveBufferBytes()).isEqualTo(20_000);
        }
    }

    @Test
    void asksForAsMuchBufferForPacketsOnTheirWayOut() {
        try (UdpSocket socket = Loopback.bind();
                UdpSocket other = Loopback.bind()) {
            assertThat(other.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF, 1 << 30)).isZero();
            assertThat(socket.sendBufferBytes())
                    .isEqualTo(Math.min(other.sendBufferBytes(), 2 * UdpSocket.BUFFER_BYTES));

            socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF, 10_000);
            assertThat(socket.sendBufferBytes()).isEqualTo(20_000);
        }
    }

    @Test
    void tellsWhichOptionTheKernelRefused() {
        try (UdpSocket socket = Loopback.bind()) {
            assertThat(socket.option(255, 7, 1)).isEqualTo(-Errno.ENOPROTOOPT);
            int fd = socket.descriptor().acquire();
            assertRefused(() -> UdpSocket.require(fd, 255, 7, "UDP socket x"), "option 255/7");
            assertRefused(
                    () -> UdpSocket.fixIdentification(fd, 255, 7, "UDP socket x"),
                    "the path MTU discovery mode");
            socket.descriptor().release();
        }
    }

    private static void assertRefused(ThrowingCallable call, String what) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SYSTEM))
                .hasMessage("UDP socket x: the kernel refused " + what + ": ENOPROTOOPT");
    }

    /// Family 10, the port and the address in network byte order, the interface of a link-local
    /// address.
    @Test
    void writesAnIpv6AddressAsTheKernelWantsIt() throws Exception {
        byte[] bytes = HexFormat.of().parseHex("FE800000000000000123456789ABCDEF");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name =
                    UdpSocket.socketAddress(
                            arena, Inet6Address.getByAddress(null, bytes, 7), 0x12B7);

            assertThat(name.byteSize()).isEqualTo(28);
            assertThat(name.get(JAVA_SHORT, 0)).isEqualTo((short) 10);
            assertThat(name.asSlice(2, 2).toArray(JAVA_BYTE))
                    .isEqualTo(new byte[] {0x12, (byte) 0xB7});
            assertThat(name.asSlice(8, 16).toArray(JAVA_BYTE)).isEqualTo(bytes);
            assertThat(name.get(JAVA_INT, 24)).isEqualTo(7);
        }
    }

    @Test
    void anAddressThatIsRefusedLeavesNothingOpen() {
        OpenFiles files = new OpenFiles();
        assertThatThrownBy(() -> UdpSocket.bind(Loopback.address(203, 0, 113, 7), 4791))
                .isInstanceOf(FabricException.class);

        assertThat(files.opened()).isEmpty();
    }

    /// No call keeps the descriptor after its end, whatever came of it.
    @Test
    void isClosedAtOnceWhenNoCallIsGoingOn() {
        OpenFiles files = new OpenFiles();
        List<Consumer<UdpSocket>> calls =
                List.of(
                        socket -> socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF),
                        socket -> socket.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_SNDBUF, 5000),
                        socket -> exchanged(exchange -> exchange.receive(socket)),
                        socket -> exchanged(exchange -> exchange.sendToNobody(socket)));
        for (Consumer<UdpSocket> call : calls) {
            UdpSocket socket = Loopback.bind();
            call.accept(socket);
            socket.close();

            assertThat(files.opened()).isEmpty();
        }
    }

    @Test
    void aCallThatIsGoingOnKeepsTheDescriptor() {
        OpenFiles files = new OpenFiles();
        UdpSocket socket = Loopback.bind();
        socket.descriptor().acquire();
        socket.close();
        assertThat(files.opened()).hasSize(1);

        socket.descriptor().release();
        assertThat(files.opened()).isEmpty();
    }

    @Test
    void neverWaits() {
        try (UdpSocket socket = Loopback.bind();
                Exchange exchange = new Exchange()) {
            assertThat(exchange.receive(socket)).isEqualTo(-Errno.EAGAIN);
        }
    }

    @Test
    void closedTwiceIsHarmlessAndUsedAfterwardsIsAnException() {
        try (Exchange exchange = new Exchange()) {
            UdpSocket socket = Loopback.bind();
            socket.close();
            socket.close();

            assertThatThrownBy(() -> exchange.receive(socket))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(socket.localAddress().getHostAddress())
                    .hasMessageContaining("closed");
            assertThatThrownBy(() -> exchange.send(socket, socket, 16))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(socket::receiveBufferBytes)
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aClosedSocketLetsGoOfItsAddress() {
        UdpSocket socket = Loopback.bind();
        socket.close();

        try (UdpSocket again = UdpSocket.bind(socket.localAddress(), socket.localPort())) {
            assertThat(again.localPort()).isEqualTo(Path.DESTINATION_PORT);
        }
    }

    private static void exchanged(Consumer<Exchange> call) {
        try (Exchange exchange = new Exchange()) {
            call.accept(exchange);
        }
    }

    /// Raw messages between sockets, without packets inside.
    private static final class Exchange implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment message = arena.allocate(Msghdr.SIZE, Long.BYTES);
        private final MemorySegment span = arena.allocate(Iovec.SIZE, Long.BYTES);
        private final MemorySegment name = arena.allocate(SockaddrIn6.SIZE, Long.BYTES);
        private final MemorySegment bytes = arena.allocate(64);

        void send(UdpSocket from, UdpSocket to, int length) {
            MemorySegment address =
                    UdpSocket.socketAddress(arena, to.localAddress(), to.localPort());
            Msghdr.name(message, address.address(), (int) address.byteSize());
            assertThat(from.send(pointTo(length))).isEqualTo(length);
        }

        int sendToNobody(UdpSocket from) {
            Msghdr.name(message, 0, 0);
            return from.send(pointTo(16));
        }

        int receive(UdpSocket socket) {
            Msghdr.name(message, name.address(), (int) name.byteSize());
            return socket.receive(pointTo((int) bytes.byteSize()));
        }

        /// Where the last message came from, an IPv4 address.
        InetAddress source() {
            return Loopback.address(
                    name.get(JAVA_BYTE, 4),
                    name.get(JAVA_BYTE, 5),
                    name.get(JAVA_BYTE, 6),
                    name.get(JAVA_BYTE, 7));
        }

        private MemorySegment pointTo(int length) {
            Iovec.set(span, 0, bytes.address(), length);
            Msghdr.iovecs(message, span.address(), 1);
            Msghdr.control(message, 0, 0);
            return message;
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
