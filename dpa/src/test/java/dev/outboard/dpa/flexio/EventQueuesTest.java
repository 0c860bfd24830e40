package dev.outboard.dpa.flexio;

import static dev.outboard.dpa.flexio.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.Moderation;
import dev.outboard.dpa.nic.Moderation.Mode;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.EventEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What completion queues tell of their entries, and how often: event queues, interrupts and
/// handlers.
class EventQueuesTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final int LOG_DEPTH = 4;
    private static final int DEPTH = 1 << LOG_DEPTH;
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final List<Checker> checkers = new ArrayList<>();
    private final HostProcess host = HostProcess.open();

    @AfterEach
    void close() {
        host.close();
    }

    /// What is found wrong with all processes.
    private List<Rule> findings() {
        return checkers.stream()
                .flatMap(checker -> checker.findings().stream())
                .map(Finding::rule)
                .toList();
    }

    static List<RunMode> modes() {
        return FlexioQueuesTest.modes();
    }

    static List<RunMode> modesInTurns() {
        return modes().stream().filter(RunMode.Turns.class::isInstance).toList();
    }

    private FlexioProcess open(RunMode mode) {
        Checker checker = new Checker(Profile.SEED, false);
        checkers.add(checker);
        return FlexioProcess.create(
                host,
                DpaDevice.of(OPTIONS, mode),
                BellsStub.APP,
                FlexioProcess.Attributes.DEFAULT.withObserver(checker));
    }

    /// Of a queue whose entries nobody takes.
    private static FlexioCq.Attributes queue(FlexioProcess process) {
        return FlexioCq.Attributes.of(
                        process.heap().zeros(CompletionEntry.BYTES << LOG_DEPTH),
                        LOG_DEPTH,
                        process.heap().zeros(64))
                .with(Option.IGNORES_OVERRUN)
                .with(Arming.ALWAYS);
    }

    private static DpaAddr ring(FlexioProcess process) {
        return process.heap().zeros(EventEntry.BYTES << LOG_DEPTH);
    }

    private static void trigger(FlexioProcess process, FlexioOutbox outbox, FlexioCq queue, int n) {
        process.call(BellsStub.trigger(outbox.number(), queue.number(), n));
    }

    private static QueueStatus status(FlexioProcess process, FlexioObject queue) {
        return process.status().queues().stream()
                .filter(status -> status.number() == queue.number())
                .findAny()
                .orElseThrow();
    }

    /// Waits for entries; in turns each call lets the NIC go on.
    private static void awaitWritten(
            FlexioProcess process, FlexioObject queue, long entries, DpaAddr word) {
        Eventually.until(() -> {
            process.call(BellsStub.look(word));
            return status(process, queue).written() == entries;
        });
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-2c", "DPA-FXQ-3", "DPA-FXQ-4", "DPA-FXO-6"})
    void anEventQueueTellsWhichOfManyQueuesHaveEntries(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            DpaAddr ring = ring(process);
            FlexioEq events = FlexioEq.create(process, FlexioEq.Attributes.of(ring, LOG_DEPTH));
            FlexioCq first = FlexioCq.create(process, queue(process).reporting(events));
            FlexioCq second = FlexioCq.create(process, queue(process).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            int taken = 0;
            // More than twice around.
            while (taken < 3 * DEPTH) {
                trigger(process, outbox, first, 3);
                trigger(process, outbox, second, 2);
                long sum =
                        process.call(
                                BellsStub.take(
                                        outbox.number(),
                                        events.number(),
                                        ring,
                                        LOG_DEPTH,
                                        taken,
                                        5));
                assertThat(sum).isEqualTo(3L * first.number() + 2L * second.number());
                taken += 5;
            }
            assertThat(status(process, events).kind()).isEqualTo(QueueStatus.Kind.EVENT_QUEUE);
            awaitWritten(process, events, taken, process.heap().zeros(8));
            assertThat(process.status().discards().events()).isZero();
            refused(Reason.IN_USE, events::close);
            first.close();
            second.close();
            events.close();
        }
        assertThat(findings()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-2c", "DPA-FXO-6", "DPA-SYS-9"})
    void anEventQueueOfTheHostInterruptsItWhenItIsArmed(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioBuffer memory =
                    FlexioBuffer.create(
                            process, "events", ExternalKind.HOST, EventEntry.BYTES << LOG_DEPTH);
            FlexioMsix vector = FlexioMsix.create(process);
            FlexioEq events =
                    FlexioEq.create(
                            process,
                            FlexioEq.Attributes.of(memory.address(), LOG_DEPTH)
                                    .interrupting(vector));
            FlexioCq queue = FlexioCq.create(process, queue(process).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            DpaAddr word = process.heap().zeros(8);
            trigger(process, outbox, queue, 1);
            awaitWritten(process, events, 1, word);
            // It was not armed.
            assertThat(vector.await(SHORT)).isFalse();
            // It is, and its entry is there already.
            events.arm(0);
            assertThat(vector.await(LONG)).isTrue();
            long entry = memory.address().value();
            boolean isReady = process.onHost(own -> EventEntry.isReady(own, entry, 0, LOG_DEPTH));
            assertThat(isReady).isTrue();
            int number = process.onHost(own -> EventEntry.queueNumber(own, entry));
            assertThat(number).isEqualTo(queue.number());
            // Once for each time that it is armed, by the host or by a thread.
            trigger(process, outbox, queue, 1);
            awaitWritten(process, events, 2, word);
            assertThat(vector.await(SHORT)).isFalse();
            process.call(BellsStub.rearm(outbox.number(), events.number(), 2));
            trigger(process, outbox, queue, 2);
            assertThat(vector.await(LONG)).isTrue();
            assertThat(vector.await(SHORT)).isFalse();
            refused(Reason.IN_USE, vector::close);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2c")
    void anEventQueueThatNobodyReadsOverruns(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            DpaAddr ring = ring(process);
            FlexioEq events = FlexioEq.create(process, FlexioEq.Attributes.of(ring, LOG_DEPTH));
            FlexioCq queue = FlexioCq.create(process, queue(process).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            DpaAddr word = process.heap().zeros(8);
            trigger(process, outbox, queue, DEPTH + 3);
            awaitWritten(process, queue, DEPTH + 3, word);
            assertThat(status(process, events).written()).isEqualTo(DEPTH);
            assertThat(status(process, events).error()).isTrue();
            assertThat(process.status().discards().events()).isEqualTo(3);
            // Also if there is room again.
            process.call(
                    BellsStub.take(outbox.number(), events.number(), ring, LOG_DEPTH, 0, DEPTH));
            trigger(process, outbox, queue, 1);
            awaitWritten(process, queue, DEPTH + 4, word);
            assertThat(process.status().discards().events()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-2c", "DPA-FXO-6"})
    void aQueueOfAnEmulatedDeviceInterruptsTheHost(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioMsix vector = FlexioMsix.create(process);
            FlexioMsix other = FlexioMsix.create(process);
            FlexioCq queue = FlexioCq.create(process, queue(process).interrupting(vector));
            FlexioCq armedOnce =
                    FlexioCq.create(process, queue(process).with(Arming.ARMED).interrupting(other));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            trigger(process, outbox, queue, 3);
            trigger(process, outbox, armedOnce, 3);
            for (int i = 0; i < 3; i++) {
                assertThat(vector.await(LONG)).isTrue();
            }
            assertThat(vector.await(SHORT)).isFalse();
            assertThat(other.await(LONG)).isTrue();
            assertThat(other.await(SHORT)).isFalse();
            armedOnce.arm(3);
            trigger(process, outbox, armedOnce, 1);
            assertThat(other.await(LONG)).isTrue();
        }
        assertThat(findings()).isEmpty();
    }

    /// What is told by an interrupt has to leave the window before it.
    @ParameterizedTest
    @MethodSource("modesInTurns")
    @Requirement({"DPA-FXQ-2c", "DPA-CHK-2"})
    void dataBeforeAnInterruptAreWrittenBack(RunMode mode) {
        for (boolean pushed : new boolean[] {true, false}) {
            try (FlexioProcess process = open(mode)) {
                FlexioBuffer memory =
                        FlexioBuffer.create(process, "answers", ExternalKind.HOST, 4096);
                FlexioMkey key =
                        FlexioMkey.create(process.domain(), memory, 0, 4096, Access.LOCAL_WRITE);
                FlexioWindow window = FlexioWindow.create(process, process.domain());
                FlexioMsix vector = FlexioMsix.create(process);
                FlexioCq queue = FlexioCq.create(process, queue(process).interrupting(vector));
                FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
                process.call(
                        BellsStub.tell(
                                outbox.number(),
                                queue.number(),
                                window.number(),
                                key.number(),
                                memory.address(),
                                pushed));
                assertThat(vector.await(LONG)).isTrue();
                long word = process.onHost(own -> own.load64(memory.address().value()));
                if (pushed) {
                    assertThat(word).isEqualTo(42);
                    assertThat(findings()).isEmpty();
                }
            }
        }
        assertThat(findings()).containsExactly(Rule.MISSING_WINDOW_WRITEBACK);
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXQ-2c", "DPA-FXE-4"})
    void anEntryWithoutContentActivatesTheHandlerOfAQueue(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(
                            process, BellsStub.count, FlexioEventHandler.Attributes.DEFAULT);
            FlexioCq.Attributes attributes = queue(process).with(Arming.ARMED).activating(handler);
            FlexioCq queue = FlexioCq.create(process, attributes);
            DpaAddr count = process.heap().zeros(8);
            handler.run(count.value());
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            trigger(process, outbox, queue, 1);
            Eventually.until(() -> process.call(BellsStub.look(count)) == 1);
            byte[] entry = process.heap().copyOut(attributes.ring(), CompletionEntry.BYTES);
            assertThat(entry).containsOnly(0);
        }
    }

    /// A queue without an element is polled, and tells nobody.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2c")
    void aQueueWithoutAnElementTellsNobody(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioCq queue = FlexioCq.create(process, queue(process));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            trigger(process, outbox, queue, 2);
            queue.arm(0);
            awaitWritten(process, queue, 2, process.heap().zeros(8));
            assertThat(process.status().queues()).hasSize(1);
            assertThat(process.errorState()).isEqualTo(FlexioErrorState.NONE);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-FXO-4a", "DPA-FXO-7", "DPA-FXQ-2c"})
    void otherProcessesAndUarsAreNotTold(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioEq events =
                    FlexioEq.create(process, FlexioEq.Attributes.of(ring(process), LOG_DEPTH));
            FlexioCq queue = FlexioCq.create(process, queue(process).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, FlexioUar.create(process));
            trigger(process, outbox, queue, 1);
            process.call(BellsStub.rearm(outbox.number(), events.number(), 0));
            FlexioErrorState state = process.awaitError(LONG);
            assertThat(state.kind()).isEqualTo(Kind.USER);
            Eventually.until(() -> {
                process.call(BellsStub.look(process.heap().zeros(8)));
                return process.status().discards().foreignDoorbells() == 2;
            });
            assertThat(status(process, queue).written()).isZero();
            FlexioProcess other = open(mode);
            refused(Reason.FOREIGN, () -> FlexioCq.create(other, queue(other).reporting(events)));
            FlexioMsix vector = FlexioMsix.create(process);
            refused(
                    Reason.FOREIGN,
                    () -> FlexioCq.create(other, queue(other).interrupting(vector)));
            refused(
                    Reason.FOREIGN,
                    () ->
                            FlexioEq.create(
                                    other,
                                    FlexioEq.Attributes.of(ring(other), LOG_DEPTH)
                                            .interrupting(vector)));
            vector.close();
            refused(Reason.DESTROYED, () -> vector.await(SHORT));
            refused(
                    Reason.BAD_ARGUMENT,
                    () -> FlexioEq.create(other, FlexioEq.Attributes.of(ring(other), 23)));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2c")
    void moderationMakesOneEventOfManyEntries(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioEq events =
                    FlexioEq.create(process, FlexioEq.Attributes.of(ring(process), LOG_DEPTH));
            FlexioCq queue = FlexioCq.create(process, queue(process).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            DpaAddr word = process.heap().zeros(8);
            assertThat(queue.moderation()).isEqualTo(Moderation.NONE);
            Moderation four = new Moderation(4, 0, Mode.EVENT);
            queue.moderate(four);
            assertThat(queue.moderation()).isEqualTo(four);
            trigger(process, outbox, queue, 11);
            awaitWritten(process, queue, 11, word);
            assertThat(status(process, events).written()).isEqualTo(2);
            trigger(process, outbox, queue, 1);
            awaitWritten(process, events, 3, word);
            // Those that wait are told when it ends.
            trigger(process, outbox, queue, 2);
            awaitWritten(process, queue, 14, word);
            assertThat(status(process, events).written()).isEqualTo(3);
            queue.moderate(Moderation.NONE);
            assertThat(status(process, events).written()).isEqualTo(4);
        }
    }

    /// A queue that is armed again for entries that it has written counts those.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2c")
    void moderationTakesThatAQueueIsArmed(RunMode mode) {
        try (FlexioProcess process = open(mode)) {
            FlexioEq events =
                    FlexioEq.create(process, FlexioEq.Attributes.of(ring(process), LOG_DEPTH));
            FlexioCq queue =
                    FlexioCq.create(
                            process, queue(process).with(Arming.NOT_ARMED).reporting(events));
            FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
            DpaAddr word = process.heap().zeros(8);
            queue.moderate(new Moderation(3, 0, Mode.EVENT));
            trigger(process, outbox, queue, 4);
            awaitWritten(process, queue, 4, word);
            assertThat(status(process, events).written()).isZero();
            // Two of the four have been taken.
            queue.arm(2);
            trigger(process, outbox, queue, 1);
            awaitWritten(process, events, 1, word);
            trigger(process, outbox, queue, 5);
            awaitWritten(process, queue, 10, word);
            assertThat(status(process, events).written()).isEqualTo(1);
        }
    }

    /// Without more entries the time makes an event of those that wait.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-FXQ-2c")
    void moderationMakesAnEventInTime(RunMode mode) {
        for (Mode from : Mode.values()) {
            try (FlexioProcess process = open(mode)) {
                FlexioMsix vector = FlexioMsix.create(process);
                FlexioCq queue = FlexioCq.create(process, queue(process).interrupting(vector));
                FlexioOutbox outbox = FlexioOutbox.create(process, process.uar());
                queue.moderate(new Moderation(10, 60_000, from));
                long begin = System.nanoTime();
                trigger(process, outbox, queue, 6);
                if (mode instanceof RunMode.Turns && from == Mode.ENTRY) {
                    // Virtual time passes while the host waits for it, and no further.
                    assertThat(vector.await(Duration.ofMillis(29))).isFalse();
                    assertThat(vector.await(Duration.ofMillis(29))).isFalse();
                }
                assertThat(vector.await(LONG)).isTrue();
                // The first entry comes long after any event.
                if (from == Mode.EVENT) {
                    assertThat(vector.await(LONG)).isTrue();
                }
                if (mode instanceof RunMode.Fast) {
                    assertThat(System.nanoTime() - begin).isGreaterThan(59_000_000L);
                } else {
                    assertThat(vector.await(SHORT)).isFalse();
                }
                trigger(process, outbox, queue, 2);
                assertThat(vector.await(LONG)).isTrue();
                // One that waits for its time can go.
                trigger(process, outbox, queue, 1);
                queue.close();
            }
        }
    }

    @Test
    @Requirement("DPA-FXQ-2c")
    void moderationHasLimits() {
        assertThatThrownBy(() -> new Moderation(65536, 0, Mode.EVENT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "A completion queue makes an event of 0 to 65535 entries or in 0 to 65535 us,"
                                + " not of 65536 entries or in 0 us");
        assertThatThrownBy(() -> new Moderation(0, -1, Mode.ENTRY))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
