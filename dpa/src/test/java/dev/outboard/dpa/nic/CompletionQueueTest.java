package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Attributes;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.HandledQueue.Handler;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Rings with an owner bit, overrun, and handlers that are activated.
class CompletionQueueTest {
    private static final String MODES = "dev.outboard.dpa.nic.NicFixture#modes";
    private static final int DEPTH = HandledQueue.DEPTH;
    private static final UnaryOperator<Attributes> PLAIN = UnaryOperator.identity();

    private static List<Rule> rules(Checker checker) {
        return checker.findings().stream().map(Finding::rule).toList();
    }

    /// Entries at random times, as far as there is room.
    private static HandledQueue injected(RunMode mode, long seed) {
        int entries = 10 * DEPTH;
        HandledQueue handled = new HandledQueue(mode, Handler.of(entries), PLAIN);
        SplittableRandom random = new SplittableRandom(seed);
        handled.run(nic -> {
            for (int n = 0; n < entries; n++) {
                handled.awaitTaken(nic, n + 1 - DEPTH);
                for (int i = random.nextInt(20); i > 0; i--) {
                    handled.takeArm(nic);
                }
                handled.add(nic);
            }
            handled.awaitTaken(nic, entries);
        });
        return handled;
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-LIT-41", "DPA-FXE-2", "DPA-FXQ-4", "DPA-FXQ-6"})
    void everyCompletionIsHandledOnceAndInOrder(RunMode mode) {
        for (long seed = 1; seed <= 20; seed++) {
            RunMode one =
                    mode instanceof RunMode.Turns turns && turns.weak().isPresent()
                            ? RunMode.weak(Profile.SEED, seed)
                            : mode instanceof RunMode.Fast
                                    ? mode
                                    : RunMode.check(new Checker(Profile.SEED, false), seed);
            HandledQueue handled = injected(one, seed);
            assertThat(handled.taken()).as("seed %d", seed).isEqualTo(10 * DEPTH);
            assertThat(handled.inOrder()).as("seed %d", seed).isTrue();
            assertThat(handled.activations()).isBetween(1L, 10L * DEPTH + 1);
            assertThat(handled.events).isEmpty();
            assertThat(handled.counters.lostCompletions()).isZero();
            if (one instanceof RunMode.Turns turns && turns.observer() instanceof Checker checker) {
                assertThat(checker.findings()).as("seed %d", seed).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-LIT-42", "DPA-FXE-4"})
    void whoDoesNotArmIsNotActivatedAgain(RunMode mode) {
        HandledQueue handled = new HandledQueue(mode, new Handler(-1, true, false), PLAIN);
        handled.run(nic -> {
            handled.add(nic);
            handled.awaitTaken(nic, 1);
            for (int n = 1; n < DEPTH; n++) {
                for (int i = 0; i < 300; i++) {
                    handled.takeArm(nic);
                }
                handled.add(nic);
            }
        });
        assertThat(handled.activations()).isEqualTo(1);
        assertThat(handled.queue.written()).isEqualTo(DEPTH);
    }

    @Test
    @Requirement("DPA-LIT-42")
    void whoDoesNotArmIsReported() {
        Checker checker = new Checker(Profile.SEED, false);
        RunMode mode = RunMode.check(checker, 1);
        HandledQueue handled = new HandledQueue(mode, new Handler(-1, true, false), PLAIN);
        handled.run(handled::add);
        assertThat(rules(checker)).containsExactly(Rule.UNARMED_RESCHEDULE);
    }

    /// The NIC writes an entry when the handler has armed for it, so that there always is room.
    private static HandledQueue paced(RunMode mode, UnaryOperator<Attributes> attributes) {
        HandledQueue handled =
                new HandledQueue(mode, new Handler(3 * DEPTH, false, true), attributes);
        handled.run(nic -> {
            boolean room = handled.add(nic);
            for (int n = 1; n < 3 * DEPTH && room; n++) {
                while (handled.takeArm(nic) != n) {
                    nic.pause();
                }
                room = handled.add(nic);
            }
        });
        return handled;
    }

    @Test
    @Requirement({"DPA-LIT-43", "DPA-FXQ-2a", "DPA-FXQ-6", "DPA-ERR-20"})
    void anIndexThatIsNotWrittenBackMayOverrunTheQueue() {
        int overruns = 0;
        for (long seed = 1; seed <= 50; seed++) {
            HandledQueue handled = paced(RunMode.weak(Profile.SEED, seed), PLAIN);
            boolean overrun = handled.queue.isInError();
            overruns += overrun ? 1 : 0;
            assertThat(handled.counters.lostCompletions()).isEqualTo(overrun ? 1 : 0);
            if (overrun) {
                assertThat(handled.events)
                        .containsExactly(
                                new AsyncEvent(
                                        AsyncEvent.Kind.COMPLETION_QUEUE_OVERRUN,
                                        handled.queue.number()));
                assertThat(handled.taken()).isLessThan(3 * DEPTH);
            }
            HandledQueue ignoring =
                    paced(
                            RunMode.weak(Profile.SEED, seed),
                            queue -> queue.with(Option.IGNORES_OVERRUN));
            assertThat(ignoring.queue.isInError()).isFalse();
            assertThat(ignoring.taken()).isEqualTo(3 * DEPTH);
        }
        assertThat(overruns).isPositive();
    }

    /// DPA-ERR-20: a queue in error activates nobody, even if it is armed.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXQ-6", "DPA-ERR-20"})
    void anOverrunQueueIsDead(RunMode mode) {
        HandledQueue handled =
                new HandledQueue(mode, Handler.of(-1), plain -> plain.with(Arming.NOT_ARMED));
        handled.armOnce();
        handled.run(nic -> {
            for (int n = 0; n < DEPTH; n++) {
                assertThat(handled.add(nic)).isTrue();
            }
            assertThat(handled.add(nic)).isFalse();
            assertThat(handled.queue.isInError()).isTrue();
            while (handled.takeArm(nic) < 0) {
                nic.pause();
            }
            assertThat(handled.add(nic)).isFalse();
        });
        assertThat(handled.activations()).isZero();
        assertThat(handled.counters.lostCompletions()).isEqualTo(2);
        assertThat(handled.events).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-LIT-44", "DPA-FXE-7"})
    void whoFinishesIsNotActivatedAgain(RunMode mode) {
        HandledQueue handled = new HandledQueue(mode, new Handler(1, true, false), PLAIN);
        handled.run(nic -> {
            handled.add(nic);
            handled.awaitTaken(nic, 1);
            handled.add(nic);
        });
        assertThat(handled.activations()).isEqualTo(1);
        assertThat(handled.taken()).isEqualTo(1);
        if (mode instanceof RunMode.Turns turns && turns.observer() instanceof Checker checker) {
            assertThat(checker.findings()).isEmpty();
        }
    }

    /// Entries that were there before it is armed activate the handler at the arming.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXE-2", "DPA-FXE-4", "DPA-FXE-5", "DPA-FXQ-2a"})
    void aQueueThatIsNotArmedActivatesAtTheArming(RunMode mode) {
        HandledQueue handled =
                new HandledQueue(mode, Handler.of(2), plain -> plain.with(Arming.NOT_ARMED));
        handled.armOnce();
        long[] before = new long[1];
        handled.run(nic -> {
            handled.add(nic);
            handled.add(nic);
            before[0] = handled.activationsSeen(nic);
            handled.awaitTaken(nic, 2);
        });
        assertThat(before[0]).isZero();
        assertThat(handled.activations()).isEqualTo(1);
        assertThat(handled.taken()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXE-4", "DPA-FXQ-2a"})
    void aQueueThatIsAlwaysArmedNeverDisarms(RunMode mode) {
        HandledQueue handled =
                new HandledQueue(
                        mode,
                        new Handler(2 * DEPTH, true, false),
                        plain -> plain.with(Arming.ALWAYS));
        handled.run(nic -> {
            for (int n = 1; n <= 2 * DEPTH; n++) {
                handled.add(nic);
                handled.awaitTaken(nic, n);
            }
        });
        assertThat(handled.taken()).isEqualTo(2 * DEPTH);
        if (mode instanceof RunMode.Turns turns && turns.observer() instanceof Checker checker) {
            assertThat(checker.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-LIT-45", "DPA-FXE-5"})
    void anEntryBetweenTheLastPollAndTheArmActivatesAgain(RunMode mode) {
        LateEntry late = new LateEntry(mode);
        assertThat(late.run().end()).isEqualTo(End.DONE);
        assertThat(late.activations()).isEqualTo(2);
    }

    @Test
    @Requirement("DPA-FXQ-2a")
    void depthsHaveALimit() {
        assertThatThrownBy(() -> Attributes.of(0, 23, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A completion queue has 2^0 to 2^22 entries, not 2^23");
    }
}
