package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What one turn of a network card does, queue pair by queue pair.
class NicTurnTest {
    private static final int PER_TURN = 32;
    private static final int BACKLOG = 64;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long PAUSE_NANOS = 20_000;
    private static final int MANY = 100;
    private static final Gid LOCAL = Gid.ofIpv4(0x0A00_0001);
    private static final Path PATH = new Path(LOCAL, Gid.ofIpv4(0x0A00_0002), 4791, 0);
    private static final Path OTHER_PATH = new Path(LOCAL, Gid.ofIpv4(0x0A00_0003), 4791, 0);

    private final ScriptedLink link = new ScriptedLink();
    private final NicMachine nic =
            new NicMachine(
                    CmConfiguration.of(
                            CaGuid.random(new SplittableRandom(1), 0), LOCAL, PathMtu.MTU_1024),
                    new SplittableRandom(2),
                    new CongestionControl(false, 1 << 20),
                    link);
    private final List<Integer> turns = new ArrayList<>();
    private final List<ScriptedQueuePair> machines = new ArrayList<>();
    private final List<NicQueuePair> queuePairs = new ArrayList<>();

    @Test
    void withNothingToDoATurnSaysSo() {
        assertThat(nic.turn(0, true, null)).isFalse();
        assertThat(nic.turn(0, false, null)).isFalse();
        assertThat(nic.hasMore()).isFalse();
        assertThat(nic.deadlineNanos()).isEqualTo(NEVER);
        assertThat(link.asked).as("asked for packets by the first alone").containsExactly(1);
    }

    @Test
    void packetsThatCameAreWork() {
        link.arrived = 1;

        assertThat(nic.turn(0, true, null)).isTrue();
        assertThat(nic.turn(0, true, null)).isFalse();
    }

    @Test
    void eachIsServedOnceHoweverOftenItBecameReady() {
        add(2);
        nic.ready(queuePairs.get(1));
        nic.ready(queuePairs.get(0));
        nic.ready(queuePairs.get(1));

        assertThat(nic.turn(0, false, null)).isTrue();
        assertThat(turns).containsExactly(machines.get(1).number, machines.get(0).number);
        assertThat(nic.turn(0, false, null)).isFalse();
        assertThat(turns).hasSize(2);
    }

    /// Those that have more to send stand behind those that have not had their turn.
    @Test
    void queuePairsTakeTurns() {
        add(MANY);
        machines.forEach(each -> each.packets = 3);
        queuePairs.forEach(nic::ready);

        List<Integer> numbers = machines.stream().map(each -> each.number).toList();
        for (int served = 0; served < 3 * MANY; served += PER_TURN) {
            assertThat(turns).hasSize(served);
            assertThat(nic.finishTurn(0)).isTrue();
            assertThat(nic.hasMore()).isEqualTo(turns.size() < 3 * MANY);
        }

        assertThat(turns)
                .containsExactlyElementsOf(
                        IntStream.range(0, 3 * MANY).mapToObj(i -> numbers.get(i % MANY)).toList());
        assertThat(nic.finishTurn(0)).isFalse();
    }

    /// The first ones have been served when the list of those that are ready becomes too short.
    @Test
    void queuePairsTakeTurnsAlsoWhenManyMoreBecomeReady() {
        add(MANY);
        queuePairs.subList(0, 10).forEach(nic::ready);
        nic.finishTurn(0);
        turns.clear();
        queuePairs.forEach(nic::ready);
        for (int served = 0; served < MANY; served += PER_TURN) {
            nic.finishTurn(0);
        }

        assertThat(turns)
                .containsExactlyElementsOf(machines.stream().map(each -> each.number).toList());
    }

    @Test
    void aFullSinkIsEmptiedBeforeTheNextQueuePairsTurn() {
        add(2);
        for (ScriptedQueuePair each : machines) {
            each.path = PATH;
            each.fillsTheSink = true;
        }
        queuePairs.forEach(nic::ready);
        nic.finishTurn(0);

        assertThat(link.flushedPackets).isEqualTo(2 * 4);
    }

