package dev.outboard.doca.rdma;

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
import org.junit.jupiter.params.provider.ValueSource;

/// Where writes go, with and without immediate, on every provider. That the bytes are there is
/// known from a receive: that of the immediate, or of a send behind the write.
abstract class RdmaWriteContract extends RdmaPairContract {
    private static final int ROUNDS = 10;
    private static final Be32 IMMEDIATE = Be32.ofHost(0xCAFE);

    @BeforeEach
    void connectBoth() {
        connect();
    }

    /// Writes, and waits until the peer must have it.
    private RequestTask write(Buf src, RemoteBuf dst, boolean withImmediate) {
        ReceiveTask signal = posted(null);
        RequestTask write = writing(src, dst, withImmediate);
        assertSucceeds(ours, write);
        if (!withImmediate) {
            assertSucceeds(ours, ours.peer.allocSend(null));
        }
        assertThat(theirs.next()).isSameAs(signal);
        assertThat(signal.status()).isEqualTo(DocaError.SUCCESS);
        return write;
    }

    private RequestTask writing(Buf src, RemoteBuf dst, boolean withImmediate) {
        return withImmediate
                ? ours.peer.allocWriteImm(src, dst, IMMEDIATE)
                : ours.peer.allocWrite(src, dst);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-1", "DRDMA-WRITE-2", "DRDMA-WRITEI-1", "DCORE-BUF-8", "DTEST-3"})
    void theDataOfAListGoesBehindThatOfTheDestination(boolean withImmediate) {
        byte[] expected = theirs.memory();
        byte[] expectedHere = ours.memory();

        write(someList(), ours.remoteBuf(1000, 40, 1005, 6), withImmediate);

        System.arraycopy(expectedHere, 102, expected, 1011, 3);
        System.arraycopy(expectedHere, 401, expected, 1014, 7);
        assertThat(theirs.memory()).isEqualTo(expected);
        assertThat(ours.memory()).isEqualTo(expectedHere);
    }

    /// Three bytes, nothing, and seven.
    private Buf someList() {
        return RdmaEnd.list(
                ours.buf(100, 10, 102, 3), ours.buf(200, 4, 202, 0), ours.buf(400, 64, 401, 7));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-3", "DRDMA-WRITE-5", "DRDMA-WRITE-6", "DCORE-BUF-5"})
    void theDestinationGrowsByTheDataOfTheSource(boolean withImmediate) {
        Buf list = someList();
        RemoteBuf dst = ours.remoteBuf(1000, 40, 1005, 6);
        write(list, dst, withImmediate);
        assertThat(List.of(dst.head(), dst.len(), dst.data(), dst.dataLen()))
                .containsExactly(1000L, 40L, 1005L, 16L);
        List<Long> lengths = new ArrayList<>();
        for (Buf buf = list; buf != null; buf = buf.next()) {
            lengths.add(buf.dataLen());
        }
        assertThat(lengths).as("of the source").containsExactly(3L, 0L, 7L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITEI-4", "DRDMA-COM-3", "DRDMA-COM-15", "DTEST-5"})
    void whatTheNextReceiveTellsOfIsThere(boolean withImmediate) {
        // Each needs a receive of its own.
        for (int round = 0; round < ROUNDS; round++) {
            byte number = (byte) (round + 1);
            write(ours.data(0, number), ours.remoteRoom(1000, 1), withImmediate).free();
            assertThat(theirs.bytes(1000, 1)).as("in round " + round).containsExactly(number);
            ours.giveBackAll();
            theirs.engine.progress();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-5", "DCORE-BUF-9"})
    void theNextWriteGoesBehindTheLast(boolean withImmediate) {
        RemoteBuf dst = ours.remoteRoom(1000, 8);
        write(ours.data(0, (byte) 1, (byte) 2), dst, withImmediate).free();
        write(ours.data(0, (byte) 3, (byte) 4, (byte) 5), dst, withImmediate);
        assertThat(theirs.bytes(1000, 5)).containsExactly(1, 2, 3, 4, 5);
        assertThat(dst.dataLen()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-4", "DFLT-3", "DRDMA-FAIL-2", "DRDMA-FAIL-10"})
    void whatDoesNotFitIsNotSent(boolean withImmediate) {
        RemoteBuf dst = ours.remoteBuf(1000, 10, 1000, 6);
        write(ours.dataAt(0, 4), dst, withImmediate).free();
        dst.data(1000, 6);
        byte[] expected = theirs.memory();

        RequestTask tooLong = writing(ours.dataAt(64, 5), dst, withImmediate);
        assertBreaks(ValidationRule.TAIL_TOO_SHORT, ours, tooLong);

        assertThat(dst.dataLen()).isEqualTo(6);
        assertConnected();
        expected[0] = 1; // by the message that has just come
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-NULL-4", "DRDMA-COM-10a", "DRDMA-WRITEI-5", "DFLT-28"})
    void withoutSourceNothingIsWritten(boolean withImmediate) {
        RemoteBuf dst = ours.remoteBuf(1000, 10, 1000, 6);
        byte[] expected = theirs.memory();
        write(null, dst, withImmediate);
        write(null, null, withImmediate);
        assertThat(dst.dataLen()).isEqualTo(6);
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("DRDMA-COM-10a")
    void anEmptySourceWritesNothing(boolean withImmediate) {
        RemoteBuf dst = ours.remoteBuf(1000, 10, 1000, 6);
        byte[] expected = theirs.memory();
        write(ours.room(100, 8), dst, withImmediate);
        assertThat(dst.dataLen()).isEqualTo(6);
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-NULL-5", "DFLT-27"})
    void aSourceNeedsADestination(boolean withImmediate) {
        assertBreaks(
                ValidationRule.OPERAND_MISSING,
                ours,
                writing(ours.dataAt(0, 1), null, withImmediate));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-7", "DTEST-4"})
    void aListAtTheLimitWorks(boolean withImmediate) {
        write(ours.datas(4, 100, 2), ours.remoteRoom(1000, 8), withImmediate);
        assertThat(theirs.bytes(1000, 8)).isEqualTo(ours.bytes(100, 8));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DRDMA-WRITE-7", "DRDMA-COM-7", "DRDMA-COM-9", "DFLT-11", "DRDMA-WRITE-8"})
    void aListAboveTheLimitFailsAlone(boolean withImmediate) {
        RemoteBuf dst = ours.remoteRoom(2000, 100);
        byte[] expected = theirs.memory();
        assertBreaks(
                ValidationRule.LIST_TOO_LONG,
                ours,
                writing(ours.datas(5, 200, 2), dst, withImmediate));
        assertThat(theirs.memory()).isEqualTo(expected);
        assertThat(dst.dataLen()).isZero();
    }

    @Test
    @Requirement("DRDMA-WRITE-9")
    void aWriteTakesNoReceive() {
        ReceiveTask receive = posted(null);
        assertSucceeds(ours, ours.peer.allocWrite(ours.dataAt(0, 4), ours.remoteRoom(64, 4)));
        assertThat(theirs.engine.progress()).isFalse();
        assertThat(receive.status()).isEqualTo(DocaError.IN_PROGRESS);
    }

    @Test
    @Requirement({"DRDMA-SENDI-4", "DRDMA-WRITEI-1", "DCORE-TASK-10", "DCORE-TASK-12"})
    void operandsCanBeChangedBetweenSubmissions() {
        WriteImmTask write =
                ours.peer.allocWriteImm(ours.dataAt(0, 4), ours.remoteRoom(64, 4), IMMEDIATE);
        SendImmTask send = ours.peer.allocSendImm(ours.dataAt(8, 2), IMMEDIATE);
        ReceiveTask receive = posted(theirs.room(128, 16));
        assertSucceeds(ours, write);
        assertThat(theirs.next()).isSameAs(receive);

        write.src(ours.dataAt(16, 3));
        write.dst(ours.remoteRoom(72, 3));
        write.immediate(Be32.ofHost(7));
        receive.submitOrThrow();
        assertSucceeds(ours, write);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.immediateHost()).isEqualTo(7);
        assertThat(theirs.bytes(72, 3)).isEqualTo(ours.bytes(16, 3));

        send.src(ours.dataAt(32, 5));
        send.immediate(Be32.ofHost(8));
        receive.submitOrThrow();
        assertSucceeds(ours, send);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.immediateHost()).isEqualTo(8);
        assertThat(theirs.bytes(128, 5)).isEqualTo(ours.bytes(32, 5));
    }
}
