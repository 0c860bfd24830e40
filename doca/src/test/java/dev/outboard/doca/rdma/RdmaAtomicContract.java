package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the two atomics do to the peer's memory, and fetch, on every provider.
abstract class RdmaAtomicContract extends RdmaPairContract {
    private static final int CELL = 512;
    private static final int OLD = 64;
    private static final int ADDS = 20_000;

    @BeforeEach
    void connectBoth() {
        connect();
    }

    private RequestTask atomic(boolean isSwap, RemoteBuf dst, Buf result) {
        return isSwap
                ? ours.peer.allocAtomicCmpSwp(dst, result, 1, 2)
                : ours.peer.allocAtomicFetchAdd(dst, result, 1);
    }

    private long cell(int offset) {
        return theirs.mmap.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    private void cell(int offset, long value) {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }

    private long old(long offset) {
        return ours.mmap.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private static byte[] with(byte[] memory, int offset, long value) {
        ByteBuffer.wrap(memory).order(ByteOrder.nativeOrder()).putLong(offset, value);
        return memory;
    }

    @ParameterizedTest
    @CsvSource({"40,40,7,7", "40,41,7,40", "-1,-1,0,0", "0,1,2,0", "0,0,-2,-2"})
    @Requirement({"DRDMA-CAS-1", "DRDMA-CAS-2", "DRDMA-CAS-3", "DFLT-26", "DTEST-3"})
    void aSwapTakesPlaceIfTheValueIsAsExpected(long value, long compare, long swap, long after) {
        cell(CELL, value);
        byte[] expected = with(theirs.memory(), CELL, after);
        assertSucceeds(
                ours,
                ours.peer.allocAtomicCmpSwp(
                        ours.remoteBuf(CELL - 16, 64, CELL, 3), someResult(), compare, swap));
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    /// A buffer with data, at whose data address the old value goes.
    private Buf someResult() {
        return ours.buf(OLD - 4, 32, OLD, 2);
    }

    @ParameterizedTest
    @CsvSource({"40,40", "40,41", "-1,-1", "-9223372036854775808,0"})
    @Requirement({"DRDMA-CAS-4", "DRDMA-CAS-5", "DRDMA-COM-18", "DTEST-3"})
    void aSwapFetchesTheOldValueWhetherOrNotItTakesPlace(long value, long compare) {
        cell(CELL, value);
        RemoteBuf dst = ours.remoteBuf(CELL - 16, 64, CELL, 3);
        Buf result = someResult();
        byte[] expected = with(ours.memory(), OLD, value);
        assertSucceeds(ours, ours.peer.allocAtomicCmpSwp(dst, result, compare, 7));
        assertThat(ours.memory()).isEqualTo(expected);
        assertThat(dst.dataLen()).isEqualTo(3);
        assertThat(result.dataLen()).isEqualTo(2);
    }

    @Test
    @Requirement({"DRDMA-CAS-10", "DRDMA-FADD-1"})
    void thePeerSeesNothingAndNeedsNoReceive() {
        cell(CELL, 1);
        RemoteBuf dst = ours.remoteRoom(CELL, 8);
        assertSucceeds(ours, ours.peer.allocAtomicCmpSwp(dst, someResult(), 1, 2));
        assertSucceeds(ours, ours.peer.allocAtomicFetchAdd(dst, someResult(), 3));
        assertThat(theirs.engine.progress()).as("seen by the peer").isFalse();
        assertThat(theirs.mmap.segment().get(ValueLayout.JAVA_LONG, CELL)).isEqualTo(5);
    }

    @Test
    @Requirement("DJAVA-RDMA-3b")
    void numbersArePrintedUnsigned() {
        RemoteBuf dst = ours.remoteRoom(CELL, 8);
        assertThat(ours.peer.allocAtomicFetchAdd(dst, someResult(), -1))
                .asString()
                .contains("fetch-and-add of 18446744073709551615 to");
        assertThat(ours.peer.allocAtomicCmpSwp(dst, someResult(), -2, Long.MIN_VALUE))
                .asString()
                .contains("from 18446744073709551614 to 9223372036854775808");
    }

    @ParameterizedTest
    @CsvSource({
        "40,2,42",
        "-1,1,0",
        "-1,2,1",
        "5,-6,-1",
        "9223372036854775807,1,-9223372036854775808",
        "4294967295,4294967297,8589934592",
        "1,-9223372036854775808,-9223372036854775807"
    })
    @Requirement({"DRDMA-FADD-1", "DRDMA-FADD-2", "DRDMA-COM-18", "DJAVA-RDMA-3a", "DTEST-3"})
    void anAddWrapsAround(long value, long add, long after) {
        cell(CELL, value);
        RemoteBuf dst = ours.remoteBuf(CELL - 16, 64, CELL, 3);
        Buf result = ours.buf(OLD - 4, 32, OLD, 2);
        byte[] expected = with(theirs.memory(), CELL, after);
        byte[] expectedHere = with(ours.memory(), OLD, value);

        assertSucceeds(ours, ours.peer.allocAtomicFetchAdd(dst, result, add));

        assertThat(theirs.memory()).isEqualTo(expected);
        assertThat(ours.memory()).isEqualTo(expectedHere);
        assertThat(dst.dataLen()).isEqualTo(3);
        assertThat(result.dataLen()).isEqualTo(2);
        assertThat(theirs.engine.progress()).as("seen by the peer").isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DFLT-23", "DRDMA-CAS-2", "DRDMA-CAS-7", "DRDMA-FADD-1"})
    void anAddressThatIsNoMultipleOf8EndsTheConnection(boolean isSwap) {
        byte[] expected = theirs.memory();
        RequestTask task = atomic(isSwap, ours.remoteRoom(CELL + 4, 16), ours.room(OLD, 8));
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(FailureCause.Validation.of(ValidationRule.NOT_ALIGNED));
        assertThat(ours.run(task)).isEqualTo(DocaError.IO_FAILED);
        assertFatal(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, task);
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    /// What is wrong with the operands.
    enum Fault {
        SHORT_DESTINATION,
        SHORT_RESULT,
        NO_DESTINATION,
        NO_RESULT
    }

    private RequestTask faulty(boolean isSwap, Fault fault) {
        RemoteBuf dst = ours.remoteRoom(CELL, 8);
        Buf result = ours.room(OLD, 8);
        RequestTask task = atomic(isSwap, dst, result);
        RemoteBuf newDst =
                switch (fault) {
                    case SHORT_DESTINATION -> ours.remoteBuf(CELL - 8, 15, CELL, 7);
                    case NO_DESTINATION -> null;
                    default -> dst;
                };
        Buf newResult =
                switch (fault) {
                    case SHORT_RESULT -> ours.buf(OLD - 8, 15, OLD, 7);
                    case NO_RESULT -> null;
                    default -> result;
                };
        if (task instanceof AtomicCmpSwpTask swap) {
            swap.dst(newDst);
            swap.result(newResult);
        } else if (task instanceof AtomicFetchAddTask add) {
            add.dst(newDst);
            add.result(newResult);
        }
        return task;
    }

    @ParameterizedTest
    @CsvSource({
        "false,SHORT_DESTINATION,LESS_THAN_8_BYTES", "true,SHORT_DESTINATION,LESS_THAN_8_BYTES",
        "false,SHORT_RESULT,LESS_THAN_8_BYTES", "true,SHORT_RESULT,LESS_THAN_8_BYTES",
        "false,NO_DESTINATION,OPERAND_MISSING", "true,NO_DESTINATION,OPERAND_MISSING",
        "false,NO_RESULT,OPERAND_MISSING", "true,NO_RESULT,OPERAND_MISSING"
    })
    @Requirement({"DFLT-24", "DFLT-25", "DFLT-27", "DRDMA-CAS-7", "DRDMA-NULL-6"})
    void anyFailureStopsTheContext(boolean isSwap, Fault fault, ValidationRule rule) {
        byte[] expected = theirs.memory();
        byte[] expectedHere = ours.memory();
        RequestTask task = faulty(isSwap, fault);
        FailureCause cause = FailureCause.Validation.of(rule);
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);

        assertThat(ours.run(task)).isEqualTo(DocaError.INVALID_VALUE);

        assertThat(task.failure()).contains(cause);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
        assertThat(ours.rdma.stopCause()).contains(cause);
        assertThat(theirs.memory()).isEqualTo(expected);
        assertThat(ours.memory()).isEqualTo(expectedHere);
        task.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
    }

    @Test
    @Requirement("DRDMA-NULL-6")
    void operandsAreNeededFromTheBeginning() {
        RemoteBuf dst = ours.remoteRoom(CELL, 8);
        Buf result = ours.room(OLD, 8);
        assertRefused(
                DocaError.INVALID_VALUE, () -> ours.peer.allocAtomicFetchAdd(null, result, 1));
        assertRefused(DocaError.INVALID_VALUE, () -> ours.peer.allocAtomicFetchAdd(dst, null, 1));
        assertRefused(
                DocaError.INVALID_VALUE, () -> ours.peer.allocAtomicCmpSwp(null, result, 1, 2));
        assertRefused(DocaError.INVALID_VALUE, () -> ours.peer.allocAtomicCmpSwp(dst, null, 1, 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DFLT-13", "DRDMA-CAS-8", "DRDMA-COM-7", "DRDMA-COM-8"})
    void ofAListTheHeadTakesTheResult(boolean isSwap) {
        cell(CELL, 1);
        Buf result = ours.rooms(2, OLD, 8);
        byte[] expectedHere = with(ours.memory(), OLD, 1);
        RequestTask task = atomic(isSwap, ours.remoteRoom(CELL, 8), result);
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure())
                .contains(FailureCause.Validation.of(ValidationRule.LIST_NOT_SUPPORTED));
        assertSucceeds(ours, task);
        assertThat(cell(CELL)).isEqualTo(2);
        assertThat(ours.memory()).isEqualTo(expectedHere);
    }

    @Test
    @Requirement({"DRDMA-FADD-3", "DRDMA-CAS-6", "DRDMA-COM-5", "DRDMA-COM-14"})
    void concurrentAddsFromTwoConnectionsLoseNothing() {
        cell(CELL, 0);
        BitSet olds = new BitSet();
        try (RdmaEnd otherTheirs = new RdmaEnd(theirs.dev.info());
                RdmaEnd other = new RdmaEnd(device())) {
            RdmaEnd.connect(other, otherTheirs);
            other.remote.close();
            other.remote = RemoteMmap.fromExport(other.dev, theirs.mmap.exportRdma(theirs.dev));
            startAdding(ours);
            startAdding(other);
            for (int left = 2 * ADDS; left > 0; left--) {
                RdmaEnd end = left % 2 == 0 ? ours : other;
                AtomicFetchAddTask task = (AtomicFetchAddTask) end.next();
                assertThat(task.status()).isEqualTo(DocaError.SUCCESS);
                long offset = task.result().data();
                olds.set((int) end.mmap.segment().get(ValueLayout.JAVA_LONG, offset));
                if (left > 2 * RdmaEnd.TASKS) {
                    task.submitOrThrow();
                }
            }
        }
        assertThat(cell(CELL)).isEqualTo(2L * ADDS);
        assertThat(olds.cardinality()).as("distinct old values").isEqualTo(2 * ADDS);
        assertThat(olds.length()).isEqualTo(2 * ADDS);
    }

    private static void startAdding(RdmaEnd end) {
        for (int i = 0; i < RdmaEnd.TASKS; i++) {
            end.peer
                    .allocAtomicFetchAdd(end.remoteRoom(CELL, 8), end.room(8L * i, 8), 1)
                    .submitOrThrow();
        }
    }

    @Test
    @Requirement("DRDMA-CAS-6")
    void aLockIsHandedOverBySwaps() {
        cell(CELL, 0);
        AtomicCmpSwpTask take =
                ours.peer.allocAtomicCmpSwp(ours.remoteRoom(CELL, 8), ours.room(OLD, 8), 0, 1);
        assertSucceeds(ours, take);
        assertThat(old(OLD)).as("free").isZero();
        assertSucceeds(ours, take);
        assertThat(old(OLD)).as("taken").isEqualTo(1);
        take.compare(1);
        take.swap(0);
        assertSucceeds(ours, take);
        assertThat(cell(CELL)).isZero();
        take.compare(0);
        take.swap(1);
        assertSucceeds(ours, take);
        assertThat(old(OLD)).as("free again").isZero();
    }

    /// True where the provider promises it, see docs/doca.md.
    @Test
    @Requirement("DRDMA-CAS-9")
    void addsOfThreadsAtThePeerLoseNothing() throws InterruptedException {
        int remote = ADDS / 10;
        cell(CELL, 0);
        VarHandle word = ValueLayout.JAVA_LONG.varHandle();
        MemorySegment memory = theirs.mmap.segment();
        Thread local =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 0; i < ADDS; i++) {
                                word.getAndAdd(memory, (long) CELL, 1L);
                            }
                        });
        RequestTask add = atomic(false, ours.remoteRoom(CELL, 8), ours.room(OLD, 8));
        for (int i = 0; i < remote; i++) {
            assertSucceeds(ours, add);
        }
        local.join();

        assertThat(cell(CELL)).isEqualTo(ADDS + remote);
    }
}
