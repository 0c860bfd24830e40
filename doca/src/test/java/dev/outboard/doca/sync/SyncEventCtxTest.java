package dev.outboard.doca.sync;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.TestDevices;
import dev.outboard.doca.ThreadMode;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SyncEventCtxTest {
    private static final int TASKS = 2;
    private static final long ALL = -1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
    private final List<SyncEventTask> succeeded = new ArrayList<>();
    private final List<SyncEventTask> failed = new ArrayList<>();
    private DocaDev dev;
    private ProgressEngine engine;
    private SyncEvent event;
    private SyncEventCtx ctx;

    @BeforeEach
    void start() {
        dev = TestDevices.open();
        engine = ProgressEngine.create(ThreadMode.SHARED);
        event =
                new SyncEvent(dev)
                        .publisher(Location.CPU)
                        .publisher(Location.REMOTE_NET)
                        .subscriber(Location.CPU)
                        .cell(value);
        ctx = event.asCtx();
        enableAll(ctx);
        ctx.attach(engine).start();
    }

    private void enableAll(SyncEventCtx some) {
        Consumer<SyncEventTask> good = succeeded::add;
        Consumer<SyncEventTask> bad = failed::add;
        some.get(good, bad, TASKS)
                .notifySet(good, bad, TASKS)
                .notifyAdd(good, bad, TASKS)
                .waitEq(good, bad, TASKS)
                .waitNeq(good, bad, TASKS);
    }

    @AfterEach
    void close() {
        event.close();
        engine.close();
        dev.close();
        arena.close();
    }

    @Test
    @Requirement({"DSE-TASK-1", "DSE-OBJ-7"})
    void tasksSetAddAndGetInTheOrderOfTheirSubmission() {
        NotifySetTask set = ctx.allocNotifySet(40);
        NotifyAddTask add = ctx.allocNotifyAdd(2);
        GetTask get = ctx.allocGet();
        set.submitOrThrow();
        add.submitOrThrow();
        get.submitOrThrow();
        assertThat(ctx.inFlightTasks()).isEqualTo(3);
        assertThat(get.status()).isEqualTo(DocaError.IN_PROGRESS);
        assertRefused(DocaError.BAD_STATE, () -> set.value(1), "in flight");
        assertThat(get.submit()).isEqualTo(DocaError.BAD_STATE);

        assertThat(engine.progress()).isTrue();

        assertThat(succeeded).containsExactly(set, add, get);
        assertThat(add.fetched()).isEqualTo(40);
        assertThat(get.value()).isEqualTo(42);
        assertThat(ctx.inFlightTasks()).isZero();
        set.value(-1);
        set.submitOrThrow();
        add.addend(3);
        add.submitOrThrow();
        assertRefused(DocaError.BAD_STATE, add::fetched);
        engine.progress();
        assertThat(add.fetched()).isEqualTo(-1);
        assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2);
        free();
    }

    @Test
    void operandsAreReadUntilATaskIsFreedAndChangedWhileItIsNotInFlight() {
        NotifyAddTask add = ctx.allocNotifyAdd(1);
        NotifySetTask set = ctx.allocNotifySet(2);
        GetTask get = ctx.allocGet();
        WaitTask wait = ctx.allocWaitEq(3, 0xFF);
        assertThat(add.addend()).isEqualTo(1);
        assertThat(set.value()).isEqualTo(2);
        assertThat(wait.threshold()).isEqualTo(3);
        assertThat(wait.mask()).isEqualTo(0xFF);
        assertRefused(DocaError.BAD_STATE, get::value);

        add.submitOrThrow();
        wait.submitOrThrow();
        assertRefused(DocaError.BAD_STATE, () -> add.addend(5), "in flight");
        assertRefused(DocaError.BAD_STATE, () -> wait.operands(4, 0xFF), "in flight");
        engine.progress();
        updateAsAPeerWould(3);
        engine.progress();
        assertThat(succeeded).containsExactly(add, wait);

        List.of(add, set, get, wait).forEach(SyncEventTask::free);
        assertRefused(DocaError.BAD_STATE, add::addend);
        assertRefused(DocaError.BAD_STATE, set::value);
        assertRefused(DocaError.BAD_STATE, wait::threshold);
        assertRefused(DocaError.BAD_STATE, wait::mask);
    }

    @Test
    @Requirement("DSE-TASK-1")
    void waitsCompleteOnceTheValueIsRight() {
        WaitTask equal = ctx.allocWaitEq(0x700, 0xFF00);
        WaitTask different = ctx.allocWaitNeq(0, 0xFFFF_FFFF_0000_0000L);
        equal.submitOrThrow();
        different.submitOrThrow();
        assertThat(engine.progress()).isFalse();
        updateAsAPeerWould(0x6FF);
        assertThat(engine.progress()).isFalse();
        updateAsAPeerWould(0x7FF);
        assertThat(engine.progress()).isTrue();
        assertThat(succeeded).containsExactly(equal);
        updateAsAPeerWould(1L << 40);
        assertThat(engine.progress()).isTrue();
        assertThat(succeeded).containsExactly(equal, different);
        equal.operands(1L << 40, ALL);
        equal.submitOrThrow();
        assertThat(engine.progress()).isTrue();
        assertThat(equal.status()).isEqualTo(DocaError.SUCCESS);
        free();
    }

    private void updateAsAPeerWould(long newValue) {
        ValueLayout.JAVA_LONG.varHandle().setRelease(value, 0L, newValue);
    }

    @Test
    @Requirement({"DSE-TASK-1", "DSE-REM-1"})
    void aSleepingEngineNoticesWhatPeersDo() throws Exception {
        ctx.allocWaitNeq(0, ALL).submitOrThrow();
        assertThat(engine.progress()).isFalse();
        assertThat(engine.await(Duration.ZERO)).as("woken by the submission").isTrue();
        assertThat(engine.await(Duration.ofMillis(20))).as("woken by nothing").isFalse();
        FutureTask<Boolean> sleep = new FutureTask<>(() -> engine.await(PATIENCE));
        Thread sleeper = Thread.ofPlatform().start(sleep);
        Eventually.until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);
        updateAsAPeerWould(1);
        assertThat(sleep.get()).isTrue();
        assertThat(engine.progress()).isTrue();
        free();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                0xFF,
                0xFF00,
                0xFF00_0000_0000_0000L,
                0xFFFF,
                0xFF_FF00,
                0xFFFF_0000_0000_0000L,
                0xFFFF_FFFFL,
                0xFF_FFFF_FF00L,
                0xFFFF_FFFF_0000_0000L,
                -1
            })
    @Requirement("DSE-TASK-2")
    void masksOfWholeBytesAreValid(long mask) {
        assertThatNoException()
                .isThrownBy(() -> {
                    ctx.allocWaitEq(0, mask).free();
                    ctx.allocWaitNeq(1, mask).free();
                });
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                1,
                0x7F,
                0x1FF,
                0xFF0,
                0xFF00FF,
                0xFF_FFFF,
                0xFF_FFFF_FFFFL,
                0xFFFF_FFFF_FFFFL,
                0xFF_FFFF_FFFF_FFFFL,
                0xFFFF_FF00_0000_0000L,
                0xFF00_0000_0000_00FFL
            })
    @Requirement("DSE-TASK-2")
    void otherMasksAreNot(long mask) {
        assertRefused(
                DocaError.INVALID_VALUE, () -> ctx.allocWaitEq(0, mask), Long.toHexString(mask));
        assertRefused(
                DocaError.INVALID_VALUE, () -> ctx.allocWaitNeq(0, mask), Long.toHexString(mask));
        WaitTask wait = ctx.allocWaitEq(0, ALL);
        assertRefused(DocaError.INVALID_VALUE, () -> wait.operands(0, mask));
        assertThat(wait.mask()).isEqualTo(ALL);
        wait.free();
    }

    @Test
    @Requirement("DJAVA-RDMA-3b")
    void numbersArePrintedUnsigned() {
        NotifySetTask set = ctx.allocNotifySet(Long.MIN_VALUE);
        NotifyAddTask add = ctx.allocNotifyAdd(-1);
        WaitTask wait = ctx.allocWaitEq(-2, ALL);
        assertThat(set).asString().endsWith(" to 9223372036854775808");
        assertThat(add).asString().startsWith("add of 18446744073709551615 to ");
        assertThat(wait)
                .asString()
                .endsWith("masked with 0xffffffffffffffff is equal to 0xfffffffffffffffe");
        List.of(set, add, wait).forEach(SyncEventTask::free);
    }

    @Test
    @Requirement("DSE-WAIT-5")
    void aWaitThatCannotEndIsInvalid() {
        assertRefused(DocaError.INVALID_VALUE, () -> ctx.allocWaitEq(0x100, 0xFF), "for ever");
        assertRefused(DocaError.INVALID_VALUE, () -> ctx.allocWaitNeq(0, 0), "for ever");
    }

    @Test
    @Requirement("DSE-TASK-3")
    void aPendingWaitHoldsUpNothingAndIsFlushedByStop() {
        WaitTask wait = ctx.allocWaitEq(5, ALL);
        NotifySetTask set = ctx.allocNotifySet(4);
        wait.submitOrThrow();
        set.submitOrThrow();
        engine.progress();
        assertThat(succeeded).containsExactly(set);
        assertThat(wait.status()).isEqualTo(DocaError.IN_PROGRESS);

        assertThat(ctx.stop()).isEqualTo(CtxState.STOPPING);
        assertThat(failed).isEmpty();
        engine.progress();

        assertThat(failed).containsExactly(wait);
        assertThat(wait.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(set.submit()).isEqualTo(DocaError.BAD_STATE);
        assertThat(ctx.state()).isEqualTo(CtxState.STOPPING);
        free();
        engine.progress();
        assertThat(ctx.state()).isEqualTo(CtxState.IDLE);
    }

    @Test
    @Requirement("DSE-TASK-1")
    void tasksAreEnabledWhileIdleOnly() {
        Consumer<SyncEventTask> none = _ -> {};
        assertRefused(DocaError.NOT_PERMITTED, () -> ctx.get(none, none, 1), "RUNNING");
        assertRefused(DocaError.NOT_PERMITTED, () -> ctx.notifySet(none, none, 1));
        assertRefused(DocaError.NOT_PERMITTED, () -> ctx.notifyAdd(none, none, 1));
        assertRefused(DocaError.NOT_PERMITTED, () -> ctx.waitEq(none, none, 1));
        assertRefused(DocaError.NOT_PERMITTED, () -> ctx.waitNeq(none, none, 1));
        ctx.stop();
        assertRefused(DocaError.INVALID_VALUE, () -> ctx.get(none, none, 0), "count");
        assertRefused(DocaError.INVALID_VALUE, () -> ctx.get(none, null, 1), "callback");
        ctx.get(none, none, 1).start();
        ctx.allocGet().free();
    }

    @Test
    @Requirement("DSE-TASK-1")
    void noMoreTasksAreAllocatedThanEnabled() {
        GetTask one = ctx.allocGet();
        GetTask two = ctx.allocGet();
        assertRefused(DocaError.NO_MEMORY, ctx::allocGet, "all 2 GET");
        ctx.allocNotifySet(1).free();
        one.free();
        ctx.allocGet().free();
        two.free();
        ctx.stop();
        assertRefused(DocaError.BAD_STATE, ctx::allocGet, "IDLE");
    }

    @Test
    @Requirement("DSE-TASK-1")
    void aTypeThatWasNotEnabledIsNotPermitted() {
        try (SyncEvent other =
                new SyncEvent(dev).publisher(Location.CPU).subscriber(Location.CPU)) {
            SyncEventCtx bare = other.asCtx();
            bare.get(succeeded::add, failed::add, 1).attach(engine).start();
            assertRefused(DocaError.NOT_PERMITTED, () -> bare.allocWaitEq(0, ALL), "not enabled");
        }
    }

    @Test
    @Requirement("DSE-OBJ-7")
    void theContextStartsAtZeroEachTimeAndIsExportedWhileItRuns() {
        NotifySetTask set = ctx.allocNotifySet(9);
        set.submitOrThrow();
        engine.progress();
        byte[] export = event.exportToRemoteNet();
        free();
        assertThat(ctx.stop()).isEqualTo(CtxState.IDLE);
        assertRefused(DocaError.BAD_STATE, event::exportToRemoteNet, "not started");
        ctx.start();
        assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(event.exportToRemoteNet()).isNotEqualTo(export);
    }

    @Test
    @Requirement("DSE-TASK-1")
    void aCallbackMaySubmitItsTaskAgain() {
        event.close();
        try (SyncEvent other =
                new SyncEvent(dev).publisher(Location.CPU).subscriber(Location.CPU)) {
            SyncEventCtx again = other.asCtx();
            Consumer<NotifyAddTask> untilThree =
                    add -> {
                        if (add.fetched() < 2) {
                            add.submitOrThrow();
                        } else {
                            add.free();
                        }
                    };
            again.notifyAdd(untilThree, failed::add, 1).attach(engine).start();
            again.allocNotifyAdd(1).submitOrThrow();
            int turns = 0;
            while (again.inFlightTasks() > 0) {
                assertThat(engine.progress()).isTrue();
                turns++;
            }
            assertThat(turns).isEqualTo(3);
            assertThat(again.stop()).isEqualTo(CtxState.IDLE);
        }
    }

    private void free() {
        succeeded.forEach(SyncEventTask::free);
        failed.forEach(SyncEventTask::free);
    }
}
