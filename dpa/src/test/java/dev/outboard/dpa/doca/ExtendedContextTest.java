package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.ContextFixture.await;
import static dev.outboard.dpa.doca.ContextFixture.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.BufArray;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A context that is extended to another function of the card.
class ExtendedContextTest {
    static List<FunctionsFixture.Setting> settings() {
        return FunctionsFixture.settings();
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void anExtendedContextIsStartedAndHasTheProgramAndTheHeap(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                SyncEvent done = on.otherEvent()) {
            assertThat(on.other.handle()).isNotZero().isNotEqualTo(on.base.handle());
            assertThat(on.other.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            refused(DocaError.BAD_STATE, on.other::start);
            refused(DocaError.BAD_STATE, () -> on.other.app(FunctionStepsStub.APP));
            refused(DocaError.BAD_STATE, () -> on.other.extend(on.otherDev));
            // A block of one is a block of the other, and both launch.
            DpaAddr block = on.other.memAlloc(32);
            on.other.launchUpdateAdd(
                    done, 0, done, 1, 4, FunctionStepsStub.ranks(on.other.handle(), block));
            await(done, 0);
            assertThat(words(on.base, block, 4)).containsExactly(4, 14, 24, 34);
            on.base.memFree(block);
            // A kernel waits for an event on the other function, and the CPU sets it.
            DpaAddr late = DocaFixture.zeros(on.other, 1);
            on.other.launchUpdateSet(
                    done, 5, done, 7, 1, FunctionStepsStub.ranks(on.base.handle(), late));
            ContextFixture.assertQuiet(done);
            done.updateSet(5);
            await(done, 6);
            assertThat(words(on.other, late, 1)).containsExactly(1);
        }
    }

    private static long[] words(DocaDpa dpa, DpaAddr from, int count) {
        return DocaFixture.words(dpa, from, count);
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void theExtendedContextGoesFirst(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting)) {
            assertThatThrownBy(on.base::stop)
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.IN_USE))
                    .hasMessageContaining("extended to [DPA context on function 1]");
            refused(DocaError.IN_USE, on.base::close);
            long handle = on.other.handle();
            try (SyncEvent event = on.otherEvent();
                    DocaDpaCompletion _ = DocaDpaCompletion.create(on.other, 8).start()) {
                refused(DocaError.IN_USE, on.other::stop);
                assertThat(on.base.rpc(FunctionStepsStub.add(handle, event.handle(on.other), 3)))
                        .isEqualTo(3);
            }
            on.other.stop();
            refused(DocaError.BAD_STATE, on.other::start);
            refused(DocaError.BAD_STATE, on.other::handle);
            // The base context lives on, and can be extended again.
            try (DocaDpa again = on.base.extend(on.otherDev);
                    SyncEvent event = FunctionsFixture.event(on.otherDev, again)) {
                long sum = again.rpc(FunctionStepsStub.add(again.handle(), event.handle(again), 4));
                assertThat(sum).isEqualTo(4);
            }
            on.base.stop();
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void onlyAnotherFunctionOfTheCardIsTaken(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                Device foreign = Fabric.open("sim://elsewhere/10.8.0.1");
                DocaDev foreignDev = DocaDev.of(foreign);
                Device third = on.open(2);
                DocaDev thirdDev = DocaDev.of(third)) {
            refused(DocaError.INVALID_VALUE, () -> on.base.extend(foreignDev));
            assertThatThrownBy(() -> on.base.extend(on.dev))
                    .hasMessageContaining("is function 0 (physical")
                    .hasMessageContaining("1 (virtual");
            try (DocaDpa sub = on.base.extend(thirdDev);
                    SyncEvent event = FunctionsFixture.event(thirdDev, sub)) {
                assertThat(sub.rpc(FunctionStepsStub.add(sub.handle(), event.handle(sub), 2)))
                        .isEqualTo(2);
            }
            DocaDpa idle =
                    DocaDpa.create(on.dev, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()));
            refused(DocaError.BAD_STATE, () -> idle.extend(on.otherDev));
            refused(DocaError.BAD_STATE, idle::handle);
            idle.close();
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void aKernelSelectsFunctionsInTurn(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                SyncEvent event = on.event();
                SyncEvent otherEvent = on.otherEvent();
                SyncEvent done = on.event()) {
            DpaCall<DpaThread> both =
                    FunctionStepsStub.addToBoth(
                            on.base.handle(),
                            event.handle(on.base),
                            on.other.handle(),
                            otherEvent.handle(on.other));
            // Workers run one kernel after the other, each from the base on, and it is told there.
            on.base.launchUpdateAdd(null, 0, done, 1, 4, both);
            on.base.launchUpdateAdd(null, 0, done, 1, 4, both);
            await(done, 1);
            assertThat(event.get()).isEqualTo(16);
            assertThat(otherEvent.get()).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void eachActivationBeginsWithTheFunctionOfTheBase(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                SyncEvent event = on.event();
                SyncEvent otherEvent = on.otherEvent()) {
            DpaAddr desk = on.base.memAlloc(24);
            try (Arena arena = Arena.ofConfined()) {
                on.base.copyToDpa(
                        desk,
                        arena.allocateFrom(
                                ValueLayout.JAVA_LONG,
                                event.handle(on.base),
                                on.other.handle(),
                                otherEvent.handle(on.other)));
            }
            // One thread is made with the base context, one with the extended one.
            for (DocaDpa dpa : List.of(on.base, on.other)) {
                long before = event.get();
                try (DocaDpaThread thread =
                                DocaDpaThread.create(dpa)
                                        .function(FunctionStepsStub.react, desk.value())
                                        .start();
                        DocaDpaNotification notification =
                                DocaDpaNotification.create(on.other, thread).start()) {
                    thread.run();
                    for (int i = 0; i < 3; i++) {
                        dpa.rpc(
                                FunctionStepsStub.notifies(
                                        on.other.handle(), notification.handle()));
                        await(otherEvent, before + i);
                    }
                }
                assertThat(event.get()).isEqualTo(before + 3);
                assertThat(otherEvent.get()).isEqualTo(before + 3);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void memoryOfTheHostIsReachedOnBothFunctions(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                Mmap mmap = on.memory(4096)) {
            mmap.segment().set(ValueLayout.JAVA_LONG, 0, 41);
            assertThat(mmap.handle(on.other)).isNotEqualTo(mmap.handle(on.base));
            assertThat(on.base.rpc(swap(on.base, mmap, on.base, 42))).isEqualTo(41);
            assertThat(on.base.rpc(swap(on.other, mmap, on.other, 43))).isEqualTo(42);
            assertThat(on.other.rpc(swap(on.base, mmap, on.base, 44))).isEqualTo(43);
            try (BufArray array =
                    BufArray.create(2).params(mmap, 64, 0).targetDpa(on.other).start()) {
                on.base.rpc(FunctionStepsStub.copy(on.other.handle(), array.dpaHandle(), 8));
                assertThat(on.base.rpc(swap(on.other, mmap, on.other, 64, 0))).isEqualTo(44);
            }
        }
    }

    /// An mmap need not be stopped first, as with any context.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void whatAnMmapHasOnAFunctionGoesWithItsContext(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                Mmap mmap = on.memory(4096)) {
            DpaCall<DpaThread> onOther = swap(on.other, mmap, on.other, 1);
            on.base.rpc(onOther);
            on.other.close();
            assertThat(on.base.rpc(swap(on.base, mmap, on.base, 2))).isEqualTo(1);
            refused(DocaError.BAD_STATE, () -> mmap.handle(on.other));
            // A handle that is none any more; a checker sees that it is that of a block no more.
            assertThatThrownBy(() -> on.base.rpc(onOther)).hasMessageContaining("no DPA context");
            on.expect(Rule.USE_AFTER_FREE);
        }
    }

