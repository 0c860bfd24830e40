package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Threads of programs in C, beside each other.
class ThreadsInCTest {
    private static final int THREADS = 4;
    private static final int TIMES = 50;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// None of them loses what a neighbour in the same word adds.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXS-1")
    void smallAtomicsAreOneStepEach(RunMode mode) {
        DpaApp<DpaThread> app = Clang.app("runtime");
        try (ContextFixture on = ContextFixture.open(mode, app);
                SyncEvent done = on.event()) {
            DpaAddr word = on.block(0);
            launch(on, app, "addMany", done, word.value(), TIMES);
            int all = THREADS * TIMES;
            long expected =
                    (all & 0xFF) | (3 * all & 0xFF) << 8 | (long) (1000 * all & 0xFFFF) << 16;
            assertThat(on.words(word, 1)).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXS-2")
    void aSpinLockIsHeldByOne(RunMode mode) {
        DpaApp<DpaThread> app = Clang.app("runtime");
        try (ContextFixture on = ContextFixture.open(mode, app);
                SyncEvent done = on.event()) {
            launch(on, app, "countMany", done, TIMES);
            assertThat(on.dpa.rpc(Clang.of(app, "counted"))).isEqualTo(THREADS * TIMES);
        }
    }

    private static void launch(
            ContextFixture on,
            DpaApp<DpaThread> app,
            String kernel,
            SyncEvent done,
            long... arguments) {
        on.dpa.launchUpdateAdd(null, 0, done, 1, THREADS, Clang.of(app, kernel, arguments));
        ContextFixture.await(done, 0);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-1")
    void aThreadHasItsLocalStorage(RunMode mode) {
        DpaApp<DpaThread> app = Clang.app("reactions");
        try (ContextFixture on = ContextFixture.open(mode, app);
                SyncEvent told = on.event()) {
            DpaAddr own = on.block(0, 7, 7);
            DpaAddr desk = on.block(0, told.handle(on.dpa), 0, 0, 0, 0, 0, 0);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(app.function("recall"), desk.value())
                                    .localStorage(own)
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(on.dpa, thread).start()) {
                thread.run();
                for (int times = 1; times <= 3; times++) {
                    on.dpa.rpc(ReactionsStub.notifies(notification.handle()));
                    ContextFixture.await(told, times - 1);
                    assertThat(on.words(own, 3)).containsExactly(times, 0, 1);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-4")
    void whatIsForAnotherKindOfThreadIsAFault(RunMode mode) {
        DpaApp<DpaThread> app = Clang.app("reactions");
        try (ContextFixture on = ContextFixture.open(mode, app)) {
            ContextFixture.refused(
                    DocaError.BAD_STATE, () -> on.dpa.rpc(Clang.of(app, "yieldsInCall")));
            assertThatThrownBy(() -> on.dpa.memAlloc(8)).hasMessageContaining("(code 76)");
        }
    }
}
