package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.ContextFixture.assertQuiet;
import static dev.outboard.dpa.doca.ContextFixture.await;
import static dev.outboard.dpa.doca.ContextFixture.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Threads of the DPA, and what notifies them.
class DpaThreadTest {
    private static final int ACTIVATIONS = Reactions.ACTIVATIONS / Long.BYTES;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(ReactionsStub.APP, modes());
    }

    private static ContextFixture open(Form form) {
        return ContextFixture.open(form.mode(), form.app());
    }

    private static ContextFixture open(RunMode mode) {
        return ContextFixture.open(mode, ReactionsStub.APP);
    }

    private static DpaAddr desk(ContextFixture on, SyncEvent told) {
        long[] words = new long[Reactions.DESK_WORDS];
        words[Reactions.TOLD / Long.BYTES] = told.handle(on.dpa);
        return on.block(words);
    }

    private static long activations(ContextFixture on, DpaAddr desk) {
        return on.words(desk, Reactions.DESK_WORDS)[ACTIVATIONS];
    }

    private static void notify(ContextFixture on, DocaDpaNotification notification) {
        on.dpa.rpc(ReactionsStub.notifies(notification.handle()));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-TH-1", "DPA-TH-3"})
    void eachNotificationRunsTheFunctionWithItsArgumentAndStorage(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent told = on.event()) {
            DpaAddr own = on.block(0, 0, 7, 7);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.keep, desk(on, told).value())
                                    .localStorage(own)
                                    .affinity(new Affinity.Strict(4))
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(on.dpa, thread).start()) {
                notify(on, notification);
                assertQuiet(told);
                // What has come before it runs is not forgotten.
                thread.run();
                for (int times = 1; times <= 5; times++) {
                    await(told, times - 1);
                    assertThat(told.get()).isEqualTo(times);
                    assertThat(on.words(own, 4)).containsExactly(times, 4, 0, 1);
                    if (times < 5) {
                        notify(on, notification);
                    }
                }
            }
        }
    }

    /// Each seed is another order of what the threads do.
    static Stream<RunMode> manyOrders() {
        return Stream.concat(
                modes().stream(),
                IntStream.rangeClosed(1, 40)
                        .mapToObj(seed ->
                                RunMode.weak(
                                        seed % 2 == 0 ? Profile.SEED : Profile.PARANOID, seed)));
    }

    /// The thread sees all work that was there at the last notification.
    @ParameterizedTest
    @MethodSource("manyOrders")
    @Requirement("DPA-TH-3")
    void noNotificationIsLost(RunMode mode) throws InterruptedException {
        int makers = 4;
        int times = 5;
        try (ContextFixture on = open(mode);
                SyncEvent told = on.event();
                SyncEvent done = on.event()) {
            DpaAddr desk = desk(on, told);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.survey, desk.value())
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(on.dpa, thread).start()) {
                thread.run();
                for (int round = 1; round <= 3; round++) {
                    on.dpa.launchUpdateAdd(
                            null,
                            0,
                            done,
                            1,
                            makers,
                            ReactionsStub.make(desk.value(), notification.handle(), times));
                    told.waitEq((long) round * makers * times, -1, Spin.YIELD, ContextFixture.LONG);
                    await(done, round - 1);
                }
                assertThat(activations(on, desk)).isBetween(3L, 3L * makers * times);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-TH-3")
    void threadsNotifyEachOther(Form form) {
        try (ContextFixture on = open(form);
                SyncEvent told = on.event()) {
            DpaAddr lastDesk = desk(on, told);
            long[] words = new long[Reactions.DESK_WORDS];
            try (DocaDpaThread last =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.pass, lastDesk.value())
                                    .start();
                    DocaDpaNotification toLast = DocaDpaNotification.create(on.dpa, last).start()) {
                words[Reactions.NEXT / Long.BYTES] = toLast.handle();
                DpaAddr firstDesk = on.block(words);
                try (DocaDpaThread first =
                                DocaDpaThread.create(on.dpa)
                                        .function(ReactionsStub.pass, firstDesk.value())
                                        .start();
                        DocaDpaNotification toFirst =
                                DocaDpaNotification.create(on.dpa, first).start()) {
                    last.run();
                    first.run();
                    for (int times = 1; times <= 3; times++) {
                        notify(on, toFirst);
                        await(told, times - 1);
                        assertThat(activations(on, firstDesk)).isEqualTo(times);
                        assertThat(activations(on, lastDesk)).isEqualTo(times);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-TH-4")
    void aThreadThatHasFinishedIsActivatedNoMore(Form form) {
        try (ContextFixture on = open(form);
                SyncEvent told = on.event()) {
            DpaAddr desk = desk(on, told);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.last, desk.value())
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(on.dpa, thread).start()) {
                thread.run();
                notify(on, notification);
                await(told, 0);
                for (int i = 0; i < 3; i++) {
                    notify(on, notification);
                    assertQuiet(told);
                }
                assertThat(activations(on, desk)).isEqualTo(1);
            }
        }
    }

    /// What ends a context, each in its own way.
    private static List<Consumer<ContextFixture>> wrongUses() {
        return List.of(
                on -> launch(on, ReactionsStub.reschedules(0)),
                on -> launch(on, ReactionsStub.asksForStorage(0)),
                on -> refused(DocaError.BAD_STATE, () -> on.dpa.rpc(ReactionsStub.finishesCall())),
                on -> refused(DocaError.BAD_STATE, () -> on.dpa.rpc(ReactionsStub.yieldsInCall())),
                DpaThreadTest::yieldInThread);
    }

    private static void launch(ContextFixture on, DpaCall<DpaThread> kernel) {
        on.dpa.launchUpdateAdd(null, 0, null, 0, 1, kernel);
    }

    private static void yieldInThread(ContextFixture on) {
        try (SyncEvent told = on.event();
                DocaDpaThread thread =
                        DocaDpaThread.create(on.dpa).function(ReactionsStub.yields, 0).start();
                DocaDpaNotification notification =
                        DocaDpaNotification.create(on.dpa, thread).start()) {
            thread.run();
            on.dpa.launchUpdateAdd(
                    null,
                    0,
                    null,
                    0,
                    1,
                    ReactionsStub.make(desk(on, told).value(), notification.handle(), 1));
            on.awaitFault();
            // After a fault all can be stopped and closed.
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-4")
    void whatIsForAnotherKindOfThreadIsAFault(RunMode mode) {
        for (Consumer<ContextFixture> use : wrongUses()) {
            try (ContextFixture on = open(mode)) {
                use.accept(on);
                on.awaitFault();
                assertThatThrownBy(() -> on.dpa.memAlloc(8)).hasMessageContaining("(code 76)");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-5")
    void threadsOfAGroupHaveRanks(RunMode mode) {
        int size = 4;
        try (ContextFixture on = open(mode);
                SyncEvent told = on.event()) {
            DocaDpaThreadGroup group = DocaDpaThreadGroup.create(on.dpa, size);
            List<DpaAddr> storages = new ArrayList<>();
            List<DocaDpaThread> threads = new ArrayList<>();
            List<DocaDpaNotification> notifications = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                storages.add(on.block(0, 0, 9, 9));
                threads.add(
                        DocaDpaThread.create(on.dpa)
                                .function(ReactionsStub.keep, desk(on, told).value())
                                .localStorage(storages.get(i))
                                .start());
                notifications.add(DocaDpaNotification.create(on.dpa, threads.get(i)).start());
            }
            for (int i = 1; i < size; i++) {
                group.thread(threads.get(i), size - 1 - i);
            }
            refused(DocaError.BAD_STATE, group::start);
            refused(DocaError.BAD_STATE, threads.get(1)::run);
            refused(DocaError.INVALID_VALUE, () -> group.thread(threads.get(0), size));
            refused(DocaError.INVALID_VALUE, () -> group.thread(threads.get(0), 0));
            refused(DocaError.INVALID_VALUE, () -> group.thread(threads.get(1), size - 1));
            group.thread(threads.get(0), size - 1).start();
            refused(DocaError.BAD_STATE, group::start);
            refused(DocaError.IN_USE, on.dpa::stop);
            threads.forEach(DocaDpaThread::run);
            notifications.forEach(one -> notify(on, one));
            await(told, size - 1);
            for (int i = 0; i < size; i++) {
                long[] own = on.words(storages.get(i), 4);
                assertThat(own[0]).isEqualTo(1);
                assertThat(own[2]).isEqualTo(size - 1 - i);
                assertThat(own[3]).isEqualTo(size);
                refused(DocaError.IN_USE, threads.get(i)::close);
            }
            group.close();
            notifications.forEach(DocaDpaNotification::close);
            threads.forEach(DocaDpaThread::close);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-6")
    void aGlobalVariableOutlivesActivationsAndIsThatOfTheProcess(RunMode mode) {
        try (ContextFixture on = open(mode);
                ContextFixture other = open(mode);
                SyncEvent told = on.event();
                DocaDpaThread first = rememberer(on, told);
                DocaDpaThread second = rememberer(on, told);
                DocaDpaNotification toFirst = DocaDpaNotification.create(on.dpa, first).start();
                DocaDpaNotification toSecond = DocaDpaNotification.create(on.dpa, second).start()) {
            first.run();
            second.run();
            for (int times = 1; times <= 6; times++) {
                notify(on, times % 3 == 0 ? toSecond : toFirst);
                await(told, times - 1);
                assertThat(on.dpa.rpc(ReactionsStub.remembered())).isEqualTo(times);
            }
            assertThat(other.dpa.rpc(ReactionsStub.remembered())).isZero();
        }
    }

    private static DocaDpaThread rememberer(ContextFixture on, SyncEvent told) {
        return DocaDpaThread.create(on.dpa)
                .function(ReactionsStub.remember, desk(on, told).value())
                .start();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-TH-1", "DPA-ERR-18", "DPA-ERR-19"})
    void aThreadIsConfiguredThenStartedThenRun(RunMode mode) {
        try (ContextFixture on = open(mode);
                ContextFixture other = open(mode);
                SyncEvent told = on.event()) {
            DocaDpaThread thread = DocaDpaThread.create(on.dpa);
            DocaDpaNotification notification = DocaDpaNotification.create(on.dpa, thread);
            refused(DocaError.BAD_STATE, thread::start);
            refused(DocaError.BAD_STATE, thread::run);
            refused(DocaError.BAD_STATE, notification::start);
            refused(DocaError.BAD_STATE, notification::handle);
            thread.function(ReactionsStub.make, 0);
            refused(DocaError.INVALID_VALUE, thread::start);
            thread.function(ReactionsStub.pass, desk(on, told).value());
            thread.affinity(new Affinity.Strict(1000));
            refused(DocaError.INVALID_VALUE, thread::start);
            thread.affinity(Affinity.ANY).start();
            refused(DocaError.BAD_STATE, thread::start);
            refused(DocaError.BAD_STATE, () -> thread.function(ReactionsStub.pass, 1));
            refused(DocaError.BAD_STATE, () -> thread.localStorage(new DpaAddr(0)));
            refused(DocaError.BAD_STATE, () -> thread.affinity(Affinity.ANY));
            refused(
                    DocaError.INVALID_VALUE,
                    () -> DocaDpaNotification.create(other.dpa, thread).start());
            notification.start();
            refused(DocaError.BAD_STATE, notification::start);
            thread.run();
            refused(DocaError.BAD_STATE, thread::run);
            refused(DocaError.IN_USE, thread::stop);
            refused(DocaError.IN_USE, thread::close);
            refused(DocaError.IN_USE, on.dpa::stop);
            notify(on, notification);
            await(told, 0);
            notification.close();
            notification.close();
            refused(DocaError.BAD_STATE, notification::start);
            refused(DocaError.IN_USE, on.dpa::stop);
            thread.stop();
            thread.stop();
            thread.start();
            try (DocaDpaNotification again = DocaDpaNotification.create(on.dpa, thread).start()) {
                thread.run();
                notify(on, again);
                await(told, 1);
            }
            thread.close();
            thread.close();
            refused(DocaError.BAD_STATE, thread::start);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void aThreadThatRunsForEverCanBeStopped(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent told = on.event()) {
            DpaAddr desk = desk(on, told);
            // The first kernels and calls have made what they need.
            on.dpa.rpc(ReactionsStub.remembered());
            long before = on.heapBytes();
            for (int times = 1; times <= 3; times++) {
                DocaDpaThread thread =
                        DocaDpaThread.create(on.dpa)
                                .function(ReactionsStub.spin, desk.value())
                                .start();
                DocaDpaNotification notification =
                        DocaDpaNotification.create(on.dpa, thread).start();
                thread.run();
                notify(on, notification);
                await(told, times - 1);
                notification.close();
                thread.close();
                assertThat(on.heapBytes()).isEqualTo(before);
                assertThat(on.dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            }
        }
    }
}
