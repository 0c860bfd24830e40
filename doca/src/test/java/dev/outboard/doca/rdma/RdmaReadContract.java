package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What reads fetch, and where they put it, on every provider.
abstract class RdmaReadContract extends RdmaPairContract {
    @BeforeEach
    void connectBoth() {
        connect();
    }

    @Test
    @Requirement({"DRDMA-READ-1", "DRDMA-READ-3", "DCORE-BUF-5", "DRDMA-PERM-2", "DTEST-3"})
    void theDataOfTheSourceGoesToTheTailsOfAList() {
        ReadTask read = ours.peer.allocRead(ours.remoteBuf(300, 40, 310, 20), someList());
        byte[] expected = ours.memory();
        byte[] expectedThere = theirs.memory();

        assertSucceeds(ours, read);

        System.arraycopy(theirs.bytes(310, 20), 0, expected, 105, 5);
        System.arraycopy(theirs.bytes(315, 15), 0, expected, 408, 15);
        assertThat(ours.memory()).isEqualTo(expected);
        assertThat(theirs.memory()).isEqualTo(expectedThere);
    }

    /// Buffers with room for five bytes, none, and 56.
    private Buf someList() {
        return RdmaEnd.list(
                ours.buf(100, 10, 102, 3), ours.buf(200, 4, 200, 4), ours.buf(400, 64, 401, 7));
    }

    @Test
    @Requirement({"DCORE-BUF-4", "DCORE-BUF-6", "DCORE-BUF-7", "DCORE-BUF-8", "DRDMA-READ-6"})
    void eachBufferOfAListGrowsByWhatWasPlacedInIt() {
        Buf list = someList();
        ReadTask read = ours.peer.allocRead(ours.remoteBuf(300, 40, 310, 20), list);
        assertSucceeds(ours, read);
        assertThat(read.resultLength()).isEqualTo(20);
        List<Long> lengths = new ArrayList<>();
        for (Buf buf = list; buf != null; buf = buf.next()) {
            lengths.add(buf.dataLen());
        }
        assertThat(lengths).containsExactly(8L, 4L, 22L);
    }

    @Test
    @Requirement("DRDMA-READ-5")
    void theSourceStaysAsItIs() {
        RemoteBuf src = ours.remoteBuf(300, 40, 310, 20);
        assertSucceeds(ours, ours.peer.allocRead(src, someList()));
        assertThat(List.of(src.head(), src.len(), src.data(), src.dataLen()))
                .containsExactly(300L, 40L, 310L, 20L);
    }

