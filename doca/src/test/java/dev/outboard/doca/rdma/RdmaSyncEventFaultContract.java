package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What the three sync event tasks need, and how they fail without it, on every provider.
abstract class RdmaSyncEventFaultContract extends RdmaSyncEventPairContract {
    @Test
    @Requirement({"DRDMA-SEADD-4", "DFLT-25", "DRDMA-FAIL-3"})
    void anAddWithoutRoomForTheOldValueStopsTheContext() {
        connect();
        Buf result = ours.buf(DATA, 10, DATA + 3, 2);
        assertStops(
                ValidationRule.LESS_THAN_8_BYTES,
                ours.peer.allocSyncEventNotifyAdd(known, 1, result));
        assertThat(event.get()).isZero();
    }

    @Test
    @Requirement("DSE-EXP-3")
    void theHandleWorksOverEveryConnectionToItsOwner() throws InterruptedException {
        connect();
        try (RdmaEnd others = new RdmaEnd(device());
                RdmaEnd again = new RdmaEnd(theirs.dev.info())) {
            RdmaEnd.connect(others, again);
            assertSucceeds(ours, Operation.ADD.of(ours, known));
            assertSucceeds(others, Operation.ADD.of(others, importedBy(others)));
            assertThat(await(2)).isEqualTo(2);
        }
    }

