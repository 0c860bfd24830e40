package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.LogRecorder.recording;
import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.Affinity;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Queues, handlers and outboxes that a host makes for a process that lives.
class FlexioQueuesTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    private final Checker checker = new Checker(Profile.SEED, false);

    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(Observer.NONE, 1),
                RunMode.weak(Profile.SEED, 2),
                RunMode.checkWeak(Observer.NONE, Profile.PARANOID, 3));
    }

    private FlexioProcess open(HostProcess host, RunMode mode) {
        return open(host, DpaDevice.of(OPTIONS, mode));
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(EchoStub.APP, modes());
    }

    private FlexioProcess open(HostProcess host, Form form) {
        return FlexioProcess.create(
                host,
                DpaDevice.of(OPTIONS, form.mode()),
                form.app(),
                FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    private FlexioProcess open(HostProcess host, DpaDevice device) {
        return FlexioProcess.create(
                host, device, EchoStub.APP, FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    private static FlexioEventHandler handler(FlexioProcess process) {
        return FlexioEventHandler.create(process, EchoStub.echo, Attributes.DEFAULT);
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXE-1", "DPA-FXE-6", "DPA-FXO-1", "DPA-SYS-7"})
    void aHandlerAnswersWhatCallsOfTheHostSend(Form form) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, form)) {
            FlexioEventHandler handler = handler(process);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            EchoSide client = new EchoSide(process, Optional.empty());
            server.pair.connect(client.pair);
            handler.run(server.context.value());

            for (long word = 1; word <= 40; word++) {
                assertThat(process.call(EchoStub.call(client.context, 7 * word)))
                        .isEqualTo(7 * word);
            }
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
        assertThat(checker.findings()).isEmpty();
    }

    /// The host has one side of the data plane to itself, and a handler the other.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SYS-9", "DPA-FXQ-1a", "DPA-FXQ-1b"})
    void hostAndDpaShareTheNic(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            for (ExternalKind kind : List.of(ExternalKind.HOST, ExternalKind.ARM)) {
                FlexioEventHandler handler = handler(process);
                EchoSide server = new EchoSide(process, Optional.of(handler));
                HostSide client = new HostSide(process, kind);
                server.pair.connect(client.pair);
                handler.run(server.context.value());

                for (long word = 1; word <= 10; word++) {
                    assertThat(client.call(3 * word)).isEqualTo(3 * word);
                }
                assertThat(EchoSide.word(process, server, Echo.ECHOED)).isEqualTo(10);
            }
        }
        assertThat(checker.findings()).isEmpty();
    }

    /// Both ends of a queue are the host's, but for what its messages activate.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SYS-9", "DPA-FXE-4"})
    void theHostArmsWhatActivatesAHandler(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr flag = process.heap().zeros(8);
            FlexioEventHandler handler =
                    FlexioEventHandler.create(process, EchoStub.note, Attributes.DEFAULT);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            server.pair.connect(server.pair);
            handler.run(flag.value());
            // The first entry activates it, and nothing arms the queue again.
            process.call(EchoStub.send(server.context, 1));
            awaitNotes(process, flag, 1);
            process.call(EchoStub.send(server.context, 2));
            for (int i = 0; i < 50; i++) {
                process.call(EchoStub.hasOutbox(0));
            }
            awaitNotes(process, flag, 1);
            server.completions.arm(2);
            awaitNotes(process, flag, 2);
        }
    }

    private static void awaitNotes(FlexioProcess process, DpaAddr flag, long expected) {
        Eventually.until(() -> process.call(EchoStub.look(flag)) == expected);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXE-3")
    void whatComesBeforeAHandlerRunsActivatesItThen(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioEventHandler handler = handler(process);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            EchoSide client = new EchoSide(process, Optional.empty());
            server.pair.connect(client.pair);
            process.call(EchoStub.send(client.context, 5));
            for (int i = 0; i < 100; i++) {
                process.call(EchoStub.hasOutbox(0));
                assertThat(EchoSide.word(process, server, Echo.ECHOED)).isZero();
            }
            handler.run(server.context.value());
            assertThat(process.call(EchoStub.receive(client.context))).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXO-4a", "DPA-FXO-7", "DPA-ERR-8", "DPA-LIT-49"})
    void aDoorbellOfAForeignQueueIsDroppedAndTold(RunMode mode) {
        try (HostProcess host = HostProcess.open()) {
            DpaDevice device = DpaDevice.of(OPTIONS, mode);
            FlexioProcess process = open(host, device);
            EchoSide own = new EchoSide(process, Optional.empty());
            FlexioProcess other =
                    FlexioProcess.create(
                            host,
                            device,
                            EchoStub.APP,
                            FlexioProcess.Attributes.DEFAULT.withObserver(
                                    new Checker(Profile.SEED, false)));
            EchoSide foreign = new EchoSide(other, Optional.empty());

            assertThat(process.call(EchoStub.ring(own.context, foreign.pair.number())))
                    .isEqualTo(1);
            FlexioErrorState state = process.awaitError(Duration.ofSeconds(5));
            assertThat(state.kind()).isEqualTo(Kind.USER);
            assertThat(state.text()).contains("0x%x".formatted(foreign.pair.number()));
            assertThat(other.errorState()).isEqualTo(FlexioErrorState.NONE);
            // Whoever rang goes on.
            assertThat(process.call(EchoStub.hasOutbox(own.outbox.number()))).isEqualTo(1);
            assertThat(process.call(EchoStub.hasOutbox(foreign.outbox.number()))).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXO-4a", "DPA-LIT-51"})
    void anOutboxOfAnotherUarRingsNothing(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            EchoSide side = new EchoSide(process, Optional.empty());
            side.pair.connect(side.pair);
            assertThat(process.call(EchoStub.call(side.context, 3))).isEqualTo(3);
            int completions = completions(process, side);
            assertThat(completions).isEqualTo(2);

            FlexioOutbox outbox = FlexioOutbox.create(process, FlexioUar.create(process));
            process.heap().copyIn(side.context, EchoSide.bytes(outbox.number()));
            process.call(EchoStub.send(side.context, 4));
            FlexioErrorState state = process.awaitError(Duration.ofSeconds(5));
            assertThat(state.kind()).isEqualTo(Kind.USER);
            assertThat(state.text()).contains("0x%x".formatted(side.pair.number()));
            for (int i = 0; i < 50; i++) {
                process.call(EchoStub.hasOutbox(0));
            }
            assertThat(completions(process, side)).isEqualTo(completions);
        }
    }

    /// How many entries of the first round the NIC has written: it writes the owner bit 0 then.
    private static int completions(FlexioProcess process, EchoSide side) {
        int count = 0;
        for (int i = 0; i < 1 << Echo.LOG_COMPLETIONS; i++) {
            DpaAddr owner = side.completionRing.plus(64L * i + 63);
            count += (process.heap().copyOut(owner, 1)[0] & 1) == 0 ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SYS-12a", "DPA-FXP-6"})
    void whatOthersUseIsNotDestroyed(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioEventHandler handler = handler(process);
            EchoSide server = new EchoSide(process, Optional.of(handler));
            handler.run(server.context.value());
            inUse(handler);
            inUse(server.completions);
            inUse(process.uar());
            assertThat(server.completions.number()).isNotNegative();

            server.pair.close();
            server.pair.close();
            assertThat(server.pair.number()).isEqualTo(FlexioObject.NO_NUMBER);
            server.completions.close();
            handler.close();
            server.outbox.close();
            server.key.close();
            assertThat(handler.number()).isEqualTo(FlexioObject.NO_NUMBER);
            refused(Reason.DESTROYED, () -> handler.run(0));
            refused(Reason.DESTROYED, () -> server.pair.connect(server.pair));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-11a", "DPA-FXQ-11c"})
    void eachObjectHasANumberWhileItLives(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioEventHandler first = handler(process);
            FlexioEventHandler second = handler(process);
            assertThat(second.number()).isEqualTo(first.number() + 1);
            EchoSide side = new EchoSide(process, Optional.empty());
            FlexioUar uar = FlexioUar.create(process);
            FlexioWindow window = FlexioWindow.create(process, process.domain());
            List<FlexioObject> objects =
                    List.of(side.pair, side.completions, side.outbox, side.key, uar, window);
            assertThat(objects)
                    .extracting(FlexioObject::number)
                    .doesNotHaveDuplicates()
                    .allMatch(number -> number > 0);
            // The number of the pair is the one that completions and doorbells name.
            side.pair.connect(side.pair);
            assertThat(process.call(EchoStub.call(side.context, 1))).isEqualTo(1);
            objects.forEach(FlexioObject::close);
            second.close();
            assertThat(objects).extracting(FlexioObject::number).containsOnly(0xFFFF_FFFF);
            assertThat(second.number()).isEqualTo(0xFFFF_FFFF);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-1a")
    void aQueuePairTellsItsState(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            EchoSide side = new EchoSide(process, Optional.empty());
            assertThat(side.outbox.uar()).isEqualTo(process.uar());
            assertThat(side.pair.state()).isEqualTo(QueuePairState.RESET);
            side.pair.connect(side.pair);
            assertThat(side.pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
            side.key.close();
            // The entry names a key that is gone.
            process.call(EchoStub.send(side.context, 1));
            Eventually.until(() -> {
                process.call(EchoStub.hasOutbox(0));
                return side.pair.state() == QueuePairState.ERROR;
            });
            side.pair.close();
            refused(Reason.DESTROYED, side.pair::state);
        }
    }

    /// What is not made uses nothing.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SYS-12a")
    void whatIsRefusedKeepsNobodyFromClosing(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            EchoSide side = new EchoSide(process, Optional.empty());
            side.pair.close();
            FlexioQp.Send send = new FlexioQp.Send(side.completionRing, 2, side.completions);
            assertThatThrownBy(() -> process.call(EchoStub.look(new DpaAddr(8))))
                    .isInstanceOf(FlexioException.class);
            assertThatThrownBy(() -> FlexioSq.create(process, send, 0, process.uar()))
                    .isInstanceOf(FlexioException.class);
            side.completions.close();
            assertThat(side.completions.number()).isEqualTo(FlexioObject.NO_NUMBER);
        }
    }

    private static void inUse(FlexioObject object) {
        refused(Reason.IN_USE, object::close);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SYS-5")
    void objectsOfAnotherProcessAreRefused(RunMode mode) {
        try (HostProcess host = HostProcess.open()) {
            DpaDevice device = DpaDevice.of(OPTIONS, mode);
            FlexioProcess process = open(host, device);
            FlexioProcess other =
                    FlexioProcess.create(
                            host,
                            device,
                            EchoStub.APP,
                            FlexioProcess.Attributes.DEFAULT.withObserver(
                                    new Checker(Profile.SEED, false)));
            EchoSide own = new EchoSide(process, Optional.empty());
            refused(Reason.FOREIGN, () -> FlexioOutbox.create(other, process.uar()));
            refused(Reason.FOREIGN, () -> FlexioWindow.create(other, process.domain()));
            refused(Reason.FOREIGN, () -> new EchoSide(other, Optional.of(handler(process))));
            EchoSide theirs = new EchoSide(other, Optional.empty());
            refused(Reason.FOREIGN, () -> own.pair.connect(theirs.pair));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SYS-12c")
    void aProcessThatGoesTakesItsObjectsWithItAndSaysSo(RunMode mode) {
        List<String> log = new ArrayList<>();
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess process = open(host, mode);
            recording(FlexioProcess.class, log::add, () -> aProcessGoes(process, log));
        }
    }

    private static void aProcessGoes(FlexioProcess process, List<String> log) {
        FlexioEventHandler handler = handler(process);
        EchoSide side = new EchoSide(process, Optional.of(handler));
        String number = side.pair.toString();
        handler.run(side.context.value());
        process.close();
        assertThat(side.pair.number()).isEqualTo(FlexioObject.NO_NUMBER);
        assertThat(log).contains(number + " goes with process of app echo");
        assertThat(log).hasSize(5);
        // The latest first.
        assertThat(log.getFirst()).startsWith("outbox");
        assertThat(log.getLast()).startsWith("event handler");
    }

    @Test
    @Requirement({"DPA-FXE-14", "DPA-HW-4"})
    void aHandlerIsRefusedThatCannotBe() {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, RunMode.fast())) {
            DpaAddr none = new DpaAddr(0);
            refused(
                    Reason.NOT_SUPPORTED,
                    () -> create(process, EchoStub.echo, new Attributes(none, Affinity.ANY, true)));
            refused(
                    Reason.BAD_ARGUMENT,
                    () ->
                            create(
                                    process,
                                    EchoStub.echo,
                                    new Attributes(none, new Affinity.Strict(7), false)));
            refused(Reason.NOT_IN_APP, () -> create(process, EchoStub.call, Attributes.DEFAULT));
            refused(
                    Reason.NOT_IN_APP,
                    () -> create(process, LedgerStub.activated, Attributes.DEFAULT));
            FlexioProcess ledger =
                    FlexioProcess.create(
                            host, DpaDevice.of(OPTIONS, RunMode.fast()), LedgerStub.APP);
            refused(Reason.BAD_ARGUMENT, () -> create(ledger, LedgerStub.many, Attributes.DEFAULT));
            refused(
                    Reason.BAD_ARGUMENT,
                    () ->
                            FlexioCq.create(
                                    process,
                                    FlexioCq.Attributes.of(process.heap().zeros(64), 23, none)));
        }
    }

    private static FlexioEventHandler create(
            FlexioProcess process, DpaFunction<DpaThread> function, Attributes attributes) {
        return FlexioEventHandler.create(process, function, attributes);
    }
}
