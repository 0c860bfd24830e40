package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What tasks take from buffers and leave in them, on every provider. Both ends' memory holds a
/// pattern of its own in each byte, so that bytes in a wrong place show.
abstract class RdmaBufferContract {
    private static final int LIST_LENGTH = 5;

    /// More than any test touches.
    private static final int WATCHED_BYTES = 1024;

    private RdmaEnd ours;
    private RdmaEnd theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void connect() {
        ours = new RdmaEnd(device());
        theirs = new RdmaEnd(device());
        ours.rdma.maxSendBufListLen(LIST_LENGTH);
        theirs.rdma.receiveDstBufListLen(LIST_LENGTH);
        for (int i = 0; i < WATCHED_BYTES; i++) {
            ours.mmap.segment().set(ValueLayout.JAVA_BYTE, i, our(i));
            theirs.mmap.segment().set(ValueLayout.JAVA_BYTE, i, their(i));
        }
        RdmaEnd.connect(ours, theirs);
    }

    @AfterEach
    void close() {
        ours.close();
        theirs.close();
    }

    @Test
    @Requirement({"DCORE-BUF-4", "DCORE-BUF-5", "DCORE-BUF-6"})
    void aSendTakesTheDataAndAReceiveFillsTheTail() {
        Buf src = ours.inventory.byArgs(ours.mmap, 10, 100, 20, 5);
        Buf dst = theirs.inventory.byArgs(theirs.mmap, 100, 64, 110, 6);
        pass(src, dst);
        assertThat(dst.data()).isEqualTo(110);
        assertThat(dst.dataLen()).isEqualTo(11);
        assertThat(src.data()).isEqualTo(20);
        assertThat(src.dataLen()).isEqualTo(5);
        byte[] expected = theirPattern();
        put(expected, 116, our(20), our(21), our(22), our(23), our(24));
        assertThat(theirs.bytes(0, WATCHED_BYTES)).isEqualTo(expected);
        assertThat(ours.bytes(0, WATCHED_BYTES)).isEqualTo(ourPattern());
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-4", "DCORE-BUF-5", "DCORE-BUF-6"})
    void aReadTakesTheDataAndFillsTheTail() {
        RemoteBuf src = ours.inventory.byArgs(ours.remote, 10, 100, 20, 5);
        Buf dst = ours.inventory.byArgs(ours.mmap, 100, 64, 110, 6);
        assertThat(read(src, dst)).isEqualTo(5);
        assertThat(dst.data()).isEqualTo(110);
        assertThat(dst.dataLen()).isEqualTo(11);
        byte[] expected = ourPattern();
        put(expected, 116, their(20), their(21), their(22), their(23), their(24));
        assertThat(ours.bytes(0, WATCHED_BYTES)).isEqualTo(expected);
        assertThat(theirs.bytes(0, WATCHED_BYTES)).isEqualTo(theirPattern());
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-7", "DCORE-BUF-8"})
    void aReceiveFillsAListFromItsFirstTailOnAndSkipsFullBuffers() {
        Buf dst = scatterList(theirs);
        Buf src = ours.inventory.byData(ours.mmap, 0, 9);
        pass(src, dst);
        assertScattered(dst);
        assertThat(theirs.bytes(0, WATCHED_BYTES))
                .isEqualTo(scattered(theirPattern(), Arrays.copyOf(ourPattern(), 9)));
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-7", "DCORE-BUF-8"})
    void aReadFillsAListFromItsFirstTailOnAndSkipsFullBuffers() {
        Buf dst = scatterList(ours);
        RemoteBuf src = ours.remoteData(0, 9);
        assertThat(read(src, dst)).isEqualTo(9);
        assertScattered(dst);
        assertThat(ours.bytes(0, WATCHED_BYTES))
                .isEqualTo(scattered(ourPattern(), Arrays.copyOf(theirPattern(), 9)));
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-5", "DCORE-BUF-8"})
    void aSendTakesTheDataOfAListInOrderAndSkipsEmptyBuffers() {
        Buf src = ours.inventory.byArgs(ours.mmap, 0, 16, 4, 2);
        src.chain(ours.inventory.byAddress(ours.mmap, 32, 16));
        src.chain(ours.inventory.byArgs(ours.mmap, 64, 16, 70, 3));
        src.chain(ours.inventory.byAddress(ours.mmap, 96, 16));
        Buf dst = theirs.room(200, 16);
        pass(src, dst);
        assertThat(dst.dataLen()).isEqualTo(5);
        assertThat(theirs.bytes(200, 6))
                .containsExactly(our(4), our(5), our(70), our(71), our(72), their(205));
        src.release();
        dst.release();
    }

    @Test
    @Requirement("DCORE-BUF-8")
    void skippedBuffersCountTowardTheLengthOfTheList() {
        Buf src = ours.data(0, (byte) 1);
        for (int i = 1; i < LIST_LENGTH; i++) {
            src.chain(ours.room(32, 0));
        }
        SendTask send = ours.peer.allocSend(src);
        Buf oneMore = ours.room(32, 0);
        src.chain(oneMore);
        assertThat(send.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        src.unchain(oneMore);
        Buf dst = theirs.room(200, 16);
        pass(src, dst);
        assertThat(dst.dataLen()).isEqualTo(1);
        oneMore.release();
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-9", "DCORE-BUF-3"})
    void aDestinationThatIsNotResetIsAppendedToUntilItIsFull() {
        RemoteBuf src = ours.inventory.byArgs(ours.remote, 50, 32, 50, 3);
        Buf dst = ours.room(200, 5);
        assertThat(read(src, dst)).isEqualTo(3);
        assertThat(read(src, dst)).isEqualTo(2);
        assertThat(dst.dataLen()).isEqualTo(5);
        assertThat(ours.bytes(200, 6))
                .containsExactly(their(50), their(51), their(52), their(50), their(51), our(205));
        assertThat(read(src, dst)).isZero();
        dst.resetDataLen();
        src.data(60, 3);
        assertThat(read(src, dst)).isEqualTo(3);
        assertThat(dst.dataLen()).isEqualTo(3);
        assertThat(ours.bytes(200, 4)).containsExactly(their(60), their(61), their(62), their(50));
        src.release();
        dst.release();
    }

    @Test
    @Requirement("DCORE-BUF-20")
    void tasksChangeNoReferences() {
        Buf src = ours.data(0, (byte) 1);
        Buf dst = theirs.room(200, 16);
        src.retain();
        ReceiveTask receive = theirs.rdma.allocReceive(dst);
        receive.submitOrThrow();
        SendTask send = ours.peer.allocSend(src);
        send.submitOrThrow();
        assertThat(src.refCount()).isEqualTo(2);
        assertThat(dst.refCount()).isEqualTo(1);
        assertThat(ours.next()).isSameAs(send);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(src.refCount()).isEqualTo(2);
        assertThat(dst.refCount()).isEqualTo(1);
        src.release();
        src.release();
        dst.release();
    }

    @Test
    @Requirement({"DCORE-BUF-17", "DCORE-BUF-19", "DCORE-BUF-20"})
    void aBufferReleasedInFlightIsNotChangedInTheHandsOfItsNextHolder() {
        Buf dst = theirs.room(200, 16);
        ReceiveTask receive = theirs.rdma.allocReceive(dst);
        receive.submitOrThrow();
        dst.release();
        Buf next = theirs.room(400, 8);
        for (int i = 0; next != dst && i < 1000; i++) {
            next.release();
            next = theirs.room(400, 8);
        }
        assertThat(next).as("the same element, handed out again").isSameAs(dst);
        Buf src = ours.data(0, (byte) 1, (byte) 2);
        assertThat(ours.run(ours.peer.allocSend(src))).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(next.head()).isEqualTo(400);
        assertThat(next.dataLen()).isZero();
        assertThat(theirs.bytes(200, 2)).containsExactly(1, 2);
        assertThat(theirs.bytes(400, 8)).isEqualTo(Arrays.copyOfRange(theirPattern(), 400, 408));
        next.release();
        src.release();
    }

    @Test
    @Requirement({"DCORE-BUF-19", "DFLT-51"})
    void aTaskWhoseBufferIsBackFailsAndSendsNothing() {
        Buf src = ours.data(0, (byte) 1);
        SendTask send = ours.peer.allocSend(src);
        src.release();
        assertThat(send.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(ours.run(send)).isEqualTo(DocaError.INVALID_VALUE);
        try (BufInventory single = BufInventory.create(1).start()) {
            Buf reused = single.byData(ours.mmap, 0, 1);
            SendTask another = ours.peer.allocSend(reused);
            reused.release();
            Buf other = single.byData(ours.mmap, 0, 1);
            for (int i = 0; other != reused && i < 1000; i++) {
                other.release();
                other = single.byData(ours.mmap, 0, 1);
            }
            assertThat(other).as("the same element, handed out again").isSameAs(reused);
            assertThat(another.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
            assertThat(ours.run(another)).isEqualTo(DocaError.INVALID_VALUE);
            other.release();
        }
        Buf good = ours.data(0, (byte) 9);
        Buf dst = theirs.room(200, 16);
        pass(good, dst);
        assertThat(dst.dataLen()).isEqualTo(1);
        assertThat(theirs.bytes(200, 1)).containsExactly(9);
        good.release();
        dst.release();
    }

    /// Tails of 3, none, 4 and 10 bytes.
    private static Buf scatterList(RdmaEnd end) {
        Buf list = end.inventory.byArgs(end.mmap, 100, 8, 102, 3);
        list.chain(end.inventory.byData(end.mmap, 200, 8));
        list.chain(end.inventory.byAddress(end.mmap, 300, 4));
        list.chain(end.inventory.byAddress(end.mmap, 400, 10));
        return list;
    }

    private static void assertScattered(Buf list) {
        long[] lengths = new long[4];
        int index = 0;
        for (Buf each = list; each != null; each = each.next()) {
            lengths[index++] = each.dataLen();
        }
        assertThat(lengths).containsExactly(3 + 3, 8, 4, 2);
    }

    /// `before`, with nine bytes in the tails of the list.
    private static byte[] scattered(byte[] before, byte[] nine) {
        put(before, 105, nine[0], nine[1], nine[2]);
        put(before, 300, nine[3], nine[4], nine[5], nine[6]);
        put(before, 400, nine[7], nine[8]);
        return before;
    }

    private void pass(Buf src, Buf dst) {
        ReceiveTask receive = theirs.rdma.allocReceive(dst);
        receive.submitOrThrow();
        assertThat(ours.run(ours.peer.allocSend(src))).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
    }

    private long read(RemoteBuf src, Buf dst) {
        ReadTask read = ours.peer.allocRead(src, dst);
        assertThat(ours.run(read)).isEqualTo(DocaError.SUCCESS);
        return read.resultLength();
    }

    private static void put(byte[] bytes, int at, byte... values) {
        System.arraycopy(values, 0, bytes, at, values.length);
    }

    private static byte our(int offset) {
        return (byte) (3 * offset + 1);
    }

    private static byte their(int offset) {
        return (byte) (5 * offset + 2);
    }

    private static byte[] ourPattern() {
        byte[] pattern = new byte[WATCHED_BYTES];
        for (int i = 0; i < WATCHED_BYTES; i++) {
            pattern[i] = our(i);
        }
        return pattern;
    }

    private static byte[] theirPattern() {
        byte[] pattern = new byte[WATCHED_BYTES];
        for (int i = 0; i < WATCHED_BYTES; i++) {
            pattern[i] = their(i);
        }
        return pattern;
    }
}