    @Test
    void aChangeIsFollowedByATurn() {
        add(1);
        nic.modify(queuePairs.getFirst(), QueuePairChange.to(QueuePairState.ERROR));

        assertThat(nic.turn(0, false, null)).isTrue();
        assertThat(turns).containsExactly(machines.getFirst().number);
    }

    @Test
    void aBacklogIsReceivedBeforeMoreIsSent() {
        add(PER_TURN + 1);
        queuePairs.subList(0, PER_TURN).forEach(nic::ready);
        nic.turn(0, true, null);
        queuePairs.forEach(nic::ready);
        nic.turn(0, true, null);

        assertThat(link.asked).containsExactly(1, BACKLOG);
    }

    @Test
    void whatHasArrivedIsReceivedBeforeATimerFires() {
        add(1);
        ScriptedQueuePair machine = machines.getFirst();
        machine.deadlineNanos = 1_000;
        nic.ready(queuePairs.getFirst());
        nic.turn(0, true, null);

        assertThat(nic.turn(999, true, null)).isFalse();
        assertThat(link.asked).containsExactly(1, 1);
        link.arrival = () -> machine.deadlineNanos = 2_000;
        assertThat(nic.turn(1_000, true, null)).as("a deadline is work").isTrue();

        assertThat(link.asked).containsExactly(1, 1, BACKLOG);
        assertThat(machine.expiries).isZero();
        assertThat(nic.deadlineNanos()).isEqualTo(2_000);
    }

    /// Each timer fires when its time has come, not before and not twice.
    @Test
    void everyDeadlineIsKept() {
        Seeds.campaign(
                20,
                seed -> {
                    NicTurnTest trial = new NicTurnTest();
                    trial.keepDeadlines(new SplittableRandom(seed));
                });
    }

    private void keepDeadlines(SplittableRandom random) {
        add(MANY);
        long now = 0;
        for (int step = 0; step < 300; step++) {
            for (int i = 0; i < 10; i++) {
                int chosen = random.nextInt(MANY);
                ScriptedQueuePair machine = machines.get(chosen);
                machine.deadlineNanos =
                        random.nextInt(5) == 0 ? NEVER : now + 1 + random.nextInt(500);
                nic.ready(queuePairs.get(chosen));
            }
            nic.finishTurn(now);
            assertThat(nic.deadlineNanos()).isLessThanOrEqualTo(earliest());
            now += random.nextInt(30);
            int[] before = machines.stream().mapToInt(each -> each.expiries).toArray();
            boolean[] due = dueAt(now);
            for (ScriptedQueuePair each : machines) {
                each.nextDeadlineNanos =
                        random.nextBoolean() ? NEVER : now + 1 + random.nextInt(500);
            }
            nic.turn(now, true, null);
            for (int i = 0; i < MANY; i++) {
                assertThat(machines.get(i).expiries - before[i])
                        .as("queue pair %d at %d", i, now)
                        .isEqualTo(due[i] ? 1 : 0);
            }
            assertThat(nic.deadlineNanos()).isGreaterThan(now).isLessThanOrEqualTo(earliest());
        }
    }

    private boolean[] dueAt(long now) {
        boolean[] due = new boolean[MANY];
        for (int i = 0; i < MANY; i++) {
            due[i] = machines.get(i).deadlineNanos <= now;
        }
        return due;
    }

    private long earliest() {
        return machines.stream().mapToLong(each -> each.deadlineNanos).min().orElseThrow();
    }

    @Test
    void aDeadlineThatStaysHoldsUpNobody() {
        add(3);
        for (int i = 0; i < 3; i++) {
            machines.get(i).deadlineNanos = 10L + i;
            nic.ready(queuePairs.get(i));
        }
        machines.getFirst().nextDeadlineNanos = 10;
        nic.finishTurn(0);

        nic.turn(20, true, null);
        assertThat(machines).extracting(each -> each.expiries).containsExactly(1, 1, 1);
        assertThat(nic.deadlineNanos()).as("looked at again at once").isEqualTo(10);
        nic.turn(21, true, null);
        assertThat(machines).extracting(each -> each.expiries).containsExactly(2, 1, 1);
    }