    @ParameterizedTest
    @CsvSource({"20,7,7", "20,20,20", "20,21,20", "20,0,0", "0,5,0"})
    @Requirement({"DRDMA-READ-2", "DFLT-16", "DFLT-17", "DRDMA-READ-6", "DRDMA-COM-10a"})
    void asMuchIsReadAsThereIsAndFits(long length, long room, long read) {
        Buf dst = ours.buf(100, 4 + room, 100, 4);
        byte[] expected = ours.memory();
        ReadTask task = ours.peer.allocRead(ours.remoteBuf(300, 40, 310, length), dst);

        assertSucceeds(ours, task);

        assertThat(task.resultLength()).isEqualTo(read);
        assertThat(dst.dataLen()).isEqualTo(4 + read);
        System.arraycopy(theirs.bytes(310, (int) read), 0, expected, 104, (int) read);
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @Test
    @Requirement({"DRDMA-NULL-3", "DFLT-28", "DRDMA-COM-10a"})
    void withoutSourceNothingIsRead() {
        Buf dst = ours.buf(100, 16, 100, 4);
        byte[] expected = ours.memory();
        for (Buf each : new Buf[] {null, dst}) {
            ReadTask read = ours.peer.allocRead(null, each);
            assertSucceeds(ours, read);
            assertThat(read.resultLength()).isZero();
        }
        assertThat(dst.dataLen()).isEqualTo(4);
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @Test
    @Requirement({"DRDMA-NULL-5", "DFLT-27", "DCORE-TASK-5", "DRDMA-FAIL-2"})
    void aSourceNeedsADestination() {
        ReadTask read = ours.peer.allocRead(ours.remoteData(0, 4), null);
        assertBreaks(ValidationRule.OPERAND_MISSING, ours, read);
        assertConnected();
    }

    @Test
    @Requirement({"DRDMA-READ-7", "DTEST-4"})
    void aListAtTheLimitWorks() {
        ReadTask atLimit = ours.peer.allocRead(ours.remoteData(300, 8), ours.rooms(4, 100, 2));
        assertSucceeds(ours, atLimit);
        assertThat(ours.bytes(100, 8)).isEqualTo(theirs.bytes(300, 8));
    }

    @Test
    @Requirement({"DRDMA-READ-7", "DRDMA-COM-7", "DRDMA-COM-9", "DFLT-11", "DRDMA-READ-9"})
    void aListAboveTheLimitFailsAlone() {
        Buf tooLong = ours.rooms(5, 200, 2);
        byte[] expected = ours.memory();
        ReadTask beyond = ours.peer.allocRead(ours.remoteData(300, 8), tooLong);
        assertBreaks(ValidationRule.LIST_TOO_LONG, ours, beyond);
        assertThat(tooLong.dataLen()).isZero();
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @Test
    @Requirement("DRDMA-READ-8")
    void thePeerSeesNothing() {
        ReceiveTask receive = posted(theirs.room(0, 8));
        assertSucceeds(ours, ours.peer.allocRead(ours.remoteData(300, 8), ours.room(100, 8)));
        assertThat(theirs.engine.progress()).isFalse();
        assertThat(theirs.done).isEmpty();
        assertThat(receive.status()).isEqualTo(DocaError.IN_PROGRESS);
    }

    @Test
    @Requirement({"DRDMA-READ-11", "DRDMA-COM-14"})
    void moreReadsThanTheConnectionCarriesWait() {
        List<RdmaTask> tasks = new ArrayList<>();
        for (int i = 0; i < RdmaEnd.TASKS; i++) {
            tasks.add(
                    ours.peer.allocRead(
                            ours.remoteData(i * 512L, 512), ours.room(16384 + i * 512L, 512)));
            tasks.add(
                    ours.peer.allocAtomicFetchAdd(
                            ours.remoteRoom(32768 + 8L * i, 8), ours.room(40000 + 8L * i, 8), 1));
        }
        tasks.forEach(task -> assertThat(task.submit()).isEqualTo(DocaError.SUCCESS));
        for (RdmaTask task : tasks) {
            assertThat(ours.next()).isSameAs(task);
            assertThat(task.status()).isEqualTo(DocaError.SUCCESS);
        }
        assertThat(ours.bytes(16384, RdmaEnd.TASKS * 512))
                .isEqualTo(theirs.bytes(0, RdmaEnd.TASKS * 512));
    }

    @Test
    @Requirement({"DRDMA-READ-6", "DCORE-TASK-13", "DCORE-TASK-14"})
    void theLengthIsThereAfterSuccessOnly() {
        ReadTask read = ours.peer.allocRead(ours.remoteData(0, 4), ours.room(0, 4));
        assertRefused(DocaError.BAD_STATE, read::resultLength);
        read.submitOrThrow();
        assertRefused(DocaError.BAD_STATE, read::resultLength);
        assertThat(ours.next()).isSameAs(read);
        assertThat(read.resultLength()).isEqualTo(4);
        read.dst(null);
        assertThat(ours.run(read)).isEqualTo(DocaError.INVALID_VALUE);
        assertRefused(DocaError.BAD_STATE, read::resultLength);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("DRDMA-COM-17")
    void aLaterMessageIsThereWhileAReadOrAtomicIsInProgress(boolean isAtomic) {
        ReceiveTask receive = posted(null);
        List<RequestTask> first = new ArrayList<>();
        for (int i = 0; i < RdmaEnd.TASKS; i++) {
            first.add(
                    isAtomic
                            ? ours.peer.allocAtomicFetchAdd(
                                    ours.remoteRoom(0, 8), ours.room(8L * i, 8), 1)
                            : ours.peer.allocRead(
                                    ours.remoteData(0, 2048), ours.room(2048L * i, 2048)));
        }
        SendTask later = ours.peer.allocSend(null);
        first.forEach(RdmaTask::submitOrThrow);
        later.submitOrThrow();

        assertThat(theirs.next()).isSameAs(receive);

        assertThat(first).allMatch(task -> task.status() == DocaError.IN_PROGRESS);
        first.forEach(task -> assertThat(ours.next()).isSameAs(task));
        assertThat(ours.next()).isSameAs(later);
    }
}
