package dev.outboard.fabric.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class EngineTest {
    private static final long NOW = 7_000;

    private final ScriptedMachine machine = new ScriptedMachine();
    private final ScriptedSite site = new ScriptedSite();
    private final Engine engine = new Engine(machine, site);
    private final List<String> log = new ArrayList<>();

    /// A world that stands still until a test moves it.
    private static final class ScriptedSite implements Site {
        final List<Long> waits = new ArrayList<>();
        int wakes;
        long now = NOW;

        /// What happens while somebody sleeps here.
        Runnable meanwhile = () -> {};

        @Override
        public long nowNanos() {
            return now;
        }

        @Override
        public void await(long nanos) {
            waits.add(nanos);
            meanwhile.run();
        }

        @Override
        public void wake() {
            wakes++;
        }
    }

    private final class Bell extends Doorbell {
        final String name;
        boolean waitsForAnswers;

        Bell(String name) {
            this.name = name;
        }

        @Override
        protected void ready() {
            log.add(name + " after " + machine.turns.size() + " turns");
        }

        @Override
        protected boolean isWaitingForAnswers() {
            return waitsForAnswers;
        }
    }

    private static void onAnotherThread(Runnable action) {
        Thread thread = Thread.ofPlatform().daemon().start(action);
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void expectTurn(boolean receives, boolean looks) {
        assertThat(machine.turns)
                .containsExactly(
                        new ScriptedMachine.Turn(Thread.currentThread(), NOW, receives, looks));
    }

    @Test
    void aTurnIsToldTheTimeAndWhetherAThreadLooks() {
        assertThat(engine.nowNanos()).isEqualTo(NOW);
        assertThat(engine.drive(true)).isFalse();
        expectTurn(true, true);

        machine.works = true;
        assertThat(engine.drive(false)).isTrue();
        assertThat(machine.turns.getLast().looks()).isFalse();
    }

    @Test
    void whatIsRungForIsReadyBeforeTheTurnThatSendsIt() {
        engine.ring(new Bell("a"));
        assertThat(log).containsExactly("a after 0 turns");
        expectTurn(false, false);
        assertThat(site.wakes).isZero();
    }

    @Test
    void whatWaitsForAnswersIsLeftToTheNextTurn() {
        Bell first = new Bell("a");
        first.waitsForAnswers = true;
        engine.ring(first);
        engine.ring(first);
        Bell second = new Bell("b");
        second.waitsForAnswers = true;
        engine.ring(second);
        assertThat(machine.turns).isEmpty();
        assertThat(engine.deadlineNanos()).isEqualTo(Long.MIN_VALUE);

        assertThat(engine.drive(false)).isTrue();
        assertThat(log).containsExactlyInAnyOrder("a after 0 turns", "b after 0 turns");
        assertThat(engine.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(engine.drive(false)).isFalse();

        engine.ring(first);
        assertThat(engine.drive(false)).as("it can be rung again").isTrue();
    }

    @Test
    void thePosterTakesTurnsWhileThereIsMore() {
        machine.left = 3;
        engine.ring(new Bell("a"));
        assertThat(machine.turns).hasSize(3);
        assertThat(site.wakes).isZero();
    }

    @Test
    void thePosterLeavesTheRestToWhoeverDrivesNext() {
        machine.left = 100;
        engine.ring(new Bell("a"));
        assertThat(machine.turns).hasSize(4);
        assertThat(site.wakes).isEqualTo(1);
        assertThat(engine.deadlineNanos()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void whatIsRungForInsideATurnIsReadyAtOnce() {
        machine.next =
                () -> {
                    assertThat(engine.isInside()).isTrue();
                    engine.ring(new Bell("a"));
                    assertThat(log).hasSize(1);
                };
        engine.drive(false);
        assertThat(log).containsExactly("a after 1 turns");
        assertThat(machine.turns).hasSize(1);
        assertThat(engine.isInside()).isFalse();
    }

    /// Both find the engine busy; what was posted leaves nevertheless.
    @Test
    void whoeverIsInsideLooksForNewWorkBeforeLeaving() {
        machine.next =
                () ->
                        onAnotherThread(() -> {
                            log.add("drives: " + engine.drive(true));
                            engine.ring(new Bell("a"));
                        });
        assertThat(engine.drive(false)).isTrue();
        assertThat(log).containsExactly("drives: false", "a after 1 turns");
        assertThat(machine.turnsOf(Thread.currentThread())).isEqualTo(2);
        assertThat(machine.turns).hasSize(2);
    }

    @Test
    void whoeverIsInsideTakesNoTurnInATurn() {
        machine.works = true;
        machine.next = () -> assertThat(engine.drive(false)).isFalse();
        assertThat(engine.drive(false)).isTrue();
        assertThat(machine.turns).hasSize(1);
    }

    @Test
    void aTurnThatFailsLeavesTheEngineToOthers() {
        machine.next =
                () -> {
                    throw new IllegalStateException("broken");
                };
        assertThatThrownBy(() -> engine.drive(false)).hasMessage("broken");
        assertThat(engine.isInside()).isFalse();
        machine.works = true;
        assertThat(engine.drive(false)).isTrue();
    }

    @Test
    void anOperationRunsInsideAndIsFollowedBySending() {
        machine.deadlineNanos = NOW + 5;
        boolean inside = engine.exclusively(engine::isInside);
        assertThat(inside).isTrue();
        assertThat(engine.isInside()).isFalse();
        assertThat(machine.finished).containsExactly(NOW);
        assertThat(machine.turns).isEmpty();
        assertThat(engine.deadlineNanos()).isEqualTo(NOW + 5);
        assertThat(site.wakes).isZero();

        engine.exclusively(() -> log.add("ran"));
        engine.exclusively((Runnable) () -> log.add("ran too"));
        assertThat(log).containsExactly("ran", "ran too");
    }

    @Test
    void whatAnOperationLeavesToDoIsDoneOnce() {
        engine.exclusively(() -> machine.left = 1);
        assertThat(machine.turns).hasSize(1);
        assertThat(site.wakes).isZero();

        engine.exclusively(() -> machine.left = 2);
        assertThat(machine.turns).hasSize(2);
        assertThat(site.wakes).as("somebody must do the rest").isEqualTo(1);
    }

    @Test
    void whatIsRungForDuringAnOperationLeavesAfterIt() {
        engine.exclusively(() -> onAnotherThread(() -> engine.ring(new Bell("a"))));
        assertThat(log).containsExactly("a after 0 turns");
        expectTurn(true, false);
    }

    @Test
    void anOperationThatFailsLeavesTheEngineToOthers() {
        assertThatThrownBy(() ->
                        engine.exclusively(
                                (Runnable)
                                        () -> {
                                            throw new IllegalStateException("broken");
                                        }))
                .hasMessage("broken");
        assertThat(engine.isInside()).isFalse();
        engine.drive(false);
        expectTurn(true, false);
    }

    @Test
    void anOperationInsideATurnIsRefused() {
        machine.next =
                () ->
                        assertThatThrownBy(() -> engine.exclusively(() -> log.add("ran")))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("a control operation was called from inside");
        engine.drive(false);
        assertThat(machine.turns).hasSize(1);
        assertThat(log).isEmpty();
        engine.requireOutside("anything");
    }

    private void somebodyIsInsideUntil(CountDownLatch mayLeave) {
        machine.next =
                () -> {
                    try {
                        mayLeave.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                };
        Thread driver = Thread.ofPlatform().daemon().start(() -> engine.drive(false));
        Eventually.until(() -> driver.getState() == Thread.State.WAITING);
    }

    @Test
    void anOperationWaitsForTheTurnToEnd() throws Exception {
        CountDownLatch mayLeave = new CountDownLatch(1);
        somebodyIsInsideUntil(mayLeave);
        FutureTask<Integer> operation =
                new FutureTask<>(() -> engine.exclusively(machine.finished::size));
        Thread waiting = Thread.ofPlatform().daemon().start(operation);
        Eventually.until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        assertThat(operation.isDone()).isFalse();

        mayLeave.countDown();
        assertThat(operation.get()).isZero();
    }

    @Test
    void aSleepLastsUntilTheDeadlineAtMost() {
        engine.sleep(1_000);
        machine.deadlineNanos = NOW + 300;
        engine.drive(false);
        engine.sleep(1_000);
        engine.sleep(200);
        assertThat(site.waits).containsExactly(1_000L, 300L, 200L);
    }

    /// What comes meanwhile, or is due, would end a sleep again and again, and the sleeper would
    /// keep the one inside from the processor.
    @Test
    void aSleepLastsUntilTheOneInsideLeaves() throws Exception {
        CountDownLatch mayLeave = new CountDownLatch(1);
        machine.deadlineNanos = NOW - 1;
        engine.drive(false);
        somebodyIsInsideUntil(mayLeave);
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> engine.sleep(Long.MAX_VALUE));
        Eventually.until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);

        mayLeave.countDown();
        sleeper.join();
        assertThat(site.waits).isEmpty();
    }

    @Test
    void wakingEndsASleepAlsoWhileSomebodyIsInside() throws Exception {
        CountDownLatch mayLeave = new CountDownLatch(1);
        somebodyIsInsideUntil(mayLeave);
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> engine.sleep(Long.MAX_VALUE));
        Eventually.until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);

        engine.wake();
        sleeper.join();
        mayLeave.countDown();
    }

    @Test
    void aSleepMayBeLongerThanAnyClockReaches() {
        engine.sleep(Long.MAX_VALUE);
        assertThat(site.waits).singleElement().satisfies(nanos -> assertThat(nanos).isPositive());
    }

    @Test
    void nobodySleepsWhileThereIsSomethingToDo() {
        engine.sleep(0);
        machine.deadlineNanos = NOW;
        engine.drive(false);
        engine.sleep(1_000);
        machine.deadlineNanos = Long.MAX_VALUE;

        machine.left = 2;
        engine.drive(false);
        engine.sleep(1_000);
        engine.drive(false);

        Bell bell = new Bell("a");
        bell.waitsForAnswers = true;
        engine.ring(bell);
        engine.sleep(1_000);
        assertThat(site.waits).isEmpty();
    }

    @Test
    void whileSomethingWaitsForAnotherTurnNobodySleeps() {
        machine.isDeferring = true;
        engine.drive(true);
        assertThat(engine.deadlineNanos()).isEqualTo(Long.MIN_VALUE);
        engine.sleep(1_000);
        assertThat(site.waits).isEmpty();

        machine.isDeferring = false;
        engine.drive(true);
        site.meanwhile =
                () -> {
                    machine.isDeferring = true;
                    engine.drive(true);
                    engine.drive(true);
                };
        engine.sleep(1_000);
        assertThat(site.waits).hasSize(1);
        assertThat(site.wakes).isEqualTo(1);
    }

    /// The one that polls may have got what it wants, and not come back.
    @Test
    void whatATurnLeavesToDoWakesTheSleeper() {
        site.meanwhile =
                () -> {
                    machine.left = 2;
                    engine.drive(true);
                };
        engine.sleep(1_000);
        assertThat(site.wakes).isEqualTo(1);

        engine.drive(true);
        machine.left = 2;
        engine.drive(true);
        assertThat(site.wakes).as("nobody sleeps").isEqualTo(1);
    }

    @Test
    void onlyADeadlineThatCameCloserWakesTheSleeper() {
        machine.deadlineNanos = NOW + 500;
        engine.drive(false);
        site.meanwhile =
                () -> {
                    for (long deadline : new long[] {NOW + 700, NOW + 500}) {
                        machine.deadlineNanos = deadline;
                        engine.drive(false);
                    }
                    assertThat(site.wakes).isZero();
                    machine.deadlineNanos = NOW + 499;
                    engine.drive(false);
                    assertThat(site.wakes).isEqualTo(1);
                    engine.drive(false);
                };
        engine.sleep(1_000);
        machine.deadlineNanos = NOW + 100;
        engine.drive(false);
        assertThat(site.waits).containsExactly(500L);
        assertThat(site.wakes).as("nobody sleeps any more").isEqualTo(1);

        engine.wake();
        assertThat(site.wakes).isEqualTo(2);
    }

    /// Nobody would come back for it but the sleeper, who would have to be woken.
    @Test
    void whileSomebodySleepsNothingIsLeftForTheNextTurn() {
        site.meanwhile = () -> engine.drive(true);
        engine.sleep(1_000);
        expectTurn(true, false);
    }

    @Test
    void aClosedEngineTakesNoTurn() {
        engine.exclusively(engine::close);
        assertThat(machine.finished).isEmpty();
        machine.works = true;
        assertThat(engine.drive(false)).isFalse();
        engine.ring(new Bell("a"));
        assertThat(machine.turns).isEmpty();
        assertThat(log).isEmpty();
    }
}