    @Test
    void whatWasRemovedGetsNoTurnAndNoTimer() {
        add(2);
        machines.forEach(each -> each.deadlineNanos = 10);
        queuePairs.forEach(nic::ready);
        nic.finishTurn(0);
        turns.clear();
        queuePairs.forEach(nic::ready);
        nic.remove(queuePairs.getFirst());
        assertThat(machines).extracting(each -> each.isClosed).containsExactly(true, false);

        nic.turn(10, true, null);

        assertThat(turns).containsExactly(machines.getLast().number);
        assertThat(machines).extracting(each -> each.expiries).containsExactly(0, 1);
    }

    @Test
    void whoseTimerFiredGetsATurn() {
        add(1);
        machines.getFirst().deadlineNanos = 10;
        nic.ready(queuePairs.getFirst());
        nic.finishTurn(0);
        turns.clear();

        nic.turn(10, true, null);

        assertThat(turns).containsExactly(machines.getFirst().number);
    }

    @Test
    void theDeadlineOfTheNetworkIsOne() {
        link.deadlineNanos = 77;
        nic.finishTurn(0);

        assertThat(nic.deadlineNanos()).isEqualTo(77);
    }

    @Test
    void aPathOnWhichPacketsTimeOutIsDistrustedUntilItsQueuePairIsGone() {
        add(1);
        machines.getFirst().path = PATH;
        machines.getFirst().peerIsSilent = true;
        assertThat(nic.maySegment(PATH)).isTrue();
        nic.expired(queuePairs.getFirst(), 0);

        assertThat(nic.maySegment(PATH)).isFalse();
        assertThat(nic.maySegment(OTHER_PATH)).isTrue();
        nic.remove(queuePairs.getFirst());
        assertThat(nic.maySegment(PATH)).isTrue();
    }

    @Test
    void packetsTooLongForAPathAreToldOnceAfterTheTurn() {
        add(1);
        nic.tooLong(PATH);
        assertThat(machines.getFirst().tooLong).isNull();

        nic.finishTurn(0);
        assertThat(machines.getFirst().tooLong).isEqualTo(PATH);
        machines.getFirst().tooLong = null;
        nic.finishTurn(0);
        assertThat(machines.getFirst().tooLong).isNull();
    }

    /// An acknowledgement waits for the answer of a thread that wants the completion: until that
    /// sends, or has looked in vain three times.
    @Test
    void anAcknowledgementMayWait() {
        add(1);
        CompletionRing wanted = new CompletionRing(4, ring -> {});

        for (int round = 0; round < 2; round++) {
            turns.clear();
            bring(wanted);
            assertThat(nic.turn(0, true, wanted)).isTrue();
            assertThat(nic.hasMore()).isTrue();
            assertThat(nic.turn(1, true, wanted)).as("found nothing more").isTrue();
            assertThat(nic.turn(PAUSE_NANOS, true, wanted)).as("nor again").isTrue();
            assertThat(turns).isEmpty();
            assertThat(nic.turn(PAUSE_NANOS, true, wanted)).isTrue();
            assertThat(turns).hasSize(1);
        }
    }

    @Test
    void whatWaitsLeavesWithATurnThatSendsOnly() {
        add(1);
        assertThat(defers(new CompletionRing(4, ring -> {}), 0)).isTrue();

        assertThat(nic.turn(1, false, null)).isTrue();
        assertThat(turns).hasSize(1);
    }

    @Test
    void whatWaitsLeavesOnceItIsLate() {
        add(1);
        CompletionRing wanted = new CompletionRing(4, ring -> {});
        assertThat(defers(wanted, 0)).isTrue();

        nic.turn(PAUSE_NANOS + 1, true, wanted);
        assertThat(turns).hasSize(1);
    }

