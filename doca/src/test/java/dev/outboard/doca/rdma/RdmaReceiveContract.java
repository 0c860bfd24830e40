package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What receives do with messages of every kind, on every provider.
abstract class RdmaReceiveContract extends RdmaPairContract {
    @Test
    @Requirement({"DRDMA-RECV-2", "DRDMA-RECV-5", "DCORE-BUF-4", "DTEST-3", "DTEST-4"})
    void aMessageFillsTheTailsOfAListInOrder() {
        connect();
        try (Mmap other = otherMemory()) {
            Buf dst = someList(other);
            ReceiveTask receive = posted(dst);
            byte[] expected = theirs.memory();
            byte[] sent = ours.bytes(1000, 9);

            assertSucceeds(ours, ours.peer.allocSend(ours.dataAt(1000, 9)));

            assertThat(theirs.next()).isSameAs(receive);
            assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
            System.arraycopy(sent, 0, expected, 107, 3);
            System.arraycopy(sent, 4, expected, 404, 5);
            assertThat(theirs.memory()).isEqualTo(expected);
            assertThat(other.segment().get(ValueLayout.JAVA_BYTE, 8)).isEqualTo(sent[3]);
            assertThat(other.segment().get(ValueLayout.JAVA_BYTE, 9)).isZero();
            receive.free();
            dst.release();
        }
    }

    /// Buffers with three bytes of room, none, one in `other` memory, and sixteen.
    private Buf someList(Mmap other) {
        return RdmaEnd.list(
                theirs.buf(100, 10, 103, 4),
                theirs.buf(200, 4, 200, 4),
                theirs.inventory.byAddress(other, 8, 1),
                theirs.buf(400, 20, 402, 2));
    }

    @Test
    @Requirement({"DRDMA-RECV-4", "DRDMA-RECV-6", "DCORE-BUF-6", "DCORE-BUF-7", "DCORE-BUF-8"})
    void eachBufferOfAListGrowsByWhatWasPlacedInIt() {
        connect();
        try (Mmap other = otherMemory()) {
            Buf dst = someList(other);
            ReceiveTask receive = posted(dst);
            assertSucceeds(ours, ours.peer.allocSend(ours.dataAt(1000, 9)));
            assertThat(theirs.next()).isSameAs(receive);
            assertThat(receive.resultLength()).isEqualTo(9);
            List<Long> places = new ArrayList<>();
            List<Long> lengths = new ArrayList<>();
            for (Buf buf = dst; buf != null; buf = buf.next()) {
                places.add(buf.data());
                lengths.add(buf.dataLen());
            }
            assertThat(places).containsExactly(103L, 200L, 8L, 402L);
            assertThat(lengths).containsExactly(7L, 4L, 1L, 7L);
            receive.free();
            dst.release();
        }
    }

