package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.io.Receiver;
import dev.outboard.fabric.roce.io.Transmitter;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.FlowControl;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.LocalEnd;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.PathRecord;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A host that keeps no rules: every packet and datagram it sends to a device is made by hand, and
/// it answers nothing by itself. One thread.
public final class Stranger implements AutoCloseable {
    /// 4.096 µs · 2^8, about a millisecond.
    public static final int SHORT_ACK_TIMEOUT = 8;

    private static final int GENERAL_SERVICES = 1;
    private static final int GENERAL_QUEUE_KEY = 0x80010000;
    private static final int CM_TIMEOUT_CODE = 20;
    private static final int MTU_1024 = 3;
    private static final int LID = 0xffff;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final AtomicInteger ADDRESSES = new AtomicInteger();

    private final InetAddress target;
    private final UdpSocket socket;
    private final Transmitter transmitter;
    private final Receiver receiver;
    private final Path path;
    private final Arena arena = Arena.ofShared();
    private final Payload payload = Payload.of(arena.allocate(8192));
    private final List<CmMessage> messages = new ArrayList<>();

    /// With an address of its own, where answers reach it.
    public Stranger(Device victim) {
        this(nextAddress(), Path.DESTINATION_PORT, victim);
    }

    private Stranger(InetAddress own, int port, Device victim) {
        target = victim.address();
        socket = UdpSocket.bind(own, port);
        transmitter = Transmitter.open(socket, new Plain());
        receiver = new Receiver(socket, IcrcVerifier.Policy.SOLVE);
        path = new Path(Gid.of(own), Gid.of(target), socket.localPort(), 0);
    }

    /// Sends with the address of somebody else, who gets the answers.
    public static Stranger pretendingToBe(InetAddress somebody, Device victim) {
        return new Stranger(somebody, 0, victim);
    }

    private static InetAddress nextAddress() {
        int next = ADDRESSES.incrementAndGet();
        byte process = (byte) ProcessHandle.current().pid();
        try {
            return InetAddress.getByAddress(
                    new byte[] {127, (byte) (0x80 + next / 250), process, (byte) (next % 250 + 1)});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /// A request for a connection to `port`, as a client would send it.
    ///
    /// @param ackTimeout code of the time after which the server shall repeat what this host does
    ///   not acknowledge
    public ConnectionRequest request(int port, int id, int queuePair, int ackTimeout) {
        PathRecord primary =
                PathRecord.builder()
                        .localLid(LID)
                        .remoteLid(LID)
                        .localGid(path.source())
                        .remoteGid(path.destination())
                        .hopLimit(64)
                        .subnetLocal(true)
                        .localAckTimeout(ackTimeout)
                        .build();
        return ConnectionRequest.builder()
                .localId(id)
                .serviceId(ServiceId.of(ServiceId.PORT_SPACE_TCP, port))
                .local(LocalEnd.builder().caGuid(0x5eed).qpn(queuePair).build())
                .flow(
                        FlowControl.builder()
                                .responderResources(1)
                                .initiatorDepth(1)
                                .rnrRetryCount(7)
                                .build())
                .remoteResponseTimeout(CM_TIMEOUT_CODE)
                .localResponseTimeout(CM_TIMEOUT_CODE)
                .maxCmRetries(15)
                .pathMtu(MTU_1024)
                .retryCount(7)
                .primaryPath(primary)
                .privateData(
                        new IpAddressHeader(4000 + id % 1000, path.source(), path.destination())
                                .followedBy(Octets.EMPTY, ConnectionRequest.PRIVATE_DATA_LENGTH))
                .build();
    }

    /// Connects and returns the server's side of the connection.
    public ConnectionReply connect(int port, int id, int queuePair, int ackTimeout) {
        send(request(port, id, queuePair, ackTimeout));
        ConnectionReply reply = await(ConnectionReply.class);
        send(readyToUse(reply));
        return reply;
    }

    public static ReadyToUse readyToUse(ConnectionReply reply) {
        int ours = reply.remoteId();
        int theirs = reply.localId();
        return new ReadyToUse(ours, theirs, Octets.EMPTY.padded(224));
    }

    public void send(CmMessage message) {
        sendMad(new CmDatagram(0x1234, message).emit());
    }

    /// Sends `mad` to the server's general services.
    public void sendMad(byte[] mad) {
        long at = begin(Opcode.UD_SEND_ONLY, GENERAL_SERVICES, 0, false, mad.length);
        Deth.write(transmitter.headerMemory(), at, GENERAL_QUEUE_KEY, GENERAL_SERVICES);
        finish(Opcode.UD_SEND_ONLY, mad);
    }

    /// Waits for the next message of that type; what comes before is forgotten.
    public <T extends CmMessage> T await(Class<T> type) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            receive();
            while (!messages.isEmpty()) {
                CmMessage message = messages.removeFirst();
                if (type.isInstance(message)) {
                    return type.cast(message);
                }
            }
            assertThat(System.nanoTime()).as("deadline for " + type).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void receive() {
        receiver.receive(16, System.nanoTime(), (packet, _) -> keep(packet));
    }

    private void keep(Packet packet) {
        if (packet.opcode() == Opcode.UD_SEND_ONLY && packet.payloadLength() == CmDatagram.LENGTH) {
            byte[] mad =
                    packet.segment()
                            .asSlice(packet.payloadOffset(), packet.payloadLength())
                            .toArray(ValueLayout.JAVA_BYTE);
            if (CmDatagram.check(mad) == null) {
                messages.add(CmDatagram.parse(mad).message());
            }
        }
    }

    /// Sends a message of one packet.
    public void send(int queuePair, int psn, byte[] message) {
        begin(Opcode.SEND_ONLY, queuePair, psn, true, message.length);
        finish(Opcode.SEND_ONLY, message);
    }

    /// Sends a packet whose headers after the first one are `extension`, with a proper checksum.
    public void send(Opcode opcode, int queuePair, int psn, byte[] extension, byte[] bytes) {
        long at = begin(opcode, queuePair, psn, true, bytes.length);
        int length = Math.min(extension.length, opcode.headerLength() - Bth.LENGTH);
        MemorySegment.copy(
                extension, 0, transmitter.headerMemory(), ValueLayout.JAVA_BYTE, at, length);
        finish(opcode, bytes);
    }

    private long begin(Opcode opcode, int queuePair, int psn, boolean ackRequest, int length) {
        long at = transmitter.headerOffset();
        Bth.write(
                transmitter.headerMemory(),
                at,
                opcode,
                true,
                Bth.padCount(length),
                Bth.DEFAULT_PARTITION_KEY,
                queuePair,
                ackRequest,
                psn & 0xff_ffff);
        return at + Bth.LENGTH;
    }

    private void finish(Opcode opcode, byte[] bytes) {
        MemorySegment.copy(bytes, 0, payload.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        if (bytes.length > 0) {
            transmitter.append(payload, 0, bytes.length);
        }
        transmitter.finish(path, opcode.headerLength());
        transmitter.flush(System.nanoTime());
    }

    /// Sends bytes that need not be a packet.
    public void sendBytes(byte[] bytes) {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(socket.localAddress(), 0));
            channel.send(
                    ByteBuffer.wrap(bytes), new InetSocketAddress(target, Path.DESTINATION_PORT));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        socket.close();
        arena.close();
    }

    /// One packet per system call, and no news.
    private static final class Plain implements TransmitListener {
        @Override
        public boolean maySegment(Path path) {
            return false;
        }

        @Override
        public void tooLong(Path path) {}

        @Override
        public void unreadable(Path path) {}
    }
}
