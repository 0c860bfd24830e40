package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FlexioException.Status;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A process of the DPA as its host sees it.
class FlexioProcessTest {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withTiming(
                            new Timing(20_000_000, 1_000, MachineOptions.DEFAULT.timing().costs()));

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 3));
    }

    private static FlexioProcess open(HostProcess host, RunMode mode) {
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        return FlexioProcess.create(
                host,
                device,
                LedgerStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(new Checker(Profile.SEED, false)));
    }

    private static byte[] words(long... words) {
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            bytes.putLong(word);
        }
        return bytes.array();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXP-1", "DPA-FXR-1", "DPA-FXR-3", "DPA-FXH-1", "DPA-SYS-6"})
    void aCallBringsItsResultAndWhatItHasWritten(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr word = process.heap().copyFromHost(words(40, 7));
            for (int call = 1; call <= 50; call++) {
                assertThat(process.call(LedgerStub.add(word, 2))).isEqualTo(40 + 2L * call);
                // The call has not written anything back itself.
                assertThat(process.heap().copyOut(word, 16)).isEqualTo(words(40 + 2L * call, 7));
            }
            assertThat(process.call(LedgerStub.calls())).isEqualTo(50);
            process.heap().fill(word, 8, (byte) 0);
            assertThat(process.call(LedgerStub.add(word, -1))).isEqualTo(-1);
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXR-5", "DPA-ERR-13", "DPA-FXP-3c", "DPA-FXP-5a", "DPA-SYS-11"})
    void aFaultEndsTheProcessAndLeavesItQueryable(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr word = process.heap().zeros(8);
            assertThat(process.call(LedgerStub.load(word))).isZero();

            assertThatThrownBy(() -> process.call(LedgerStub.load(new DpaAddr(8))))
                    .isInstanceOfSatisfying(
                            FlexioException.class,
                            e -> {
                                assertThat(e.status()).isEqualTo(Status.FATAL_ERR);
                                assertThat(e.reason()).isEqualTo(Reason.PROCESS_ENDED);
                                assertThat(e)
                                        .hasMessageContaining("load outside all regions (code 4)")
                                        .hasMessageContaining("Ledger.java");
                            });
            FlexioErrorState state = process.errorState();
            assertThat(state.kind()).isEqualTo(Kind.FATAL);
            assertThat(state.exitStatus()).isEqualTo(Fault.BAD_LOAD.code());
            assertThat(state.text()).contains("Thread 'RPC'");
            assertThat(process.awaitError(Duration.ofSeconds(1))).isEqualTo(state);
            assertThat(process.crashReport()).isPresent();

            assertFatal(() -> process.call(LedgerStub.calls()));
            assertFatal(() -> process.heap().copyOut(word, 8));
            assertFatal(() -> process.heap().copyIn(word, words(1)));
            assertFatal(() -> process.heap().allocate(8));
        }
    }

    private static void assertFatal(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FlexioException.class,
                        e -> assertThat(e.status()).isEqualTo(Status.FATAL_ERR));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXR-4", "DPA-ERR-15"})
    void aCallHasToReturn(RunMode mode) {
        for (var call :
                List.of(LedgerStub.reschedule(), LedgerStub.finish(), LedgerStub.retrigger())) {
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process = open(host, mode)) {
                assertFatal(() -> process.call(call));
                assertThat(process.errorState().exitStatus()).isEqualTo(71);
                assertThat(process.errorState().text())
                        .contains(call.function().name() + " in a function");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-ERR-16")
    void aCallThatWaitsForEverIsEndedByTheWatchdog(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr word = process.heap().zeros(8);
            assertFatal(() -> process.call(LedgerStub.await(word)));
            assertThat(process.errorState().exitStatus()).isEqualTo(Fault.WATCHDOG.code());
            assertThat(process.errorState().text()).contains("Ledger.java");
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXP-4")
    void theErrorHandlerRunsOnceAfterAFatalError(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            process.setErrorHandler(LedgerStub.failed);
            DpaAddr word = process.heap().zeros(8);
            process.call(LedgerStub.add(word, 1));
            assertFatal(() -> process.call(LedgerStub.load(new DpaAddr(8))));
            Eventually.until(() -> process.process().peek64(AddressMap.GLOBALS) == 1 - 100);
        }
    }

    @Test
    @Requirement("DPA-FXP-4")
    void theErrorHandlerIsSetBeforeThereIsAThread() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            refused(Reason.BAD_ARGUMENT, () -> process.setErrorHandler(LedgerStub.activated));
            refused(Reason.NOT_IN_APP, () -> process.setErrorHandler(LedgerStub.calls));
            FlexioEventHandler.create(
                    process, LedgerStub.activated, FlexioEventHandler.Attributes.DEFAULT);
            refused(Reason.WRONG_TIME, () -> process.setErrorHandler(LedgerStub.failed));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXH-2c", "DPA-FXH-3", "DPA-FXH-4", "DPA-ERR-11", "DPA-ERR-12"})
    void theHeapRefusesWhatIsWrongAndChangesNothing(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioHeap heap = process.heap();
            DpaAddr block = heap.copyFromHost(words(1, 2, 3));
            FlexioHeap.Usage before = heap.usage();
            refused(Reason.NO_MEMORY, () -> heap.allocate(before.sizeBytes()));
            refused(Reason.BAD_ARGUMENT, () -> heap.allocate(0));
            refused(Reason.NOT_A_BLOCK, () -> heap.free(block.plus(8)));
            refused(Reason.OUTSIDE_BLOCK, () -> heap.copyIn(block.plus(16), words(8, 9)));
            refused(Reason.OUTSIDE_BLOCK, () -> heap.copyOut(block, 25));
            refused(Reason.OUTSIDE_BLOCK, () -> heap.fill(block.plus(-8), 16, (byte) 1));
            heap.free(new DpaAddr(0));
            assertThat(heap.usage()).isEqualTo(before);
            assertThat(heap.copyOut(block, 24)).isEqualTo(words(1, 2, 3));

            heap.free(block);
            refused(Reason.NOT_A_BLOCK, () -> heap.free(block));
            refused(Reason.OUTSIDE_BLOCK, () -> heap.copyOut(block, 8));
            assertThat(heap.usage().allocatedBytes()).isZero();
        }
    }

    @Test
    @Requirement("DPA-FXP-3a")
    void aProcessTellsWhatItsHeapHasAndItsUar() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            process.heap().allocate(100);
            process.heap().allocate(1);
            assertThat(process.heap().usage())
                    .isEqualTo(
                            new FlexioHeap.Usage(
                                    new DpaAddr(AddressMap.HEAP),
                                    OPTIONS.storage().heapBytes(),
                                    101,
                                    192));
            assertThat(process.uar().number()).isNotNegative();
        }
    }

    @Test
    @Requirement("DPA-SYS-1")
    void aDeviceTellsWhetherItHasADpa() {
        DpaCapabilities has = DpaDevice.of(OPTIONS, RunMode.fast()).capabilities();
        assertThat(has)
                .isEqualTo(new DpaCapabilities(true, 2, 4, 8, 6, OPTIONS.storage().heapBytes()));
        DpaDevice without = DpaDevice.withoutDpa();
        assertThat(without.capabilities().supported()).isFalse();
        try (HostProcess host = HostProcess.open()) {
            refused(
                    Reason.NOT_SUPPORTED,
                    () -> FlexioProcess.create(host, without, LedgerStub.APP));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SYS-2", "DPA-SYS-3", "DPA-SYS-4"})
    void whatAHostProcessHasMadeGoesWithIt(RunMode mode) {
        HostProcess host = HostProcess.open();
        FlexioProcess process = open(host, mode);
        FlexioEventHandler handler =
                FlexioEventHandler.create(
                        process, LedgerStub.activated, FlexioEventHandler.Attributes.DEFAULT);
        handler.run(process.heap().zeros(8).value());
        assertThat(handler.number()).isNotNegative();

        host.close();
        host.close();
        assertThat(handler.number()).isEqualTo(FlexioObject.NO_NUMBER);
        refused(Reason.HOST_PROCESS_GONE, () -> process.call(LedgerStub.calls()));
        refused(Reason.HOST_PROCESS_GONE, () -> process.heap().allocate(8));
        refused(Reason.HOST_PROCESS_GONE, () -> open(host, mode));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SYS-4")
    void theLatestProcessGoesFirst(RunMode mode) {
        List<Integer> ended = new ArrayList<>();
        DpaDevice device = DpaDevice.of(OPTIONS, mode);
        HostProcess host = HostProcess.open();
        for (int i = 0; i < 3; i++) {
            int number = i;
            Observer observer =
                    new Observer() {
                        @Override
                        public void finished() {
                            ended.add(number);
                        }
                    };
            FlexioProcess.create(
                    host,
                    device,
                    LedgerStub.APP,
                    FlexioProcess.Attributes.DEFAULT.withObserver(observer));
        }
        host.close();
        // Nobody follows a process under FAST.
        if (!(mode instanceof RunMode.Fast)) {
            assertThat(ended).containsExactly(2, 1, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-ERR-24", "DPA-JK-7c", "DPA-SYS-3"})
    void aHostProcessThatClosesStopsWhatRuns(RunMode mode) throws InterruptedException {
        MachineOptions patient = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        HostProcess host = HostProcess.open();
        FlexioProcess process =
                FlexioProcess.create(host, DpaDevice.of(patient, mode), LedgerStub.APP);
        DpaAddr word = process.heap().zeros(8);
        AtomicReference<FlexioException> failure = new AtomicReference<>();
        CountDownLatch counting = new CountDownLatch(1);
        FlexioMsgStream.create(
                process,
                FlexioMsgStream.Attributes.of(Messages.Level.INFO, FlexioMsgStream.Mode.SYNC),
                text -> counting.countDown());
        Thread caller =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                process.call(LedgerStub.count(word));
                            } catch (FlexioException e) {
                                failure.set(e);
                            }
                        });
        counting.await();
        host.close();
        assertThat(caller.join(Duration.ofSeconds(20))).isTrue();
        assertThat(failure.get().reason()).isEqualTo(Reason.HOST_PROCESS_GONE);
        long counted = process.process().peek64(word.value());
        aCallBringsItsResultAndWhatItHasWritten(mode);
        assertThat(process.process().peek64(word.value())).isEqualTo(counted);
    }

    @Test
    @Requirement("DPA-FXP-1")
    void functionsOfAnotherAppAreRefused() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            refused(Reason.NOT_IN_APP, () -> process.call(PrinterStub.finish()));
            refused(
                    Reason.NOT_IN_APP,
                    () -> process.call(new DpaCall<>(LedgerStub.failed, ByteBuffer.allocate(0))));
        }
    }
}
