package dev.outboard.doca.rdma;

import static dev.outboard.fabric.contract.roce.CapturedPacket.first;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.TestDevices;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each field that tasks and connection details put on the wire, as the bytes of captured packets:
/// what both ends could turn round together without noticing.
class RoceWireTest {
    private static final int SEND = 0x04;
    private static final int SEND_IMM = 0x05;
    private static final int WRITE = 0x0A;
    private static final int WRITE_IMM = 0x0B;
    private static final int READ = 0x0C;
    private static final int READ_RESPONSE = 0x10;
    private static final int ACKNOWLEDGE = 0x11;
    private static final int ATOMIC_ACKNOWLEDGE = 0x12;
    private static final int CMP_SWP = 0x13;
    private static final int FETCH_ADD = 0x14;

    /// What an acknowledgement has before the old value of an atomic.
    private static final int AETH = 4;

    private static final int RETH = 16;
    private static final Be32 IMMEDIATE = Be32.ofHost(0x01020304);
    private static final long FIRST = 0x1122334455667788L;
    private static final long SECOND = 0x99AABBCCDDEEFF01L;

    @TempDir private Path directory;

    private RdmaEnd ours;
    private RdmaEnd theirs;

    /// The key of their memory.
    private int key;

    private boolean isClosed;

    @BeforeEach
    void connect() {
        ours = new RdmaEnd(DocaDevInfo.of(RoceLoopback.URI + "&capture=" + capture()));
        theirs = new RdmaEnd(TestDevices.loopback());
        ours.fill(1);
        theirs.fill(2);
        RdmaEnd.connect(ours, theirs);
        key = ours.remote.remoteKey();
    }

    @AfterEach
    void close() {
        closeOurs();
        theirs.close();
    }

    private void closeOurs() {
        if (!isClosed) {
            isClosed = true;
            ours.close();
        }
    }

    private Path capture() {
        return directory.resolve("ours.pcapng");
    }

    /// What `end` put on the wire; ours is closed then, so that the capture is whole.
    private List<CapturedPacket> sentBy(RdmaEnd end) {
        closeOurs();
        return CapturedPacket.readAll(capture()).stream()
                .filter(packet -> packet.outbound() == (end == ours))
                .toList();
    }

    private void run(RdmaTask task) {
        RdmaPairContract.assertSucceeds(ours, task);
    }

    private void post() {
        theirs.rdma.allocReceive(theirs.room(0, 64)).submitOrThrow();
    }

    private static String wire(long number) {
        return "%016x".formatted(number);
    }

    private static String wire(int number) {
        return "%08x".formatted(number);
    }

    @Test
    @Requirement({"DRDMA-COM-12b", "DJAVA-RDMA-2b"})
    void theImmediateOfASendHasItsMostSignificantByteFirst() {
        post();
        run(ours.peer.allocSendImm(ours.data(0, (byte) 0x51, (byte) 0x52), IMMEDIATE));
        CapturedPacket packet = first(sentBy(ours), SEND_IMM);
        assertThat(packet.hex(0, 4)).isEqualTo("01020304");
        assertThat(packet.hex(4, 2)).as("beside the payload").isEqualTo("5152");
    }

    @Test
    @Requirement({"DRDMA-COM-12b", "DJAVA-RDMA-2b"})
    void theImmediateOfAWriteHasItsMostSignificantByteFirst() {
        post();
        run(
                ours.peer.allocWriteImm(
                        ours.data(0, (byte) 0x51, (byte) 0x52),
                        ours.remoteRoom(512, 8),
                        IMMEDIATE));
        CapturedPacket packet = first(sentBy(ours), WRITE_IMM);
        assertThat(packet.hex(RETH, 4)).isEqualTo("01020304");
        assertThat(packet.hex(RETH + 4, 2)).as("beside the payload").isEqualTo("5152");
    }

