package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerBufferTest {
    private static final int PACKET_BYTES = 4112;

    /// What was measured on Linux (roce.md 2.5): so many datagrams of that length fill the default
    /// buffer.
    @ParameterizedTest
    @CsvSource({"16,256", "1040,92", "4112,25"})
    @Requirement("ROCE-CC-3")
    void takesADatagramForWhatTheKernelDoes(int datagramBytes, int datagrams) {
        int footprint = PeerBuffer.footprint(datagramBytes);

        assertThat(PeerBuffer.DEFAULT_BYTES / footprint).isEqualTo(datagrams);
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 80, 300, 1040, 2064, 4112})
    @Requirement("ROCE-CC-3")
    void neverFillsTheDefaultBuffer(int datagramBytes) {
        PeerBuffer buffer = answering();

        int packets = fill(buffer, datagramBytes);

        int footprint = PeerBuffer.footprint(datagramBytes);
        assertThat(packets * footprint).isLessThanOrEqualTo(PeerBuffer.DEFAULT_BYTES);
        assertThat((packets + 1) * footprint).isGreaterThan(PeerBuffer.DEFAULT_BYTES * 4 / 5);
    }

    /// A real socket that nobody reads and that has what the kernel gives by default.
    @ParameterizedTest
    @ValueSource(ints = {16, 80, 300, 1040, 2064, 4112})
    @Requirement("ROCE-CC-3")
    void whatIsAdmittedFitsIntoASocketOfTheKernel(int datagramBytes) throws IOException {
        int packets = fill(answering(), datagramBytes);
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET);
                DatagramChannel sender = DatagramChannel.open(StandardProtocolFamily.INET)) {
            receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            receiver.configureBlocking(false);
            // Java halves what the kernel says.
            assumeThat(2 * receiver.getOption(StandardSocketOptions.SO_RCVBUF))
                    .isGreaterThanOrEqualTo(PeerBuffer.DEFAULT_BYTES);
            SocketAddress to = receiver.getLocalAddress();

            for (int i = 0; i < packets; i++) {
                sender.send(ByteBuffer.allocate(datagramBytes), to);
            }

            ByteBuffer datagram = ByteBuffer.allocate(datagramBytes);
            for (int i = 0; i < packets; i++) {
                assertThat(receiver.receive(datagram.clear())).as("datagram %d", i).isNotNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 300, 1040, 2064, 4112})
    void sendsAtMost64KiBToAPeerThatNeverAnswered(int datagramBytes) {
        var buffer = new PeerBuffer(new CongestionControl(false, 0), 0);
        buffer.declare(8 << 20);

        int packets = fill(buffer, datagramBytes);

        assertThat(packets * datagramBytes).isLessThanOrEqualTo(64 * 1024).isPositive();
    }

    @Test
    void usesWhatThePeerDeclares() {
        PeerBuffer buffer = answering();
        buffer.declare(8 << 20);

        int packets = fill(buffer, PACKET_BYTES);

        assertThat(packets).isBetween(800, 992);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, PeerBuffer.DEFAULT_BYTES})
    void takesNoDeclarationForLessThanTheDefault(int declared) {
        PeerBuffer buffer = answering();
        buffer.declare(declared);

        assertThat(fill(buffer, PACKET_BYTES)).isEqualTo(22);
    }

    @Test
    void anAnswerEmptiesTheBufferUpToItsPacket() {
        PeerBuffer buffer = answering();
        int third = 0;
        for (int i = 0; buffer.hasRoom(PeerBuffer.footprint(PACKET_BYTES)); i++) {
            int position = buffer.requestSent(PACKET_BYTES);
            third = i == 2 ? position : third;
        }

        buffer.drained(third);

        assertThat(fill(buffer, PACKET_BYTES)).isEqualTo(3);
    }

    @Test
    void anOldAnswerChangesNothing() {
        PeerBuffer buffer = answering();
        int first = buffer.requestSent(PACKET_BYTES);
        int second = buffer.requestSent(PACKET_BYTES);
        buffer.drained(second);

        buffer.drained(first);

        assertThat(buffer.bytesTaken()).isZero();
    }

    /// Acknowledgements are not answered: however many were sent, one request finds out.
    @Test
    void admitsOneRequestWhenOnlyAnswersAreUnderWay() {
        PeerBuffer buffer = answering();
        for (int i = 0; i < 1_000; i++) {
            buffer.answerSent(20);
        }

        assertThat(fill(buffer, PACKET_BYTES)).isEqualTo(1);
    }

    @Test
    void positionsWrap() {
        PeerBuffer buffer = answering();
        for (long sent = 0; sent < 1L << 33; sent += 22L * PeerBuffer.footprint(PACKET_BYTES)) {
            int position = 0;
            for (int i = 0; i < 22; i++) {
                assertThat(buffer.hasRoom(PeerBuffer.footprint(PACKET_BYTES))).isTrue();
                position = buffer.requestSent(PACKET_BYTES);
            }
            assertThat(buffer.hasRoom(PeerBuffer.footprint(PACKET_BYTES))).isFalse();
            buffer.drained(position);
        }
    }

    @Test
    void isSharedByAllQueuePairsToAnAddressAndForgottenWithTheLast() {
        var control = new CongestionControl(false, 0);
        Gid one = Gid.ofIpv4(0x7F000002);
        PeerBuffer buffer = control.join(one);

        assertThat(control.join(one)).isSameAs(buffer);
        assertThat(control.join(Gid.ofIpv4(0x7F000003))).isNotSameAs(buffer);
        control.leave(one);
        assertThat(control.join(one)).isSameAs(buffer);
        control.leave(one);
        control.leave(one);
        assertThat(control.join(one)).isNotSameAs(buffer);
    }

    private static PeerBuffer answering() {
        var buffer = new PeerBuffer(new CongestionControl(false, 0), 0);
        buffer.drained(buffer.requestSent(16));
        return buffer;
    }

    private static int fill(PeerBuffer buffer, int datagramBytes) {
        int packets = 0;
        while (buffer.hasRoom(PeerBuffer.footprint(datagramBytes))) {
            buffer.requestSent(datagramBytes);
            packets++;
        }
        return packets;
    }
}