    private Mmap otherMemory() {
        return Mmap.builder()
                .device(theirs.dev)
                .memrange(64)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    /// A send, a send with immediate and a write with immediate, in this order.
    ///
    /// @return the receives that took them
    private List<ReceiveTask> oneOfEachKind() {
        connect();
        List<ReceiveTask> receives =
                List.of(
                        posted(theirs.room(64, 8)),
                        posted(theirs.room(80, 8)),
                        posted(theirs.room(96, 8)));
        Be32 immediate = Be32.ofHost(0x01020304);
        assertSucceeds(ours, ours.peer.allocSend(ours.dataAt(0, 4)));
        assertSucceeds(ours, ours.peer.allocSendImm(ours.dataAt(4, 5), immediate));
        assertSucceeds(
                ours,
                ours.peer.allocWriteImm(ours.dataAt(16, 6), ours.remoteRoom(512, 8), immediate));
        return receives;
    }

    @Test
    @Requirement({"DRDMA-RECV-1", "DRDMA-COM-14", "DRDMA-RECV-7", "DRDMA-WRITEI-2"})
    void eachMessageTakesOneReceiveAndNamesItsKind() {
        List<ReceiveTask> receives = oneOfEachKind();
        assertThat(List.of(theirs.next(), theirs.next(), theirs.next())).isEqualTo(receives);
        assertThat(receives)
                .extracting(ReceiveTask::opcode)
                .containsExactly(
                        RecvOpcode.RECV_SEND,
                        RecvOpcode.RECV_SEND_WITH_IMM,
                        RecvOpcode.RECV_WRITE_WITH_IMM);
        assertThat(receives).extracting(ReceiveTask::resultLength).containsExactly(4L, 5L, 6L);
    }

    @Test
    @Requirement({"DRDMA-RECV-9", "DRDMA-SENDI-1", "DRDMA-COM-13"})
    void anImmediateIsThereIfTheMessageCarriesOne() {
        List<ReceiveTask> receives = oneOfEachKind();
        theirs.progressUntil(() -> theirs.done.size() == 3);
        assertRefused(DocaError.BAD_STATE, receives.get(0)::immediate, "no immediate");
        assertThat(receives.get(1).immediate()).isEqualTo(Be32.ofHost(0x01020304));
        assertThat(receives.get(2).immediateHost()).isEqualTo(0x01020304);
    }

    @Test
    @Requirement({"DRDMA-RECV-10", "DRDMA-WRITEI-4", "DRDMA-COM-15"})
    void aWriteLeavesTheBufferOfTheReceiveAloneAndIsInItsPlace() {
        ReceiveTask ofWrite = oneOfEachKind().getLast();
        byte[] untouched = theirs.bytes(96, 8);
        theirs.progressUntil(() -> theirs.done.size() == 3);
        assertThat(ofWrite.dst().dataLen()).isZero();
        assertThat(theirs.bytes(96, 8)).isEqualTo(untouched);
        assertThat(theirs.bytes(512, 6)).isEqualTo(ours.bytes(16, 6));
    }

    @Test
    @Requirement("DRDMA-RECV-7")
    void theOpcodesHaveTheirNumbers() {
        assertThat(RecvOpcode.values())
                .containsExactly(
                        RecvOpcode.RECV_SEND,
                        RecvOpcode.RECV_SEND_WITH_IMM,
                        RecvOpcode.RECV_WRITE_WITH_IMM);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "255", "65536", "2147483647", "-1", "-2147483648", "16909060"})
    @Requirement({"DRDMA-SENDI-3", "DRDMA-COM-12a", "DRDMA-COM-13", "DJAVA-RDMA-2a"})
    void everyImmediateArrivesAsItWasSet(int number) {
        connect();
        ReceiveTask receive = posted(null);
        assertSucceeds(ours, ours.peer.allocSendImm(null, Be32.ofHost(number)));
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.immediateHost()).isEqualTo(number);
        assertThat(receive.immediate().toHost()).isEqualTo(number);
        assertThat(receive.resultLength()).isZero();
    }

    @Test
    @Requirement({"DRDMA-RECV-11", "DRDMA-RECV-13", "DRDMA-PROP-4", "DFLT-12"})
    void aReceiveHasALimitOfItsOwn() {
        theirs.rdma.receiveDstBufListLen(2).maxSendBufListLen(1);
        connect();
        Buf list = theirs.rooms(2, 64, 2);
        ReceiveTask within = posted(list);
        assertSucceeds(ours, ours.peer.allocSend(ours.data(0, (byte) 1, (byte) 2, (byte) 3)));
        assertThat(theirs.next()).isSameAs(within);
        assertThat(within.status()).isEqualTo(DocaError.SUCCESS);

        Buf tooLong = theirs.rooms(3, 128, 2);
        ReceiveTask beyond = theirs.rdma.allocReceive(tooLong);
        assertBreaks(ValidationRule.LIST_TOO_LONG, theirs, beyond);
        assertThat(tooLong.dataLen()).isZero();
        assertThat(beyond.messageSeen()).isFalse();

        assertConnected();
    }

    @ParameterizedTest
    @CsvSource({"3", "0"})
    @Requirement({"DFLT-14", "DRDMA-RECV-3", "DRDMA-SEND-3", "DRDMA-FAIL-11"})
    void aMessageLongerThanTheReceiveFailsBoth(int room) {
        connect();
        ReceiveTask receive = posted(theirs.buf(64, 4 + room, 64, 4));
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 4));
        assertThat(ours.run(send)).isEqualTo(DocaError.IO_FAILED);
        assertFatal(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, send);
        assertThat(theirs.next()).isSameAs(receive);
        assertFatal(CompletionStatus.LOCAL_LENGTH_ERROR, receive);
        assertThat(receive.messageSeen()).isTrue();
        assertThat(receive.opcode()).isEqualTo(RecvOpcode.RECV_SEND);
    }

    @Test
    @Requirement({"DRDMA-RECV-12", "DRDMA-SEND-7", "DRDMA-FAIL-3", "DRDMA-FAIL-10"})
    void afterSuchAFailureTheContextsStopAndTheTasksAreTheUsers() {
        connect();
        Buf dst = theirs.buf(64, 7, 64, 4);
        ReceiveTask receive = posted(dst);
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 4));
        assertThat(ours.run(send)).isEqualTo(DocaError.IO_FAILED);
        assertThat(theirs.next()).isSameAs(receive);
        assertRefused(DocaError.BAD_STATE, receive::resultLength);
        assertThat(dst.dataLen()).isEqualTo(4);
        assertThat(send.src().dataLen()).isEqualTo(4);
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.STOPPING);
        receive.free();
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.IDLE);
        send.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
    }

    @Test
    @Requirement("DRDMA-RECV-7")
    void aReceiveThatIsTooShortNamesTheKindOfItsMessage() {
        connect();
        ReceiveTask receive = posted(theirs.room(64, 3));
        SendImmTask send = ours.peer.allocSendImm(ours.dataAt(0, 4), Be32.ofHost(1));

        assertThat(ours.run(send)).isEqualTo(DocaError.IO_FAILED);

        assertThat(theirs.next()).isSameAs(receive);
        assertFatal(CompletionStatus.LOCAL_LENGTH_ERROR, receive);
        assertThat(receive.messageSeen()).isTrue();
        assertThat(receive.opcode()).isEqualTo(RecvOpcode.RECV_SEND_WITH_IMM);
        assertRefused(DocaError.BAD_STATE, receive::immediate);
    }

    @Test
    @Requirement("DFLT-15")
    void aReceiveWithoutBufferTakesNoPayload() {
        connect();
        ReceiveTask receive = posted(null);
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 1));
        assertThat(ours.run(send)).isEqualTo(DocaError.IO_FAILED);
        assertFatal(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, send);
        assertThat(theirs.next()).isSameAs(receive);
        assertFatal(CompletionStatus.LOCAL_LENGTH_ERROR, receive);
    }

    @Test
    @Requirement({"DRDMA-NULL-1", "DRDMA-NULL-2", "DRDMA-COM-11", "DFLT-28", "DRDMA-WRITEI-5"})
    void aReceiveWithoutBufferTakesWhatHasNoPayload() {
        connect();
        List<ReceiveTask> receives = List.of(posted(null), posted(null), posted(null));
        assertSucceeds(ours, ours.peer.allocSend(null));
        assertSucceeds(ours, ours.peer.allocSendImm(null, Be32.ofHost(5)));
        assertSucceeds(ours, ours.peer.allocWriteImm(null, null, Be32.ofHost(6)));
        for (ReceiveTask receive : receives) {
            assertThat(theirs.next()).isSameAs(receive);
            assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
            assertThat(receive.resultLength()).isZero();
        }
        assertThat(receives.get(1).immediateHost()).isEqualTo(5);
        assertThat(receives.get(2).immediateHost()).isEqualTo(6);
    }

    @Test
    @Requirement({"DRDMA-NULL-1", "DRDMA-RECV-10"})
    void aReceiveWithoutBufferTakesTheImmediateOfAWrite() {
        connect();
        ReceiveTask receive = posted(null);
        assertSucceeds(
                ours,
                ours.peer.allocWriteImm(
                        ours.dataAt(0, 5), ours.remoteRoom(300, 5), Be32.ofHost(9)));
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.resultLength()).isEqualTo(5);
        assertThat(theirs.bytes(300, 5)).isEqualTo(ours.bytes(0, 5));
    }

    @Test
    @Requirement({"DRDMA-RECV-8", "DCORE-TASK-14", "DRDMA-FAIL-4"})
    void aFlushedReceiveSawNoMessage() {
        connect();
        ReceiveTask receive = posted(theirs.room(0, 8));
        assertRefused(DocaError.BAD_STATE, () -> theirs.rdma.allocReceive(null).opcode());
        theirs.rdma.stop();
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(receive.messageSeen()).isFalse();
        assertThat(receive.opcode()).isEqualTo(RecvOpcode.RECV_SEND);
        assertRefused(DocaError.BAD_STATE, receive::resultLength);
        assertRefused(DocaError.BAD_STATE, receive::immediate);
        assertRefused(DocaError.BAD_STATE, receive::connection);
    }

    @Test
    @Requirement("DRDMA-RECV-14")
    void withOneConnectionReceivesComeOnceItIsThere() {
        ours.rdma.start();
        assertRefused(DocaError.BAD_STATE, () -> ours.rdma.allocReceive(null), "STARTING");
    }

    @Test
    @Requirement("DRDMA-RECV-14")
    void withManyConnectionsReceivesMayComeFirst() {
        ours.rdma.connectionMode(ConnectionMode.OPEN).start();
        assertThat(ours.rdma.allocReceive(null).submit()).isEqualTo(DocaError.SUCCESS);
    }

    @Test
    @Requirement({"DFLT-6", "DRDMA-PERM-3", "DRDMA-PERM-5"})
    void aReceiveIntoReadOnlyMemoryFailsWhenAMessageComes() {
        connect();
        try (Mmap readOnly = Mmap.builder().device(theirs.dev).memrange(64).build().start()) {
            Buf dst = theirs.inventory.byAddress(readOnly, 0, 64);
            ReceiveTask receive = theirs.rdma.allocReceive(dst);
            assertThat(receive.trySubmit()).isEqualTo(DocaError.NOT_PERMITTED);
            assertThat(receive.submit()).isEqualTo(DocaError.SUCCESS);
            SendTask send = ours.peer.allocSend(ours.dataAt(0, 4));

            assertThat(ours.run(send)).isEqualTo(DocaError.IO_FAILED);

            assertFatal(CompletionStatus.REMOTE_OPERATION_ERROR, send);
            assertThat(theirs.next()).isSameAs(receive);
            assertFatal(CompletionStatus.LOCAL_PROTECTION_ERROR, receive);
            MemorySegment memory = readOnly.segment();
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isZero();
            dst.release();
        }
    }
}