    @Test
    @Requirement("DJAVA-RDMA-2c")
    void whatACProgramStoresUnconvertedGoesOutAsItLiesInMemory() {
        post();
        run(ours.peer.allocSendImm(null, Be32.ofWire(0x0000ABCD)));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stored = arena.allocate(ValueLayout.JAVA_INT);
            stored.set(ValueLayout.JAVA_INT, 0, 0x0000ABCD);
            assertThat(first(sentBy(ours), SEND_IMM).hex(0, 4))
                    .isEqualTo(HexFormat.of().formatHex(stored.toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    @Test
    @Requirement("DJAVA-RDMA-2a")
    void whatArrivesIsReadInBothOrders() {
        ReceiveTask receive = theirs.rdma.allocReceive();
        receive.submitOrThrow();
        run(ours.peer.allocSendImm(IMMEDIATE));
        theirs.progressUntil(() -> !receive.isInFlight());
        assertThat(receive.immediateHost()).isEqualTo(0x01020304);
        ByteBuffer raw = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
        raw.putInt(0, receive.immediate().toWire());
        assertThat(raw.array()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aWriteNamesAddressKeyAndLength() {
        RemoteBuf dst = ours.remoteBuf(512, 64, 520, 3);
        run(ours.peer.allocWrite(ours.data(0, (byte) 0x51, (byte) 0x52), dst));
        assertNames(first(sentBy(ours), WRITE), 523, 2);
    }

    @Test
    void aWriteWithImmediateNamesAddressKeyAndLength() {
        post();
        run(ours.peer.allocWriteImm(ours.data(0, (byte) 1), ours.remoteRoom(515, 8), IMMEDIATE));
        assertNames(first(sentBy(ours), WRITE_IMM), 515, 1);
    }

    @Test
    void aReadNamesAddressKeyAndLength() {
        run(ours.peer.allocRead(ours.remoteBuf(256, 512, 259, 300), ours.room(0, 258)));
        CapturedPacket answer = first(sentBy(theirs), READ_RESPONSE);
        assertNames(first(sentBy(ours), READ), 259, 258);
        assertThat(answer.hex(AETH, 258))
                .isEqualTo(HexFormat.of().formatHex(theirs.bytes(259, 258)));
    }

    /// The RDMA extended header: 8 bytes address, 4 key, 4 length, all big-endian.
    private void assertNames(CapturedPacket packet, long offset, int length) {
        assertThat(packet.hex(0, 8)).as("address").isEqualTo(wire(theirs.mmap.address() + offset));
        assertThat(packet.hex(8, 4)).as("key").isEqualTo(wire(key));
        assertThat(packet.hex(12, 4)).as("length").isEqualTo(wire(length));
    }

    @Test
    @Requirement("DRDMA-COM-18")
    void aCompareAndSwapNamesAddressKeySwapAndCompare() {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, 512, FIRST);
        run(
                ours.peer.allocAtomicCmpSwp(
                        ours.remoteBuf(512, 8, 512, 0), ours.room(0, 8), FIRST, SECOND));
        CapturedPacket answer = first(sentBy(theirs), ATOMIC_ACKNOWLEDGE);
        CapturedPacket packet = first(sentBy(ours), CMP_SWP);
        assertThat(packet.hex(0, 8)).isEqualTo(wire(theirs.mmap.address() + 512));
        assertThat(packet.hex(8, 4)).isEqualTo(wire(key));
        assertThat(packet.hex(12, 8)).as("swap").isEqualTo(wire(SECOND));
        assertThat(packet.hex(20, 8)).as("compare").isEqualTo(wire(FIRST));
        assertThat(answer.hex(AETH, 8)).as("old value").isEqualTo(wire(FIRST));
    }

    @Test
    @Requirement("DRDMA-COM-18")
    void aFetchAndAddNamesAddressKeyAndAddend() {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, 520, SECOND);
        run(ours.peer.allocAtomicFetchAdd(ours.remoteBuf(520, 8, 520, 0), ours.room(0, 8), FIRST));
        CapturedPacket answer = first(sentBy(theirs), ATOMIC_ACKNOWLEDGE);
        CapturedPacket packet = first(sentBy(ours), FETCH_ADD);
        assertThat(packet.hex(0, 8)).isEqualTo(wire(theirs.mmap.address() + 520));
        assertThat(packet.hex(8, 4)).isEqualTo(wire(key));
        assertThat(packet.hex(12, 8)).as("addend").isEqualTo(wire(FIRST));
        assertThat(answer.hex(AETH, 8)).as("old value").isEqualTo(wire(SECOND));
    }

    @Test
    @Requirement("DRDMA-COM-18")
    void aSyncEventIsUpdatedByTheSameHeaders() {
        try (MemoryOfAnEvent cell = new MemoryOfAnEvent()) {
            cell.event.updateSet(FIRST);
            run(ours.peer.allocSyncEventGet(cell.known, ours.room(0, 8)));
            Buf value = ours.dataAt(64, 8);
            ours.mmap.segment().set(ValueLayout.JAVA_LONG, 64, SECOND);
            run(ours.peer.allocSyncEventNotifySet(cell.known, value));
            run(ours.peer.allocSyncEventNotifyAdd(cell.known, FIRST, ours.room(128, 8)));
            List<CapturedPacket> sent = sentBy(ours);

            String address = wire(cell.memory.address());
            assertThat(first(sent, READ).hex(0, 8)).isEqualTo(address);
            assertThat(first(sent, READ).hex(12, 4)).isEqualTo(wire(8));
            assertThat(first(sent, WRITE).hex(0, 8)).isEqualTo(address);
            assertThat(first(sent, WRITE).hex(12, 4)).isEqualTo(wire(8));
            assertThat(first(sent, WRITE).hex(RETH, 8))
                    .as("the bytes of the source, as they are")
                    .isEqualTo(HexFormat.of().formatHex(inMemory(SECOND)));
            assertThat(first(sent, FETCH_ADD).hex(0, 8)).isEqualTo(address);
            assertThat(first(sent, FETCH_ADD).hex(12, 8)).isEqualTo(wire(FIRST));
        }
    }

    private static byte[] inMemory(long number) {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        return bytes.putLong(number).array();
    }

    /// An event of theirs in memory whose address is known.
    private final class MemoryOfAnEvent implements AutoCloseable {
        final Arena arena = Arena.ofShared();
        final MemorySegment memory = arena.allocate(8, 8);
        final SyncEvent event =
                new SyncEvent(theirs.dev)
                        .publisher(Location.REMOTE_NET)
                        .subscriber(Location.CPU)
                        .cell(memory)
                        .start();
        final SyncEventRemoteNet known =
                SyncEventRemoteNet.fromExport(ours.dev, event.exportToRemoteNet());

        @Override
        public void close() {
            event.close();
            arena.close();
        }
    }

    @Test
    void aSendCarriesItsListAndNothingElse() {
        post();
        run(
                ours.peer.allocSend(
                        RdmaEnd.list(
                                ours.data(100, (byte) 1, (byte) 2),
                                ours.data(200, (byte) 3),
                                ours.data(300, (byte) 4, (byte) 5))));
        CapturedPacket packet = first(sentBy(ours), SEND);
        assertThat(packet.hex(0, 5)).isEqualTo("0102030405");
        assertThat(packet.transportLength())
                .as("with header, padding and ICRC")
                .isEqualTo(12 + 5 + 3 + 4);
    }

    @Test
    @Requirement({"DRDMA-COM-10b", "DRDMA-NULL-3", "DRDMA-NULL-4"})
    void readsAndWritesWithoutBuffersAreCarriedToThePeer() {
        run(ours.peer.allocRead(null, null));
        run(ours.peer.allocWrite(null, null));
        assertCarriedWithLengthZero();
    }

    @Test
    @Requirement("DRDMA-COM-10b")
    void readsAndWritesOfEmptyBuffersAreCarriedToThePeer() {
        run(ours.peer.allocRead(ours.remoteRoom(512, 8), ours.room(0, 8)));
        run(ours.peer.allocWrite(ours.room(0, 8), ours.remoteRoom(512, 8)));
        assertCarriedWithLengthZero();
    }

    private void assertCarriedWithLengthZero() {
        List<CapturedPacket> answers = sentBy(theirs);
        List<CapturedPacket> sent = sentBy(ours);
        assertThat(first(sent, READ).hex(12, 4)).as("length of the read").isEqualTo("00000000");
        assertThat(first(sent, WRITE).hex(12, 4)).as("length of the write").isEqualTo("00000000");
        assertThat(first(answers, READ_RESPONSE).psn()).isEqualTo(first(sent, READ).psn());
        assertThat(first(answers, ACKNOWLEDGE).psn()).isEqualTo(first(sent, WRITE).psn());
    }

    @Test
    @Requirement("DRDMA-CONN-9b")
    void theDetailsCarryWhatThePacketsOfTheConnectionShow() {
        byte[] device = ours.dev.protectionDomain().device().address().getAddress();
        long guid = ours.dev.protectionDomain().device().guid();
        ByteBuffer details = ByteBuffer.wrap(ours.peer.details());
        ByteBuffer theirDetails = ByteBuffer.wrap(theirs.peer.details());
        run(ours.peer.allocWrite(null, null));
        List<CapturedPacket> answers = sentBy(theirs);
        CapturedPacket packet = first(sentBy(ours), WRITE);

        assertThat(details.getInt(0)).as("OBDX").isEqualTo(0x4F424458);
        assertThat(details.getShort(4)).as("version").isEqualTo((short) 3);
        assertThat(details.get(12)).as("transport: RC").isZero();
        assertThat(details.get(13)).as("with GRH").isEqualTo((byte) 1);
        assertThat(details.getShort(14)).as("MTU").isEqualTo((short) ours.rdma.mtu());
        assertThat(details.getInt(16))
                .as("queue pair")
                .isEqualTo(first(answers, ACKNOWLEDGE).destinationQueuePair());
        assertThat(theirDetails.getInt(16)).isEqualTo(packet.destinationQueuePair());
        assertThat(details.getInt(20)).as("start PSN").isEqualTo(packet.psn());
        assertThat(details.getLong(24)).as("GUID").isEqualTo(guid);
        assertThat(details.get(32)).as("length of the address").isEqualTo((byte) 4);
        byte[] address = new byte[4];
        details.get(33, address);
        assertThat(address).as("address, which is the GID").isEqualTo(device);
    }

    /// The private data of a reply comes after 36 bytes.
    @Test
    @Requirement("DRDMA-CM-3")
    void aReplyCarriesThePrivateDataAsItWasGiven() {
        Path file = directory.resolve("client.pcapng");
        try (RdmaEnd server = new RdmaEnd(TestDevices.loopback());
                RdmaEnd client =
                        new RdmaEnd(DocaDevInfo.of(RoceLoopback.URI + "&capture=" + file))) {
            ConnectionNotes notes = new ConnectionNotes();
            ConnectionNotes atClient = new ConnectionNotes();
            notes.answer = connection -> connection.accept((byte) 1, (byte) 2, (byte) 0xFE);
            server.rdma.onConnection(notes).start();
            client.rdma.onConnection(atClient).start();
            client.rdma.connectTo(server.address(server.rdma.listen(0)), null);
            client.progressUntil(() -> {
                server.engine.progress();
                return !atClient.established.isEmpty();
            });
        }
        CapturedPacket reply =
                CapturedPacket.readAll(file).stream()
                        .filter(packet -> packet.isCm() && packet.cmName().equals("REP"))
                        .findFirst()
                        .orElseThrow();
        assertThat(reply.cmHex(36, 5)).isEqualTo("0102fe0000");
    }
}
