package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.Spin;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the three sync event tasks do to an event of the peer, on every provider.
abstract class RdmaSyncEventContract extends RdmaSyncEventPairContract {
    private static final int LIST_LENGTH = 4;

    // ---- get ------------------------------------------------------------------------------------

    @Test
    @Requirement({"DRDMA-SEGET-1", "DRDMA-SEGET-2", "DRDMA-COM-18"})
    void aGetAppendsTheValueInHostOrder() {
        connect();
        event.updateSet(SOME);
        Buf dst = ours.buf(DATA, 32, DATA + 3, 2);
        byte[] expected = with(ours.memory(), DATA + 5, SOME);
        assertSucceeds(ours, ours.peer.allocSyncEventGet(known, dst));
        assertThat(dst.dataLen()).isEqualTo(10);
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @Test
    @Requirement({"DRDMA-SEGET-3", "DRDMA-COM-20", "DSE-EXP-2"})
    void aGetTellsItsLengthWhileTheOwnerDoesNothing() {
        connect();
        event.updateSet(SOME);
        SyncEventGetTask get = ours.peer.allocSyncEventGet(known, ours.room(DATA, 16));
        assertRefused(DocaError.BAD_STATE, get::resultLength);
        assertSucceeds(ours, get);
        assertThat(get.resultLength()).isEqualTo(8);
        assertThat(event.get()).isEqualTo(SOME);
        assertThat(theirs.engine.progress()).as("seen by the peer").isFalse();
    }

    @Test
    @Requirement({"DRDMA-SEGET-1", "DRDMA-SEGET-4", "DFLT-11", "DTEST-4"})
    void aGetFillsAListUpToTheLimit() {
        connect();
        event.updateSet(SOME);
        byte[] expected = with(ours.memory(), DATA, SOME);
        SyncEventGetTask get = ours.peer.allocSyncEventGet(known, ours.rooms(LIST_LENGTH, DATA, 3));
        assertSucceeds(ours, get);
        assertThat(get.resultLength()).isEqualTo(8);
        assertThat(get.dst().dataLen()).isEqualTo(3);
        assertThat(get.dst().next().next().dataLen()).isEqualTo(2);
        assertThat(get.dst().last().dataLen()).isZero();
        assertThat(ours.memory()).isEqualTo(expected);
        get.dst(ours.rooms(LIST_LENGTH + 1, 128, 2));
        assertBreaks(ValidationRule.LIST_TOO_LONG, ours, get);
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"7", "3", "1", "0"})
    @Requirement({"DRDMA-SEGET-7", "DFLT-58"})
    void aGetFetchesTheFirstBytesIfThereIsRoomForLess(int room) {
        connect();
        event.updateSet(SOME);
        byte[] value = with(new byte[8], 0, SOME);
        byte[] expected = ours.memory();
        System.arraycopy(value, 0, expected, DATA, room);
        Buf dst = ours.buf(DATA - 2, room + 2, DATA - 2, 2);
        SyncEventGetTask get = ours.peer.allocSyncEventGet(known, dst);

        assertThat(get.trySubmit()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.next()).isSameAs(get);

        assertThat(get.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(get.resultLength()).isEqualTo(room);
        assertThat(dst.dataLen()).isEqualTo(room + 2);
        assertThat(ours.memory()).isEqualTo(expected);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement("DRDMA-SEGET-6")
    void aGetNeverMixesTwoValues() throws InterruptedException {
        connect();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread changer =
                Thread.ofPlatform()
                        .start(() -> {
                            while (!isOver.get()) {
                                event.updateSet(ALL);
                                event.updateSet(0);
                            }
                        });
        SyncEventGetTask get = ours.peer.allocSyncEventGet(known, ours.room(DATA, 8));
        for (int i = 0; i < 2_000; i++) {
            get.dst().resetDataLen();
            assertSucceeds(ours, get);
            assertThat(value(DATA)).isIn(0L, ALL);
        }
        isOver.set(true);
        changer.join();
    }

    // ---- set ------------------------------------------------------------------------------------

    @Test
    @Requirement({"DRDMA-SESET-1", "DRDMA-SESET-2", "DRDMA-SESET-3", "DRDMA-SESET-7", "DSE-REM-1"})
    void aSetTakesTheFirst8BytesOfItsSourceAndReleasesWhoWaits() throws Exception {
        connect();
        FutureTask<Long> waiter = new FutureTask<>(() -> event.waitEq(SOME, ALL, Spin.PARK));
        Thread.ofPlatform().start(waiter);
        ByteBuffer source = ByteBuffer.allocate(12).order(ByteOrder.nativeOrder());
        source.putLong(SOME).putInt(-1);
        Buf src = ours.data(DATA, source.array());
        byte[] unchanged = ours.memory();

        assertSucceeds(ours, ours.peer.allocSyncEventNotifySet(known, src));

        assertThat(waiter.get()).isEqualTo(SOME);
        assertThat(src.dataLen()).isEqualTo(12);
        assertThat(ours.memory()).isEqualTo(unchanged);
    }

    @Test
    @Requirement({"DRDMA-SESET-1", "DRDMA-SESET-5", "DFLT-11", "DTEST-4"})
    void aSetGathersAListUpToTheLimit() throws InterruptedException {
        connect();
        long expected = value(DATA);
        Buf src = ours.datas(LIST_LENGTH, DATA, 3);
        SyncEventNotifySetTask set = ours.peer.allocSyncEventNotifySet(known, src);
        assertSucceeds(ours, set);
        assertThat(await(expected)).isEqualTo(expected);
        set.src(ours.datas(LIST_LENGTH + 1, 128, 1));
        assertBreaks(ValidationRule.LIST_TOO_LONG, ours, set);
        assertThat(event.get()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"4", "1", "7"})
    @Requirement({"DRDMA-SESET-2", "DRDMA-SESET-4", "DFLT-57"})
    void aShortSetChangesTheFirstBytesOnly(int length) throws Exception {
        connect();
        event.updateSet(SOME);
        FutureTask<Long> waiter = new FutureTask<>(() -> event.waitNeq(SOME, ALL, Spin.PARK));
        Thread.ofPlatform().start(waiter);
        byte[] expected = with(new byte[8], 0, SOME);
        Arrays.fill(expected, 0, length, (byte) 0xEE);
        byte[] source = new byte[length];
        Arrays.fill(source, (byte) 0xEE);
        SyncEventNotifySetTask set =
                ours.peer.allocSyncEventNotifySet(known, ours.data(DATA, source));

        assertThat(set.trySubmit()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.next()).isSameAs(set);

        assertThat(set.status()).isEqualTo(DocaError.SUCCESS);
        waiter.get();
        long after = ByteBuffer.wrap(expected).order(ByteOrder.nativeOrder()).getLong();
        assertThat(await(after)).isEqualTo(after);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DRDMA-SESET-4", "DRDMA-SESET-6", "DRDMA-FAIL-2"})
    void aSetOfNothingIsInvalid() {
        connect();
        event.updateSet(SOME);
        SyncEventNotifySetTask set =
                ours.peer.allocSyncEventNotifySet(known, ours.rooms(2, DATA, 8));
        assertBreaks(ValidationRule.NO_BYTES, ours, set);
        assertThat(event.get()).isEqualTo(SOME);
    }

    @Test
    @Requirement({"DRDMA-COM-16", "DSE-REM-1", "DTEST-5"})
    void aSetIsSeenAfterEverythingWrittenBefore() throws InterruptedException {
        connect();
        int bytes = 16_384;
        WriteTask write = ours.peer.allocWrite(ours.dataAt(0, bytes), ours.remoteRoom(0, bytes));
        Buf src = ours.dataAt(bytes, 8);
        SyncEventNotifySetTask set = ours.peer.allocSyncEventNotifySet(known, src);
        for (int i = 1; i <= 100; i++) {
            byte[] round = new byte[bytes];
            Arrays.fill(round, (byte) i);
            src.headSegment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
            write.src().headSegment().fill((byte) i);
            write.dst().resetDataLen();
            write.submitOrThrow();
            set.submitOrThrow();
            assertThat(event.waitGt(i - 1, ALL, Spin.YIELD, PATIENCE)).isEqualTo(i);
            assertThat(theirs.bytes(0, bytes)).isEqualTo(round);
            assertThat(ours.next()).isSameAs(write);
            assertThat(ours.next()).isSameAs(set);
        }
    }

    // ---- add ------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "40, 2, 42",
        "-1, 1, 0",
        "5, -6, -1",
        "-9223372036854775808, -1, 9223372036854775807"
    })
    @Requirement({"DRDMA-SEADD-1", "DRDMA-SEADD-2", "DRDMA-SEADD-3", "DRDMA-COM-20", "DSE-REM-1"})
    void anAddReleasesWhoWaitsAndFetchesTheOldValue(long value, long addend, long sum)
            throws Exception {
        connect();
        event.updateSet(value);
        FutureTask<Long> waiter = new FutureTask<>(() -> event.waitEq(sum, ALL, Spin.PARK));
        Thread.ofPlatform().start(waiter);
        Buf result = ours.buf(DATA, 32, DATA + 5, 2);
        byte[] expected = with(ours.memory(), DATA + 5, value);

        assertSucceeds(ours, ours.peer.allocSyncEventNotifyAdd(known, addend, result));

        assertThat(waiter.get()).isEqualTo(sum);
        assertThat(ours.memory()).isEqualTo(expected);
        assertThat(result.dataLen()).isEqualTo(2);
        assertThat(theirs.engine.progress()).as("seen by the peer").isFalse();
    }

    @Test
    @Requirement("DJAVA-RDMA-3b")
    void anAddendIsPrintedUnsigned() {
        connect();
        assertThat(ours.peer.allocSyncEventNotifyAdd(known, -1, ours.room(DATA, 8)))
                .asString()
                .startsWith("add of 18446744073709551615 to ");
    }

    @Test
    @Requirement({"DRDMA-SEADD-5", "DRDMA-COM-5"})
    void noAddendIsLostBetweenTheOwnerAndItsPeers() throws Exception {
        connect();
        long peersAdds = 1_000;
        AtomicBoolean isOver = new AtomicBoolean();
        FutureTask<long[]> owner = new FutureTask<>(() -> addUntil(isOver));
        Thread.ofPlatform().start(owner);
        SyncEventNotifyAddTask add =
                ours.peer.allocSyncEventNotifyAdd(known, 1, ours.room(DATA, 8));
        long sumBefore = 0;
        for (int i = 0; i < peersAdds; i++) {
            assertSucceeds(ours, add);
            sumBefore += value(DATA);
        }
        isOver.set(true);
        long adds = owner.get()[0] + peersAdds;
        sumBefore += owner.get()[1];
        assertThat(event.get()).isEqualTo(adds);
        assertThat(sumBefore).as("sum of the values before").isEqualTo(adds * (adds - 1) / 2);
    }

    /// Adds 1 until it is over.
    ///
    /// @return how often, and the sum of the values before
    private long[] addUntil(AtomicBoolean isOver) {
        long adds = 0;
        long sumBefore = 0;
        while (!isOver.get()) {
            sumBefore += event.updateAdd(1);
            adds++;
        }
        return new long[] {adds, sumBefore};
    }

    @Test
    @Requirement({"DRDMA-SEADD-1", "DFLT-13"})
    void anAddUsesTheHeadOfAListOnly() throws InterruptedException {
        connect();
        event.updateSet(SOME);
        SyncEventNotifyAddTask add =
                ours.peer.allocSyncEventNotifyAdd(known, 1, ours.rooms(2, DATA, 8));
        byte[] expected = with(ours.memory(), DATA, SOME);
        assertThat(add.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(add.failure())
                .contains(FailureCause.Validation.of(ValidationRule.LIST_NOT_SUPPORTED));
        assertSucceeds(ours, add);
        assertThat(await(SOME + 1)).isEqualTo(SOME + 1);
        assertThat(ours.memory()).isEqualTo(expected);
    }
}