    @Test
    @Requirement({"DRDMA-NULL-7", "DFLT-27"})
    void theirOperandsAreMandatory() {
        connect();
        Buf buf = ours.dataAt(DATA, 8);
        RdmaConnection peer = ours.peer;
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventGet(null, buf));
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventGet(known, null));
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventNotifySet(null, buf));
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventNotifySet(known, null));
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventNotifyAdd(null, 1, buf));
        assertRefused(DocaError.INVALID_VALUE, () -> peer.allocSyncEventNotifyAdd(known, 1, null));
        SyncEventGetTask get = peer.allocSyncEventGet(known, buf);
        get.dst(null);
        assertBreaks(ValidationRule.OPERAND_MISSING, ours, get);
        get.dst(buf);
        get.event(null);
        assertBreaks(ValidationRule.OPERAND_MISSING, ours, get);
        SyncEventNotifySetTask set = peer.allocSyncEventNotifySet(known, buf);
        set.src(null);
        assertBreaks(ValidationRule.OPERAND_MISSING, ours, set);
        set.src(buf);
        set.event(null);
        assertBreaks(ValidationRule.OPERAND_MISSING, ours, set);
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    @Requirement({"DRDMA-NULL-7", "DRDMA-SEADD-4", "DFLT-27"})
    void anAddThatLacksAnOperandStopsTheContext(boolean lacksEvent) {
        connect();
        SyncEventNotifyAddTask add =
                ours.peer.allocSyncEventNotifyAdd(known, 1, ours.room(DATA, 8));
        if (lacksEvent) {
            add.event(null);
        } else {
            add.result(null);
        }
        assertStops(ValidationRule.OPERAND_MISSING, add);
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-7", "DRDMA-PERM-4", "DRDMA-SEADD-4"})
    void theirBufferMustBeOfTheDeviceOfTheContext(Operation operation) {
        connect();
        RequestTask task = operation.of(ours, known);
        try (Mmap foreign = Mmap.builder().device(theirs.dev).memrange(8).build().start()) {
            Buf buf = ours.inventory.byData(foreign, 0, 8);
            buffer(task, buf);
            if (operation == Operation.ADD) {
                assertStops(ValidationRule.FOREIGN_DEVICE, task);
            } else {
                assertBreaks(ValidationRule.FOREIGN_DEVICE, ours, task);
            }
            buf.release();
        }
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DSE-EXP-3", "DRDMA-PERM-4"})
    void anEventImportedThroughAnotherDeviceIsRefused(Operation operation) {
        connect();
        known = importedBy(theirs);
        assertForeign(operation, ValidationRule.FOREIGN_DEVICE);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DSE-EXP-3")
    void anEventOfAnotherPeerIsRefused(Operation operation) {
        connect();
        try (RdmaEnd third = new RdmaEnd(device());
                SyncEvent far =
                        new SyncEvent(third.dev)
                                .publisher(Location.REMOTE_NET)
                                .subscriber(Location.CPU)
                                .start()) {
            known = SyncEventRemoteNet.fromExport(ours.dev, far.exportToRemoteNet());
            assertThat(known.host()).isEqualTo(third.dev.protectionDomain().device().address());
            assertForeign(operation, ValidationRule.FOREIGN_PEER);
            assertThat(far.get()).isZero();
        }
    }

    /// The connection lives on, but for an add, of which any failure ends it.
    private void assertForeign(Operation operation, ValidationRule rule) {
        RequestTask task = operation.of(ours, known);
        if (operation == Operation.ADD) {
            assertStops(rule, task);
        } else {
            assertBreaks(rule, ours, task);
            assertConnected();
        }
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-51", "DRDMA-SEADD-4"})
    void aBufferThatWasGivenBackIsInvalid(Operation operation) {
        connect();
        RequestTask task = operation.of(ours, known);
        Buf buf = ours.room(DATA, 8);
        buffer(task, buf);
        buf.release();
        if (operation == Operation.ADD) {
            assertStops(ValidationRule.BUFFER_RETURNED, task);
        } else {
            assertBreaks(ValidationRule.BUFFER_RETURNED, ours, task);
        }
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-1", "DSE-EXP-4", "DRDMA-FAIL-10"})
    void aStoppedEventIsBeyondReach(Operation operation) {
        connect();
        ReceiveTask receive = posted(theirs.room(0, 8));
        RequestTask task = operation.of(ours, known);
        byte[] unchanged = ours.memory();
        event.stop();

        assertThat(task.trySubmit()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.next()).isSameAs(task);
        assertThat(task.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.memory()).isEqualTo(unchanged);
        assertThat(dataLen(task)).isEqualTo(operation == Operation.SET ? 8 : 0);
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.STOPPING);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DRDMA-SEGET-5", "DRDMA-SESET-6", "DRDMA-SEADD-4"})
    void aFailureOfTheTransportStopsTheContextAndFlushesTheRest(Operation operation) {
        connect();
        RequestTask task = operation.of(ours, known);
        SendTask next = ours.peer.allocSend(null);
        event.stop();
        task.submitOrThrow();
        next.submitOrThrow();
        assertThat(ours.next()).isSameAs(task);
        assertFatal(CompletionStatus.REMOTE_ACCESS_ERROR, task);
        assertThat(ours.next()).isSameAs(next);
        assertThat(next.status()).isEqualTo(DocaError.BAD_STATE);
        task.free();
        next.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-1", "DSE-EXP-4"})
    void theHandleOfAnEventDoesNotReachItsNextLife(Operation operation) {
        connect();
        RequestTask task = operation.of(ours, known);
        event.stop();
        event.start();
        ours.run(task);
        assertFatal(CompletionStatus.REMOTE_ACCESS_ERROR, task);
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"GET, RDMA_READ", "SET, RDMA_WRITE", "ADD, RDMA_ATOMIC"})
    @Requirement({"DFLT-5", "DRDMA-PERM-1", "DSE-EXP-3"})
    void theInstanceOfThePeerMustPermitThem(Operation operation, AccessFlag needed) {
        Set<AccessFlag> others =
                Set.of(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC);
        theirs.rdma.permissions(
                others.stream().filter(flag -> flag != needed).toArray(AccessFlag[]::new));
        connect();
        RequestTask task = operation.of(ours, known);
        assertThat(task.trySubmit()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.next()).isSameAs(task);
        assertFatal(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, task);
        assertThat(event.get()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"GET, RDMA_READ", "SET, RDMA_WRITE", "ADD, RDMA_ATOMIC"})
    @Requirement({"DRDMA-PERM-1", "DRDMA-PERM-2"})
    void theyNeedNoOtherPermission(Operation operation, AccessFlag needed) {
        theirs.rdma.permissions(needed);
        ours.rdma.permissions();
        connect();
        assertSucceeds(ours, operation.of(ours, known));
    }

    @ParameterizedTest
    @EnumSource(names = {"GET", "ADD"})
    @Requirement({"DFLT-6", "DRDMA-PERM-3"})
    void whatTheyBringNeedsMemoryThatMayBeWritten(Operation operation) {
        ours.close();
        ours = new RdmaEnd(device(), AccessFlag.RDMA_READ);
        known = importedBy(ours);
        connect();
        RequestTask task = operation.of(ours, known);
        assertThat(task.trySubmit()).isEqualTo(DocaError.NOT_PERMITTED);
        assertThat(task.failure())
                .contains(FailureCause.Validation.of(ValidationRule.LOCAL_PERMISSION));
        ours.run(task);
        assertFatal(CompletionStatus.LOCAL_PROTECTION_ERROR, task);
    }

    @Test
    @Requirement("DRDMA-PERM-3")
    void whatTheySetMayBeReadOnly() throws InterruptedException {
        ours.close();
        ours = new RdmaEnd(device(), AccessFlag.RDMA_READ);
        known = importedBy(ours);
        connect();
        ours.mmap.segment().set(ValueLayout.JAVA_LONG, DATA, SOME);
        assertSucceeds(ours, Operation.SET.of(ours, known));
        assertThat(await(SOME)).isEqualTo(SOME);
    }

    private static void buffer(RequestTask task, Buf buf) {
        switch (task) {
            case SyncEventGetTask get -> get.dst(buf);
            case SyncEventNotifySetTask set -> set.src(buf);
            case SyncEventNotifyAddTask add -> add.result(buf);
            default -> throw new AssertionError(task);
        }
    }

    private static long dataLen(RequestTask task) {
        return switch (task) {
            case SyncEventGetTask get -> get.dst().dataLen();
            case SyncEventNotifySetTask set -> set.src().dataLen();
            case SyncEventNotifyAddTask add -> add.result().dataLen();
            default -> throw new AssertionError(task);
        };
    }
}
