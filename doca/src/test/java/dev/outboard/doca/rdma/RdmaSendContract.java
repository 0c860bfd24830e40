package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.Completion;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What sends carry, with and without immediate, on every provider.
abstract class RdmaSendContract extends RdmaPairContract {
    private static final Be32 IMMEDIATE = Be32.ofHost(0xCAFE);

    private RequestTask sending(Buf src, boolean withImmediate) {
        return withImmediate ? ours.peer.allocSendImm(src, IMMEDIATE) : ours.peer.allocSend(src);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-SEND-2", "DRDMA-SENDI-1", "DCORE-BUF-5", "DCORE-BUF-8", "DTEST-4"})
    void theMessageIsTheDataOfTheList(boolean withImmediate) {
        connect();
        Buf list = someList();
        byte[] here = ours.memory();
        byte[] expected = theirs.memory();
        ReceiveTask receive = posted(theirs.room(500, 32));

        assertSucceeds(ours, sending(list, withImmediate));

        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.resultLength()).isEqualTo(11);
        System.arraycopy(here, 102, expected, 500, 3);
        System.arraycopy(here, 300, expected, 503, 1);
        System.arraycopy(here, 401, expected, 504, 7);
        assertThat(theirs.memory()).isEqualTo(expected);
        assertThat(receive.opcode())
                .isEqualTo(withImmediate ? RecvOpcode.RECV_SEND_WITH_IMM : RecvOpcode.RECV_SEND);
    }

    /// Three bytes, nothing, one byte, and seven.
    private Buf someList() {
        return RdmaEnd.list(
                ours.buf(100, 10, 102, 3),
                ours.buf(200, 4, 202, 0),
                ours.buf(300, 1, 300, 1),
                ours.buf(400, 64, 401, 7));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-SEND-4", "DRDMA-SENDI-1", "DTEST-3"})
    void theSourceIsNotModified(boolean withImmediate) {
        connect();
        Buf list = someList();
        byte[] here = ours.memory();
        posted(theirs.room(500, 32));
        assertSucceeds(ours, sending(list, withImmediate));
        assertThat(ours.memory()).isEqualTo(here);
        List<Long> lengths = new ArrayList<>();
        for (Buf buf = list; buf != null; buf = buf.next()) {
            lengths.add(buf.dataLen());
        }
        assertThat(lengths).containsExactly(3L, 0L, 1L, 7L);
    }

    @Test
    @Requirement("DRDMA-SENDI-2")
    void aReceiveThatSucceedsHasTheImmediate() {
        connect();
        ReceiveTask receive = posted(theirs.room(500, 32));
        assertRefused(DocaError.BAD_STATE, receive::immediate, "IN_PROGRESS");
        assertSucceeds(ours, ours.peer.allocSendImm(ours.dataAt(0, 3), IMMEDIATE));
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.immediate()).isEqualTo(IMMEDIATE);
        assertThat(receive.immediateHost()).isEqualTo(IMMEDIATE.toHost());
    }