    @Test
    void whatWaitsLeavesBesideMore() {
        add(2);
        CompletionRing wanted = new CompletionRing(4, ring -> {});
        assertThat(defers(wanted, 0)).isTrue();
        nic.ready(queuePairs.get(1));

        nic.turn(1, true, wanted);
        assertThat(turns).hasSize(2);
    }

    @Test
    void noDeadlineIsMissedWhileSomethingWaits() {
        add(2);
        machines.get(1).deadlineNanos = 5;
        nic.ready(queuePairs.get(1));
        nic.finishTurn(0);
        CompletionRing wanted = new CompletionRing(4, ring -> {});
        assertThat(defers(wanted, 0)).isTrue();

        nic.turn(5, true, wanted);
        assertThat(machines.get(1).expiries).isEqualTo(1);
    }

    @Test
    void nothingWaitsBesideWhatMayNot() {
        add(2);
        CompletionRing wanted = new CompletionRing(1_000, ring -> {});

        bring(wanted);
        assertServed("nobody wants the completion", nic.turn(0, true, null), 1);
        CompletionRing empty = new CompletionRing(1, ring -> {});
        bring(wanted);
        assertServed("another completion is wanted", nic.turn(0, true, empty), 1);
        link.arrival =
                () -> {
                    publish(wanted);
                    nic.ready(queuePairs.get(1));
                };
        assertServed("it is no answer", nic.turn(0, true, wanted), 1);
        bring(wanted);
        nic.ready(queuePairs.get(1));
        assertServed("another is ready before", nic.turn(0, true, wanted), 2);
        link.arrival =
                () -> {
                    publish(wanted);
                    machines.getFirst().isAnswer = true;
                    queuePairs.forEach(nic::ready);
                };
        assertServed("another is ready after", nic.turn(0, true, wanted), 2);
    }

    /// Who does nothing within 20 µs is asked to wait less and less, and often again once it does.
    @Test
    void whoDoesNotAnswerIsWaitedForLessAndLess() {
        add(1);
        CompletionRing wanted = new CompletionRing(1 << 16, ring -> {});
        long now = 0;
        for (int refusals : new int[] {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
            assertThat(defers(wanted, now)).isTrue();
            now += PAUSE_NANOS + 1;
            nic.turn(now, true, null);
            for (int i = 0; i < refusals; i++) {
                assertThat(defers(wanted, now)).as("%d of %d", i, refusals).isFalse();
            }
        }
        assertThat(defers(wanted, now)).isTrue();
        now += PAUSE_NANOS;
        nic.turn(now, true, null);
        assertThat(defers(wanted, now)).as("it answered in time").isTrue();
        now += PAUSE_NANOS + 1;
        nic.turn(now, true, null);
        for (int i = 0; i < 16; i++) {
            assertThat(defers(wanted, now)).isFalse();
        }
        assertThat(defers(wanted, now)).isTrue();
    }

    /// Whether the answer to a packet that arrives now is put off.
    private boolean defers(CompletionRing wanted, long now) {
        turns.clear();
        bring(wanted);
        nic.turn(now, true, wanted);
        return turns.isEmpty();
    }

    /// The next packet completes a request in `wanted`, and the first queue pair has to answer it.
    private void bring(CompletionRing wanted) {
        link.arrival =
                () -> {
                    publish(wanted);
                    machines.getFirst().isAnswer = true;
                    nic.ready(queuePairs.getFirst());
                };
    }

    private static void publish(CompletionRing ring) {
        Objects.requireNonNull(ring.free());
        ring.publish(false);
    }

    private void assertServed(String why, boolean worked, int count) {
        assertThat(worked).as(why).isTrue();
        assertThat(turns).as(why).hasSize(count);
        turns.clear();
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            ScriptedQueuePair machine = new ScriptedQueuePair(nic.freeNumber(), turns);
            machines.add(machine);
            queuePairs.add(nic.add(machine));
        }
    }
}
