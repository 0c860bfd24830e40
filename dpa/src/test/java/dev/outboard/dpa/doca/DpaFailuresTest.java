package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.doca.RdmaFixture.Side;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What goes away under a kernel.
class DpaFailuresTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    static List<Setting> settings() {
        return RdmaFixture.settings();
    }

    static List<Setting> networks() {
        return List.of(
                new Setting(RunMode.fast(), Optional.of(RdmaFixture.SIM)),
                new Setting(RunMode.fast(), Optional.of(RdmaFixture.ROCE)));
    }

    private static void ended(Side on, int code) {
        assertThatThrownBy(() -> on.dpa().memAlloc(8))
                .hasMessageContaining("(code %d)".formatted(code));
    }

    /// The thread that waits in a kernel loses what it looks at.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-KL-7", "DPA-DC-3"})
    void anEventIsDestroyedWhileAKernelWaitsForIt(Setting setting) throws InterruptedException {
        try (RdmaFixture ends = new RdmaFixture(setting, StepsStub.APP);
                DocaDpa other =
                        DocaDpa.create(ends.left.dev(), ends.device()).app(StepsStub.APP).start()) {
            Side on = ends.left;
            SyncEvent done = ends.open(on.event());
            SyncEvent started = ends.open(on.event());
            SyncEvent watched = on.event();
            DpaAddr log = on.block(new long[4]);
            long handle = watched.handle(on.dpa());
            on.dpa()
                    .launchUpdateAdd(
                            null,
                            0,
                            done,
                            1,
                            1,
                            StepsStub.startAndFollow(started.handle(on.dpa()), handle, log));
            started.waitGt(0, -1, Spin.YIELD, LONG);
            watched.close();
            ends.expect(Rule.USE_AFTER_FREE);
            DocaFixture.awaitFault(on.dpa(), done, 0);
            assertThat(done.get()).isZero();
            ended(on, 7);
            assertThat(other.rpc(StepsStub.sum(other.memAlloc(8), 0))).isZero();
        }
    }

    /// A context does not stop under kernels that have not begun.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-ERR-19")
    void aContextIsStoppedWhileKernelsWait(Setting setting) throws InterruptedException {
        try (RdmaFixture ends = new RdmaFixture(setting, StepsStub.APP)) {
            Side on = ends.left;
            try (SyncEvent start = on.event();
                    SyncEvent done = on.event()) {
                DpaAddr log = on.block(new long[8]);
                for (int i = 0; i < 5; i++) {
                    on.dpa().launchUpdateAdd(start, 1, done, 1, 1, StepsStub.note(log, i));
                }
                for (Runnable stop : List.<Runnable>of(on.dpa()::stop, start::close, done::close)) {
                    assertThatThrownBy(stop::run)
                            .isInstanceOfSatisfying(
                                    DocaException.class,
                                    e -> assertThat(e.error()).isEqualTo(DocaError.IN_USE));
                }
                start.updateSet(1);
                done.waitGt(4, -1, Spin.YIELD, LONG);
                assertThat(on.words(log, 1)).containsExactly(5);
            }
            on.dpa().stop();
        }
    }

    /// The peer is gone in the middle: the kernel that waits for it ends, and tells nobody.
    @ParameterizedTest
    @MethodSource("networks")
    @Requirement({"DPA-RD-7", "DPA-KL-7"})
    void thePeerIsKilled(Setting setting) {
        try (RdmaFixture ends = new RdmaFixture(setting, RdmaStepsStub.APP)) {
            Side on = ends.left;
            SyncEvent done = ends.open(on.event());
            Rdma near = ends.open(new Rdma(on.dev()).datapathOnDpa(on.dpa()));
            near.timeoutCode(8).retryCount(3).start();
            Rdma far = ends.open(new Rdma(ends.right.dev()).datapathOnDpa(ends.right.dpa()));
            far.permissions(AccessFlag.RDMA_WRITE).start();
            RdmaConnection here = near.export();
            RdmaConnection there = far.export();
            here.connect(there.details());
            there.connect(here.details());
            on.dpa()
                    .launchUpdateAdd(
                            null, 0, done, 1, 1, RdmaStepsStub.knock(near.dpaHandle(), 1 << 30));
            ends.killRight();
            DocaFixture.awaitFault(on.dpa(), done, 0);
            assertThat(done.get()).isZero();
            ended(on, 81);
        }
    }
}