    @Test
    @Requirement("DRDMA-SENDI-2")
    void aReceiveThatFailsHasNoImmediate() {
        connect();
        ReceiveTask tooShort = posted(theirs.room(500, 2));
        ReceiveTask flushed = posted(theirs.room(600, 32));
        ours.peer.allocSendImm(ours.dataAt(0, 3), IMMEDIATE).submitOrThrow();
        theirs.progressUntil(() -> theirs.done.size() == 2);
        assertThat(tooShort.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(flushed.status()).isEqualTo(DocaError.BAD_STATE);
        for (ReceiveTask failed : List.of(tooShort, flushed)) {
            assertRefused(DocaError.BAD_STATE, failed::immediate, "no result");
            assertRefused(DocaError.BAD_STATE, failed::immediateHost, "no result");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-SEND-5", "DRDMA-SENDI-1", "DRDMA-COM-9", "DFLT-11", "DRDMA-SEND-7"})
    void aListAtTheLimitWorksAndALongerOneDoesNot(boolean withImmediate) {
        connect();
        ReceiveTask receive = posted(theirs.room(500, 8));
        assertSucceeds(ours, sending(ours.datas(4, 100, 2), withImmediate));
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(theirs.bytes(500, 8)).isEqualTo(ours.bytes(100, 8));

        RequestTask beyond = sending(ours.datas(5, 100, 2), withImmediate);
        assertBreaks(ValidationRule.LIST_TOO_LONG, ours, beyond);
        assertConnected();
    }

    @Test
    @Requirement({"DRDMA-PROP-3", "DRDMA-PROP-17"})
    void oneLimitHoldsForAllThatIsSent() {
        ours.rdma.maxSendBufListLen(2);
        connect();
        Buf list = ours.datas(3, 100, 2);
        Buf rooms = ours.rooms(3, 200, 2);
        List.of(
                        ours.peer.allocSend(list),
                        ours.peer.allocSendImm(list, IMMEDIATE),
                        ours.peer.allocWrite(list, ours.remoteRoom(0, 100)),
                        ours.peer.allocWriteImm(list, ours.remoteRoom(0, 100), IMMEDIATE),
                        ours.peer.allocRead(ours.remoteData(0, 6), rooms))
                .forEach(task -> assertBreaks(ValidationRule.LIST_TOO_LONG, ours, task));
        posted(theirs.room(0, 4));
        assertSucceeds(ours, ours.peer.allocSend(ours.datas(2, 100, 2)));
    }

    /// What needs a receive at the peer.
    enum Message {
        SEND,
        SEND_IMM,
        WRITE_IMM
    }

    private RequestTask message(Message kind) {
        return switch (kind) {
            case SEND -> sending(ours.dataAt(0, 4), false);
            case SEND_IMM -> sending(ours.dataAt(0, 4), true);
            case WRITE_IMM ->
                    ours.peer.allocWriteImm(ours.dataAt(0, 4), ours.remoteRoom(64, 4), IMMEDIATE);
        };
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-18", "DRDMA-SEND-1", "DRDMA-WRITEI-6", "DRDMA-PROP-12", "DRDMA-FAIL-9"})
    void withoutReceiveTheSenderGivesUp(Message kind) {
        ours.rdma.rnrRetryCount(1);
        connect();
        RequestTask task = message(kind);
        assertThat(ours.run(task)).isEqualTo(DocaError.IO_FAILED);
        assertFatal(CompletionStatus.RNR_RETRY_EXCEEDED, task);
        theirs.engine.progress();
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-19", "DRDMA-RECV-1", "DRDMA-PROP-12"})
    void withoutEndTheSenderWaitsForAReceive(Message kind) {
        ours.rdma.rnrRetryCount(7);
        connect();
        RequestTask task = message(kind);
        task.submitOrThrow();
        long answersBefore = answers();
        ours.progressUntil(() -> answers() >= answersBefore + 10);
        assertThat(ours.done).isEmpty();

        ReceiveTask receive = posted(theirs.room(0, 4));

        assertThat(ours.next()).isSameAs(task);
        assertThat(task.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
    }

    /// How often the peer's device answered.
    private long answers() {
        return theirs.dev.protectionDomain().device().counters().get("sent.calls");
    }

    @Test
    @Requirement("DRDMA-COM-2")
    void aBufferThatChangesBeforeItIsTakenIsSentAsItIsThen() {
        ours.rdma.rnrRetryCount(7);
        connect();
        SendTask send = ours.peer.allocSend(ours.data(0, (byte) 1, (byte) 1));
        send.submitOrThrow();
        long answersBefore = answers();
        ours.progressUntil(() -> answers() > answersBefore);
        ours.mmap.segment().asSlice(0, 2).fill((byte) 9);
        long answersSince = answers();
        ours.progressUntil(() -> answers() > answersSince + 2);
        ReceiveTask receive = posted(theirs.room(0, 2));
        assertThat(ours.next()).isSameAs(send);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(theirs.bytes(0, 2)).as("no copy was made").containsExactly(9, 9);
    }

    @Test
    @Requirement("DRDMA-SEND-6")
    void tellsNothingButItsStatus() {
        connect();
        posted(theirs.room(0, 8));
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 8));
        byte[] before = ours.memory();
        assertSucceeds(ours, send);

        assertThat(send.completion()).isInstanceOf(Completion.Success.class);
        assertThat(ours.memory()).isEqualTo(before);
        assertThat(SendTask.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
                .extracting(Method::getName)
                .as("what a task has of its own; submitAsync gives the task itself")
                .containsOnly("src", "toString", "submitAsync");
    }
}
