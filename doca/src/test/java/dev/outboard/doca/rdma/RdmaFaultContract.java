package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.blob.Blob;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What becomes of tasks whose memory, rights or peer are not what they should be (fault table), on
/// every provider.
abstract class RdmaFaultContract extends RdmaPairContract {
    private static final int BYTES = 64;
    private static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_READ_WRITE,
        AccessFlag.RDMA_READ,
        AccessFlag.RDMA_WRITE,
        AccessFlag.RDMA_ATOMIC
    };
    private static final Be32 IMMEDIATE = Be32.ofHost(1);

    /// An operation on the peer's memory, and the permission it needs there.
    enum Operation {
        READ(AccessFlag.RDMA_READ),
        WRITE(AccessFlag.RDMA_WRITE),
        WRITE_IMM(AccessFlag.RDMA_WRITE),
        CMP_SWP(AccessFlag.RDMA_ATOMIC),
        FETCH_ADD(AccessFlag.RDMA_ATOMIC);

        private final AccessFlag needed;

        Operation(AccessFlag needed) {
            this.needed = needed;
        }

        /// All permissions but the one it needs.
        AccessFlag[] permissionsWithout() {
            return Stream.of(ALL).filter(flag -> flag != needed).toArray(AccessFlag[]::new);
        }
    }

    private RequestTask task(Operation kind, Buf local, RemoteBuf far) {
        return switch (kind) {
            case READ -> ours.peer.allocRead(far, local);
            case WRITE -> ours.peer.allocWrite(local, far);
            case WRITE_IMM -> ours.peer.allocWriteImm(local, far, IMMEDIATE);
            case CMP_SWP -> ours.peer.allocAtomicCmpSwp(far, local, 0, 1);
            case FETCH_ADD -> ours.peer.allocAtomicFetchAdd(far, local, 1);
        };
    }

    /// Eight bytes between our memory and the far one.
    private RequestTask task(Operation kind, RemoteMmap far) {
        RemoteBuf remote = ours.keep(ours.inventory.byArgs(far, 0, 32, 0, 8));
        return task(kind, ours.buf(64, 32, 64, 8), remote);
    }

    private static Mmap memory(DocaDev dev, AccessFlag... permissions) {
        return Mmap.builder().device(dev).memrange(BYTES).permissions(permissions).build().start();
    }

    private RemoteMmap exported(Mmap memory) {
        return RemoteMmap.fromExport(ours.dev, memory.exportRdma(theirs.dev));
    }

    /// `task` ends the connection with `status`: what is behind it, and the peer's receive, are
    /// flushed, and the peer's context stops too.
    private void assertEndsBoth(CompletionStatus status, RequestTask task) {
        ReceiveTask receive = theirs.rdma.allocReceive(null);
        receive.submitOrThrow();
        RequestTask behind = ours.peer.allocSend(null);
        ReceiveTask ownReceive = ours.rdma.allocReceive(null);
        ownReceive.submitOrThrow();
        assertThat(task.submit()).isEqualTo(DocaError.SUCCESS);
        assertThat(behind.submit()).isEqualTo(DocaError.SUCCESS);

        assertThat(ours.next()).isSameAs(task);
        assertFatal(status, task);
        assertThat(ours.next()).isSameAs(behind);
        assertFlushed(behind);
        assertThat(ours.next()).isSameAs(ownReceive);
        assertFlushed(ownReceive);

        assertThat(theirs.next()).isSameAs(receive);
        assertFlushed(receive);
        assertRefused(DocaError.BAD_STATE, receive::immediate);
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.STOPPING);
        assertThat(theirs.rdma.rdmaState()).isEqualTo(RdmaState.ERROR);
        assertThat(theirs.rdma.stopCause()).isPresent();
    }

    private static void assertFlushed(RdmaTask task) {
        assertThat(task.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(task.failure())
                .contains(FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED));
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-1", "DRDMA-FAIL-3", "DRDMA-FAIL-4", "DRDMA-FAIL-11", "DRDMA-STATE-8"})
    void aRevokedKeyEndsTheConnection(Operation kind) {
        connect();
        try (Mmap memory = memory(theirs.dev, ALL);
                RemoteMmap far = exported(memory)) {
            memory.stop();
            assertEndsBoth(CompletionStatus.REMOTE_ACCESS_ERROR, task(kind, far));
            ours.giveBackAll();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DRDMA-READ-9", "DRDMA-WRITE-8", "DRDMA-CAS-7", "DRDMA-FAIL-5"})
    void afterAFatalFailureTheContextIsIdleOnceItsTasksAreFreed(Operation kind) {
        connect();
        try (Mmap memory = memory(theirs.dev, ALL);
                RemoteMmap far = exported(memory)) {
            memory.stop();
            RequestTask task = task(kind, far);
            assertThat(ours.run(task)).isEqualTo(DocaError.IO_FAILED);
            assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
            task.free();
            ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
            ours.giveBackAll();
        }
    }

    @Test
    @Requirement("DRDMA-WRITEI-3")
    void aWriteThatFailsGivesNoImmediate() {
        connect();
        ReceiveTask receive = posted(null);
        try (Mmap memory = memory(theirs.dev, ALL);
                RemoteMmap far = exported(memory)) {
            memory.stop();
            RequestTask write =
                    ours.peer.allocWriteImm(
                            ours.dataAt(0, 4),
                            ours.keep(ours.inventory.byAddress(far, 0, 8)),
                            Be32.ofHost(7));
            assertThat(ours.run(write)).isEqualTo(DocaError.IO_FAILED);
            assertThat(theirs.next()).isSameAs(receive);
            assertFlushed(receive);
            assertRefused(DocaError.BAD_STATE, receive::immediate);
            ours.giveBackAll();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-4", "DRDMA-PERM-1", "DRDMA-PERM-5"})
    void memoryThatDoesNotPermitItEndsTheConnection(Operation kind) {
        connect();
        try (Mmap memory = memory(theirs.dev, kind.permissionsWithout());
                RemoteMmap far = exported(memory)) {
            RequestTask task = task(kind, far);
            assertThat(task.trySubmit()).isEqualTo(DocaError.NOT_PERMITTED);
            assertThat(task.failure())
                    .contains(FailureCause.Validation.of(ValidationRule.REMOTE_PERMISSION));
            assertEndsBoth(CompletionStatus.REMOTE_ACCESS_ERROR, task);
            assertThat(memory.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            ours.giveBackAll();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-5", "DRDMA-PERM-1", "DRDMA-PERM-2", "DRDMA-PROP-7"})
    void aPeerThatDoesNotPermitItEndsTheConnection(Operation kind) {
        theirs.rdma.permissions(kind.permissionsWithout());
        connect();
        byte[] expected = theirs.memory();
        RequestTask task = task(kind, ours.remote);
        assertEndsBoth(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, task);
        assertThat(theirs.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE", "WRITE_IMM"})
    @Requirement("DFLT-2")
    void aForgedLengthReachesNothingOutside(Operation kind) {
        connect();
        byte[] export = theirs.mmap.exportRdma(theirs.dev);
        ByteBuffer body = Blob.decode(Blob.Kind.MMAP, export);
        byte[] forged = new byte[body.remaining()];
        body.get(forged);
        ByteBuffer.wrap(forged).putLong(Long.BYTES, RdmaEnd.MEMORY_BYTES + BYTES);
        try (RemoteMmap far =
                RemoteMmap.fromExport(ours.dev, Blob.encode(Blob.Kind.MMAP, forged))) {
            byte[] expected = theirs.memory();
            byte[] expectedHere = ours.memory();
            long last = RdmaEnd.MEMORY_BYTES - 8;
            RemoteBuf remote =
                    kind == Operation.READ
                            ? ours.inventory.byData(far, last, 16)
                            : ours.inventory.byAddress(far, last, 16);
            Buf local = kind == Operation.READ ? ours.room(0, 16) : ours.dataAt(0, 16);
            assertEndsBoth(CompletionStatus.REMOTE_ACCESS_ERROR, task(kind, local, remote));
            assertThat(theirs.memory()).isEqualTo(expected);
            assertThat(ours.memory()).isEqualTo(expectedHere);
            remote.release();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "CMP_SWP", "FETCH_ADD"})
    @Requirement({"DFLT-6", "DRDMA-PERM-3", "DRDMA-PERM-5", "DCORE-TASK-5"})
    void readOnlyMemoryIsNoDestination(Operation kind) {
        connect();
        try (Mmap readOnly = memory(ours.dev)) {
            Buf local = ours.inventory.byAddress(readOnly, 0, 8);
            RequestTask task = task(kind, local, ours.remoteBuf(512, 16, 512, 8));
            assertThat(task.trySubmit()).isEqualTo(DocaError.NOT_PERMITTED);
            assertThat(task.failure())
                    .contains(FailureCause.Validation.of(ValidationRule.LOCAL_PERMISSION));
            assertThat(ours.run(task)).isEqualTo(DocaError.IO_FAILED);
            assertFatal(CompletionStatus.LOCAL_PROTECTION_ERROR, task);
            assertThat(readOnly.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            local.release();
        }
    }

    @Test
    @Requirement("DRDMA-PERM-3")
    void readOnlyMemoryIsASource() {
        connect();
        try (Mmap readOnly = memory(ours.dev)) {
            Buf local = ours.inventory.byData(readOnly, 0, 8);
            assertSucceeds(ours, ours.peer.allocWrite(local, ours.remoteRoom(0, 8)));
            posted(theirs.room(64, 8));
            SendTask send = ours.peer.allocSend(local);
            assertSucceeds(ours, send);
            assertThat(theirs.next().status()).isEqualTo(DocaError.SUCCESS);
            assertThat(theirs.bytes(0, 8)).containsOnly(0);
            assertThat(theirs.bytes(64, 8)).containsOnly(0);
            local.release();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-7", "DRDMA-PERM-4"})
    void memoryOfAnotherDeviceIsRefused(Operation kind) {
        connect();
        try (Mmap foreign = memory(theirs.dev, AccessFlag.LOCAL_READ_WRITE)) {
            Buf local = ours.inventory.byArgs(foreign, 0, 32, 0, 8);
            byte[] expected = theirs.memory();
            RequestTask task = task(kind, local, ours.remoteBuf(512, 32, 512, 8));
            FailureCause cause = FailureCause.Validation.of(ValidationRule.FOREIGN_DEVICE);
            assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
            assertThat(task.failure()).contains(cause);
            assertThat(ours.run(task)).isEqualTo(DocaError.INVALID_VALUE);
            assertThat(task.failure()).contains(cause);
            boolean isAtomic = kind.needed == AccessFlag.RDMA_ATOMIC;
            assertThat(ours.rdma.state())
                    .isEqualTo(isAtomic ? CtxState.STOPPING : CtxState.RUNNING);
            assertThat(theirs.memory()).isEqualTo(expected);
            local.release();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DRDMA-PERM-4")
    void remoteMemoryThroughAnotherDeviceIsRefused(Operation kind) {
        connect();
        try (RemoteMmap far =
                RemoteMmap.fromExport(theirs.dev, theirs.mmap.exportRdma(theirs.dev))) {
            assertForeign(kind, far, ValidationRule.FOREIGN_DEVICE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void remoteMemoryOfAnotherPeerIsRefused(Operation kind) {
        connect();
        try (RdmaEnd third = new RdmaEnd(device());
                RemoteMmap far =
                        RemoteMmap.fromExport(ours.dev, third.mmap.exportRdma(third.dev))) {
            assertThat(far.host()).isEqualTo(third.dev.protectionDomain().device().address());
            assertForeign(kind, far, ValidationRule.FOREIGN_PEER);
        }
    }

    /// The connection lives on, but for an atomic, of which any failure ends it.
    private void assertForeign(Operation kind, RemoteMmap far, ValidationRule rule) {
        RemoteBuf remote = ours.inventory.byArgs(far, 512, 32, 512, 8);
        RequestTask task = task(kind, ours.buf(0, 32, 0, 8), remote);
        FailureCause cause = FailureCause.Validation.of(rule);
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        assertThat(ours.run(task)).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        remote.release();
        if (kind.needed != AccessFlag.RDMA_ATOMIC) {
            assertConnected();
        }
    }

    @Test
    @Requirement({"DFLT-7", "DRDMA-PERM-4"})
    void messagesOfAnotherDeviceAreRefused() {
        connect();
        try (Mmap foreign = memory(theirs.dev, AccessFlag.LOCAL_READ_WRITE)) {
            Buf local = ours.inventory.byArgs(foreign, 0, 32, 0, 8);
            assertBreaks(ValidationRule.FOREIGN_DEVICE, ours, ours.peer.allocSend(local));
            assertBreaks(
                    ValidationRule.FOREIGN_DEVICE, ours, ours.peer.allocSendImm(local, IMMEDIATE));
            assertBreaks(ValidationRule.FOREIGN_DEVICE, ours, ours.rdma.allocReceive(local));
            local.release();
            assertConnected();
        }
    }

    @Test
    @Requirement("DFLT-51")
    void aListOfWhichAPartWasGivenBackIsRefused() {
        connect();
        BufInventory other = BufInventory.create(1).start();
        Buf head = ours.dataAt(0, 4);
        head.chain(other.byData(ours.mmap, 4, 4));
        other.close();
        assertBreaks(ValidationRule.BUFFER_RETURNED, ours, ours.peer.allocSend(head));
        assertBreaks(ValidationRule.BUFFER_RETURNED, ours, ours.rdma.allocReceive(head));
        assertConnected();
    }

    @Test
    @Requirement("DFLT-51")
    void aReceiveCompletesThoughAPartOfItsListWasGivenBack() {
        theirs.rdma.receiveDstBufListLen(2);
        connect();
        BufInventory other = BufInventory.create(1).start();
        Buf head = theirs.room(0, 4);
        head.chain(other.byAddress(theirs.mmap, 4, 4));
        ReceiveTask receive = posted(head);
        other.close();
        assertSucceeds(ours, ours.peer.allocSend(ours.dataAt(0, 8)));
        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(receive.resultLength()).isEqualTo(8);
        assertThat(head.dataLen()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-8", "DCORE-MMAP-24", "DJAVA-MEM-4"})
    void memoryThatWasClosedFailsTheTask(Operation kind) {
        connect();
        Arena arena = Arena.ofShared();
        try (Mmap closing =
                Mmap.builder()
                        .device(ours.dev)
                        .memrange(arena.allocate(BYTES, 8))
                        .permissions(AccessFlag.LOCAL_READ_WRITE)
                        .build()
                        .start()) {
            Buf local = ours.inventory.byArgs(closing, 0, 32, 0, 8);
            RequestTask task = task(kind, local, ours.remoteBuf(512, 32, 512, 8));
            arena.close();
            assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
            assertThat(task.failure())
                    .contains(FailureCause.Validation.of(ValidationRule.MEMORY_CLOSED));
            assertThat(ours.run(task)).isEqualTo(DocaError.IO_FAILED);
            assertFatal(CompletionStatus.LOCAL_PROTECTION_ERROR, task);
            local.release();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DCORE-BUF-19", "DFLT-51", "DCORE-BUF-20"})
    void aBufferThatWasGivenBackIsRefused(Operation kind) {
        connect();
        Buf local = ours.inventory.byArgs(ours.mmap, 0, 32, 0, 8);
        RequestTask task = task(kind, local, ours.remoteBuf(512, 32, 512, 8));
        local.release();
        FailureCause cause = FailureCause.Validation.of(ValidationRule.BUFFER_RETURNED);
        assertThat(task.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        assertThat(ours.run(task)).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(task.failure()).contains(cause);
        boolean isAtomic = kind.needed == AccessFlag.RDMA_ATOMIC;
        assertThat(ours.rdma.state()).isEqualTo(isAtomic ? CtxState.STOPPING : CtxState.RUNNING);
    }

    @Test
    @Requirement("DCORE-BUF-20")
    void aBufferGivenBackInFlightHarmsNothing() {
        connect();
        byte[] expected = ours.memory();
        Buf local = ours.inventory.byAddress(ours.mmap, 64, 8);
        ReadTask read = ours.peer.allocRead(ours.remoteData(512, 8), local);
        read.submitOrThrow();
        local.release();
        Buf reused = ours.room(64, 8);
        assertThat(ours.next()).isSameAs(read);
        assertThat(read.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(reused.dataLen()).as("of another buffer").isZero();
        System.arraycopy(theirs.bytes(512, 8), 0, expected, 64, 8);
        assertThat(ours.memory()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-22", "DRDMA-PROP-15", "DRDMA-FAIL-9"})
    void aPeerThatStoppedNoLongerAnswers(Operation kind) {
        ours.rdma.timeoutCode(10).retryCount(2);
        connect();
        theirs.rdma.stop();
        RequestTask task = task(kind, ours.remote);
        RequestTask behind = ours.peer.allocSend(null);
        task.submitOrThrow();
        behind.submitOrThrow();
        assertThat(ours.next()).isSameAs(task);
        assertFatal(CompletionStatus.RETRY_EXCEEDED, task);
        assertThat(ours.next()).isSameAs(behind);
        assertFlushed(behind);
        assertThat(theirs.rdma.state()).isEqualTo(CtxState.IDLE);
    }

    @Test
    @Requirement("DFLT-21")
    void receivesOutliveAPeerThatIsGone() {
        connect();
        ReceiveTask receive = ours.rdma.allocReceive(null);
        receive.submitOrThrow();
        theirs.close();
        for (int i = 0; i < 100; i++) {
            ours.engine.progress();
        }
        assertThat(receive.status()).isEqualTo(DocaError.IN_PROGRESS);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        ours.rdma.stop();
        assertThat(ours.next()).isSameAs(receive);
        assertFlushed(receive);
    }
}
