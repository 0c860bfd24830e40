package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaState;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.doca.RdmaFixture.Side;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Operations of device code on memory of a peer, and what becomes of those that cannot be done.
class DpaRdmaOperationsTest {
    private static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_READ_WRITE,
        AccessFlag.RDMA_READ,
        AccessFlag.RDMA_WRITE,
        AccessFlag.RDMA_ATOMIC
    };

    static List<Setting> settings() {
        return RdmaFixture.settings();
    }

    /// Two contexts that are connected, with memory on both sides.
    private static final class Pair implements AutoCloseable {
        private final RdmaFixture ends;
        private final Side left;
        private final Side right;
        private final Rdma near;
        private final Rdma far;
        private final RdmaConnection connection;
        private final DpaAddr local;
        private final DpaAddr remote;
        private final Mmap nearMemory;
        private final Mmap farMemory;
        private final DpaAddr words;

        Pair(Setting setting, AccessFlag... permissions) {
            ends = new RdmaFixture(setting, RdmaStepsStub.APP);
            left = ends.left;
            right = ends.right;
            near = rdma(left, permissions);
            far = rdma(right, permissions);
            connection = near.export();
            RdmaConnection there = far.export();
            connection.connect(there.details());
            there.connect(connection.details());
            local = left.block(new long[8]);
            remote = right.block(new long[8]);
            nearMemory = memory(left, local, AccessFlag.LOCAL_READ_WRITE);
            farMemory = memory(right, remote, permissions);
            RemoteMmap named =
                    ends.open(RemoteMmap.fromExport(left.dev(), farMemory.exportRdma(right.dev())));
            words =
                    left.block(
                            near.dpaHandle(),
                            nearMemory.addressFor(left.dpa()),
                            nearMemory.handle(left.dpa()),
                            named.addressFor(left.dpa()),
                            named.handle(left.dpa()));
        }

        private Rdma rdma(Side on, AccessFlag... permissions) {
            Rdma made = ends.open(new Rdma(on.dev()).datapathOnDpa(on.dpa()));
            made.permissions(permissions).sendQueueSize(8).timeoutCode(14).start();
            return made;
        }

        private Mmap memory(Side on, DpaAddr block, AccessFlag... permissions) {
            return ends.open(
                    Mmap.builder()
                            .device(on.dev())
                            .memrange(on.dpa(), block.value(), 64)
                            .permissions(permissions)
                            .build()
                            .start());
        }

        private void faults(Runnable call, int code) {
            assertThatThrownBy(call::run)
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE))
                    .hasMessageContaining("(code %d)".formatted(code));
            assertThat(left.dpa().peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
        }

        @Override
        public void close() {
            ends.close();
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-RD-1", "DPA-RD-2", "DRDMA-DPA-1", "DRDMA-DPA-4"})
    void memoryOfAPeerIsWrittenAddedToAndRead(Setting setting) {
        try (Pair pair = new Pair(setting, ALL)) {
            assertThat(pair.near.rdmaState()).isEqualTo(RdmaState.CONNECTED);
            for (int i = 0; i < 20; i++) {
                long read =
                        pair.left
                                .dpa()
                                .rpc(RdmaStepsStub.writeAddRead(pair.words.value(), 100 + i, -3));
                assertThat(read).isEqualTo(97 + i);
            }
            assertThat(pair.right.words(pair.remote, 1)).containsExactly(116);
            assertThat(pair.left.dpa().rpc(RdmaStepsStub.overAndOver(pair.words.value(), 100)))
                    .isEqualTo(100);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-RD-2")
    void whatIsHeldBackIsSentByAFlush(Setting setting) {
        try (Pair pair = new Pair(setting, ALL)) {
            pair.left.dpa().rpc(RdmaStepsStub.writeAddRead(pair.words.value(), 5, 1));
            pair.left.dpa().rpc(RdmaStepsStub.holdBack(pair.words.value()));
            assertThat(pair.right.words(pair.remote, 1)).containsExactly(6);
            pair.left.dpa().rpc(RdmaStepsStub.flush(pair.words.value()));
            pair.left.dpa().rpc(RdmaStepsStub.synchronize(pair.near.dpaHandle()));
            assertThat(pair.right.words(pair.remote, 1)).containsExactly(5);
        }
    }

    /// Set twice is as good as once, and added twice is twice.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-RD-10", "DPA-SE-5"})
    void aPeerSetsAnEventAndAddsToIt(Setting setting) {
        try (Pair pair = new Pair(setting, ALL)) {
            SyncEvent event =
                    pair.ends.open(
                            new SyncEvent(pair.right.dev())
                                    .publisher(Location.REMOTE_NET)
                                    .subscriber(pair.right.dpa())
                                    .subscriber(Location.CPU)
                                    .start());
            long remote =
                    SyncEventRemoteNet.fromExport(pair.left.dev(), event.exportToRemoteNet())
                            .handle(pair.left.dpa());
            long rdma = pair.near.dpaHandle();
            for (int i = 0; i < 2; i++) {
                pair.left.dpa().rpc(RdmaStepsStub.signal(rdma, remote, 1, 0));
                assertThat(event.get()).isEqualTo(1);
            }
            for (int i = 1; i <= 2; i++) {
                pair.left.dpa().rpc(RdmaStepsStub.signal(rdma, remote, 1, 1));
                assertThat(event.get()).isEqualTo(1 + i);
            }
            pair.left.dpa().rpc(RdmaStepsStub.signal(rdma, remote, -5, 1));
            assertThat(event.get()).isEqualTo(-2);
            pair.faults(
                    () -> pair.left.dpa().rpc(RdmaStepsStub.signal(rdma, pair.words.value(), 1, 0)),
                    72);
        }
    }

    /// The peer lets nobody do that: its answer ends the connection and the context.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-RD-7")
    void whatThePeerDoesNotPermitEndsTheContext(Setting setting) {
        try (Pair pair = new Pair(setting, ALL)) {
            pair.farMemory.stop();
            pair.faults(
                    () -> pair.left.dpa().rpc(RdmaStepsStub.writeAddRead(pair.words.value(), 5, 1)),
                    81);
            if (setting.uri().isPresent()) {
                assertThat(pair.right.dpa().peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            }
        }
    }

    /// Device code that knows what there is no more.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-RD-1", "DRDMA-DPA-2"})
    void whatThereIsNotIsNotUsed(Setting setting) {
        try (Pair pair = new Pair(setting, ALL)) {
            long rdma = pair.near.dpaHandle();
            // The thread that calls is made before, and gets none of the blocks that are freed.
            pair.left.dpa().rpc(RdmaStepsStub.synchronize(rdma));
            assertThat(pair.near.stop()).isEqualTo(CtxState.IDLE);
            assertThatThrownBy(pair.near::dpaHandle)
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE));
            pair.ends.expect(Rule.USE_AFTER_FREE);
            pair.faults(() -> pair.left.dpa().rpc(RdmaStepsStub.touch(rdma, 0)), 80);
        }
        try (Pair pair = new Pair(setting, ALL)) {
            long rdma = pair.near.dpaHandle();
            pair.faults(() -> pair.left.dpa().rpc(RdmaStepsStub.touch(rdma, 1)), 80);
        }
    }
}