    /// Swaps the first word.
    private static DpaCall<DpaThread> swap(DocaDpa selected, Mmap mmap, DocaDpa by, long value) {
        return swap(selected, mmap, by, 0, value);
    }

    private static DpaCall<DpaThread> swap(
            DocaDpa selected, Mmap mmap, DocaDpa by, long offset, long value) {
        return FunctionStepsStub.swap(
                selected.handle(), mmap.handle(by), mmap.addressFor(by) + offset, value);
    }

    /// The peers are an RDMA context on each function.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void functionsReachEachOtherByRdma(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                RdmaEnd left = new RdmaEnd(on.dev, on.base, 1, Optional.empty());
                RdmaEnd right = new RdmaEnd(on.otherDev, on.other, 1, Optional.empty())) {
            left.connect(0, right, 0);
            DpaAddr toRight = block(on.base, left.towards(right));
            DpaAddr toLeft = block(on.base, right.towards(left));
            for (int round = 1; round <= 3; round++) {
                on.base.rpc(
                        FunctionStepsStub.write(on.base.handle(), toRight.value(), 100 + round));
                await(right.event, round - 1);
                assertThat(words(on.base, right.memory, 1)).containsExactly(100 + round);
                on.other.rpc(
                        FunctionStepsStub.write(on.other.handle(), toLeft.value(), 200 + round));
                await(left.event, round - 1);
                assertThat(words(on.base, left.memory, 1)).containsExactly(200 + round);
            }
        }
    }

    private static DpaAddr block(DocaDpa dpa, List<Long> words) {
        DpaAddr block = dpa.memAlloc(words.size() * 8L);
        try (Arena arena = Arena.ofConfined()) {
            dpa.copyToDpa(
                    block,
                    arena.allocateFrom(
                            ValueLayout.JAVA_LONG,
                            words.stream().mapToLong(Long::longValue).toArray()));
        }
        return block;
    }

    private interface Misuse {
        DpaCall<DpaThread> on(FunctionsFixture on, SyncEvent event, SyncEvent otherEvent);
    }

    /// A fault ends both contexts.
    private static void faults(FunctionsFixture.Setting setting, String text, Misuse misuse) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                SyncEvent event = on.event();
                SyncEvent otherEvent = on.otherEvent()) {
            DpaCall<DpaThread> call = misuse.on(on, event, otherEvent);
            assertThatThrownBy(() -> on.base.rpc(call))
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE))
                    .hasMessageContaining(text);
            assertThat(on.base.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            assertThat(on.other.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            refused(DocaError.BAD_STATE, () -> on.other.rpc(call));
            refused(DocaError.BAD_STATE, () -> on.base.extend(on.otherDev));
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void whatIsOnAFunctionThatIsNotSelectedFaults(FunctionsFixture.Setting setting) {
        String ofOther = "is on function 1 of the card, and function 0 is selected";
        String ofBase = "is on function 0 of the card, and function 1 is selected";
        faults(
                setting,
                ofOther,
                (on, _, other) -> FunctionStepsStub.addOnBase(other.handle(on.other)));
        faults(
                setting,
                ofBase,
                (on, event, _) ->
                        FunctionStepsStub.add(on.other.handle(), event.handle(on.base), 1));
        faults(
                setting,
                "no DPA context is at",
                (on, event, _) ->
                        FunctionStepsStub.add(
                                DocaFixture.zeros(on.base, 4).value(), event.handle(on.base), 1));
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void memoryOnAFunctionThatIsNotSelectedFaults(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                Mmap mmap = on.memory(4096)) {
            DpaCall<DpaThread> call = swap(on.other, mmap, on.base, 1);
            assertThatThrownBy(() -> on.base.rpc(call))
                    .hasMessageContaining("on function 1 of the card, which is selected");
        }
        try (FunctionsFixture on = new FunctionsFixture(setting);
                Mmap mmap = on.memory(4096);
                BufArray array =
                        BufArray.create(2).params(mmap, 64, 0).targetDpa(on.base).start()) {
            DpaCall<DpaThread> call =
                    FunctionStepsStub.copy(on.other.handle(), array.dpaHandle(), 8);
            assertThatThrownBy(() -> on.base.rpc(call))
                    .hasMessageContaining("the array at")
                    .hasMessageContaining("is on function 0 of the card, and function 1");
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void queuesOnAFunctionThatIsNotSelectedFault(FunctionsFixture.Setting setting) {
        try (FunctionsFixture on = new FunctionsFixture(setting);
                RdmaEnd end = new RdmaEnd(on.otherDev, on.other, 1, Optional.empty());
                RdmaEnd peer = new RdmaEnd(on.otherDev, on.other, 1, Optional.empty())) {
            end.connect(0, peer, 0);
            DpaAddr words = block(on.base, end.towards(peer));
            DpaCall<DpaThread> call = FunctionStepsStub.write(on.base.handle(), words.value(), 1);
            assertThatThrownBy(() -> on.base.rpc(call))
                    .hasMessageContaining("the RDMA context at")
                    .hasMessageContaining("is on function 1 of the card, and function 0");
        }
        try (FunctionsFixture on = new FunctionsFixture(setting);
                DocaDpaCompletion completion = DocaDpaCompletion.create(on.other, 8).start()) {
            assertThatThrownBy(() ->
                            on.base.rpc(
                                    FunctionStepsStub.next(on.base.handle(), completion.handle())))
                    .hasMessageContaining("the completion context at");
        }
        try (FunctionsFixture on = new FunctionsFixture(setting);
                SyncEvent event = on.event();
                DocaDpaCompletion completion = DocaDpaCompletion.create(on.other, 8).start();
                DocaDpaAsyncOps operations =
                        DocaDpaAsyncOps.create(on.other, 8, 0).attach(completion).start()) {
            DpaCall<DpaThread> call =
                    FunctionStepsStub.postWait(
                            on.base.handle(), operations.handle(), event.handle(on.base));
            assertThatThrownBy(() -> on.base.rpc(call))
                    .hasMessageContaining("the context of asynchronous operations at");
        }
    }

    /// The NIC itself keeps the keys of functions apart.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement("DPA-DC-2")
    void keysOfOneFunctionAreRefusedOnTheOther(FunctionsFixture.Setting setting) {
        for (int wrong : new int[] {1, 3}) {
            try (FunctionsFixture on = new FunctionsFixture(setting);
                    RdmaEnd left = new RdmaEnd(on.dev, on.base, 1, Optional.empty());
                    RdmaEnd right = new RdmaEnd(on.otherDev, on.other, 1, Optional.empty())) {
                left.connect(0, right, 0);
                List<Long> words = new ArrayList<>(left.towards(right));
                words.set(
                        wrong,
                        (long)
                                (wrong == 1
                                        ? right.mmap.handle(on.other)
                                        : left.mmap.handle(on.base)));
                words.set(
                        wrong + 1,
                        wrong == 1
                                ? right.mmap.addressFor(on.other)
                                : left.mmap.addressFor(on.base));
                DpaAddr at = block(on.base, words);
                DpaCall<DpaThread> call = FunctionStepsStub.write(on.base.handle(), at.value(), 1);
                assertThatThrownBy(() -> on.base.rpc(call))
                        .hasMessageContaining(wrong == 1 ? "syndrome 0x4" : "syndrome 0x13");
            }
        }
    }

    @Test
    @Requirement("DPA-DC-2")
    void aContextIsExtendedAsOftenAsThreadsHaveRoomForChannels() {
        try (FunctionsFixture on =
                new FunctionsFixture(new FunctionsFixture.Setting(RunMode.fast(), false))) {
            List<DocaDpa> more = new ArrayList<>();
            for (int i = 0; i < 14; i++) {
                more.add(on.base.extend(on.otherDev));
            }
            refused(DocaError.NO_MEMORY, () -> on.base.extend(on.otherDev));
            more.removeFirst().close();
            more.add(on.base.extend(on.otherDev));
            more.forEach(DocaDpa::close);
        }
    }
}
