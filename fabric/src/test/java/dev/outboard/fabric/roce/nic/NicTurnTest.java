package dev.outboard.fabric.roce.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What one turn of a network card does, queue pair by queue pair.
class NicTurnTest {
    private static final int PER_TURN = 32;
    private static final int BACKLOG = 64;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long PAUSE_NANOS = 500_000;
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
        assertThat(nic.turn(0, true, false)).isFalse();
        assertThat(nic.turn(0, false, false)).isFalse();
        assertThat(nic.hasMore()).isFalse();
        assertThat(nic.deadlineNanos()).isEqualTo(NEVER);
        assertThat(link.asked).as("asked for packets by the first alone").containsExactly(1);
    }

    @Test
    void packetsThatCameAreWork() {
        link.arrived = 1;

        assertThat(nic.turn(0, true, false)).isTrue();
        assertThat(nic.turn(0, true, false)).isFalse();
    }

    @Test
    void eachIsServedOnceHoweverOftenItBecameReady() {
        add(2);
        nic.ready(queuePairs.get(1));
        nic.ready(queuePairs.get(0));
        nic.ready(queuePairs.get(1));

        assertThat(nic.turn(0, false, false)).isTrue();
        assertThat(turns).containsExactly(machines.get(1).number, machines.get(0).number);
        assertThat(nic.turn(0, false, false)).isFalse();
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

        assertThat(nic.turn(0, false, false)).isTrue();
        assertThat(turns).containsExactly(machines.getFirst().number);
    }

    @Test
    void aBacklogIsReceivedBeforeMoreIsSent() {
        add(PER_TURN + 1);
        queuePairs.subList(0, PER_TURN).forEach(nic::ready);
        nic.turn(0, true, false);
        queuePairs.forEach(nic::ready);
        nic.turn(0, true, false);

        assertThat(link.asked).containsExactly(1, BACKLOG);
    }

    @Test
    void whatHasArrivedIsReceivedBeforeATimerFires() {
        add(1);
        ScriptedQueuePair machine = machines.getFirst();
        machine.deadlineNanos = 1_000;
        nic.ready(queuePairs.getFirst());
        nic.turn(0, true, false);

        assertThat(nic.turn(999, true, false)).isFalse();
        assertThat(link.asked).containsExactly(1, 1);
        link.arrival = () -> machine.deadlineNanos = 2_000;
        assertThat(nic.turn(1_000, true, false)).as("a deadline is work").isTrue();

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
            nic.turn(now, true, false);
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

        nic.turn(20, true, false);
        assertThat(machines).extracting(each -> each.expiries).containsExactly(1, 1, 1);
        assertThat(nic.deadlineNanos()).as("looked at again at once").isEqualTo(10);
        nic.turn(21, true, false);
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

        nic.turn(10, true, false);

        assertThat(turns).containsExactly(machines.getLast().number);
        assertThat(machines).extracting(each -> each.expiries).containsExactly(0, 1);
    }

    /// It may owe an acknowledgement that waits for a turn, of which others have had theirs.
    @Test
    void whatIsRemovedOrChangedAnswersFirst() {
        add(2);

        nic.remove(queuePairs.getFirst());
        nic.modify(queuePairs.getLast(), QueuePairChange.to(QueuePairState.RESET));

        assertThat(machines).extracting(each -> each.answers).containsExactly(1, 1);
        assertThat(turns).isEmpty();
    }

    @Test
    void whoseTimerFiredGetsATurn() {
        add(1);
        machines.getFirst().deadlineNanos = 10;
        nic.ready(queuePairs.getFirst());
        nic.finishTurn(0);
        turns.clear();

        nic.turn(10, true, false);

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

    /// An acknowledgement waits for the answer of a thread that looks: until that sends, or has
    /// looked in vain three times.
    @Test
    void anAcknowledgementMayWait() {
        add(1);

        for (int round = 0; round < 2; round++) {
            assertThat(defers(0)).isTrue();
            assertThat(nic.hasMore()).as("who sends another takes no more turns").isFalse();
            assertThat(nic.isDeferring()).isTrue();
            link.asked.clear();
            assertThat(nic.turn(1, true, true)).as("found nothing more").isTrue();
            assertThat(nic.turn(2, true, true)).as("nor again").isTrue();
            assertThat(link.asked).as("no call into the kernel").isEmpty();
            assertThat(turns).isEmpty();
            assertThat(nic.turn(3, true, true)).isTrue();
            assertThat(turns).hasSize(1);
            assertThat(nic.isDeferring()).isFalse();
        }
    }

    @Test
    void whatWaitsLeavesWithTheAnswerOfItsQueuePair() {
        add(2);
        assertThat(defers(0)).isTrue();

        nic.ready(queuePairs.get(1));
        nic.turn(1, false, false);
        assertThat(turns).as("another sends").containsExactly(machines.get(1).number);
        nic.ready(queuePairs.getFirst());
        nic.turn(2, false, false);
        assertThat(turns).hasSize(2);
        assertThat(nic.turn(3, true, true)).as("nothing is left").isFalse();
        assertThat(turns).hasSize(2);
    }

    /// Who serves many takes one after the other, while more comes in.
    @Test
    void manyMayWait() {
        add(3);
        for (int i = 0; i < 3; i++) {
            bring(i);
            lookUntilItIsThere(i);
        }
        assertThat(turns).isEmpty();

        nic.ready(queuePairs.getFirst());
        nic.turn(3, false, false);
        nic.turn(PAUSE_NANOS, false, false);
        assertThat(turns).as("the second came later").hasSize(1);
        nic.turn(PAUSE_NANOS + 1, false, false);
        assertThat(turns).containsExactly(machines.get(0).number, machines.get(1).number);
        nic.turn(PAUSE_NANOS + 1, true, false);
        assertThat(turns).as("nobody looks any more").hasSize(3);
    }

    /// One that has answered waits once more, and stands where it stood: who stands behind it
    /// leaves with it at the latest.
    @Test
    void oneMayWaitAgainAtOnce() {
        add(3);
        for (int i = 0; i < 3; i++) {
            bring(i);
            lookUntilItIsThere(i);
        }
        nic.ready(queuePairs.get(1));
        nic.turn(4, false, false);
        turns.clear();
        bring(1);
        lookUntilItIsThere(5);
        assertThat(turns).isEmpty();

        nic.turn(PAUSE_NANOS, false, false);
        assertThat(turns).containsExactly(machines.get(0).number);
        nic.turn(PAUSE_NANOS + 4, false, false);
        assertThat(turns).hasSize(1);
        nic.turn(PAUSE_NANOS + 5, false, false);
        assertThat(turns).hasSize(3);
    }

    @Test
    void whatWaitsLeavesOnceItIsLate() {
        add(1);
        assertThat(defers(0)).isTrue();

        nic.turn(PAUSE_NANOS - 1, false, false);
        assertThat(turns).isEmpty();
        nic.turn(PAUSE_NANOS, false, false);
        assertThat(turns).hasSize(1);
    }

    @Test
    void whatWaitsLeavesWhenNothingMoreComes() {
        add(2);
        assertThat(defers(0)).isTrue();
        nic.ready(queuePairs.get(1));

        nic.turn(1, true, true);
        assertThat(turns).hasSize(2);
    }

    @Test
    void whatWaitsIsForgottenWithItsQueuePair() {
        add(1);
        assertThat(defers(0)).isTrue();
        nic.remove(queuePairs.getFirst());

        nic.turn(PAUSE_NANOS, true, false);
        assertThat(turns).isEmpty();
        assertThat(nic.isDeferring()).isFalse();
    }

    @Test
    void noDeadlineIsMissedWhileSomethingWaits() {
        add(2);
        machines.get(1).deadlineNanos = 5;
        nic.ready(queuePairs.get(1));
        nic.finishTurn(0);
        assertThat(defers(0)).isTrue();

        nic.turn(5, true, true);
        assertThat(machines.get(1).expiries).isEqualTo(1);
    }

    @Test
    void nothingWaitsThatMayNot() {
        add(2);

        bring(0);
        assertServed("nobody looks", nic.turn(0, true, false), 1);
        bring(0);
        machines.getFirst().isAnswer = false;
        assertServed("it is no acknowledgement of a message", nic.turn(0, true, true), 1);
    }

    /// What comes besides does not end the wait.
    @Test
    void whatWaitsGoesOnWaitingWhenMoreComes() {
        add(1);
        assertThat(defers(0)).isTrue();
        bring(0);
        lookUntilItIsThere(PAUSE_NANOS - 1);
        assertThat(turns).isEmpty();

        nic.turn(PAUSE_NANOS, false, false);
        assertThat(turns).as("no longer than it would have alone").hasSize(1);
    }

    /// Who does nothing within 500 µs is waited for less and less, and often again once it does.
    @Test
    void whoDoesNotAnswerIsWaitedForLessAndLess() {
        add(1);
        long now = 0;
        for (int refusals = 1; refusals <= 1 << 12; refusals *= 2) {
            assertThat(defers(now)).isTrue();
            now += PAUSE_NANOS;
            nic.turn(now, true, false);
            for (int i = 0; i < refusals; i++) {
                assertThat(defers(now)).as("%d of %d", i, refusals).isFalse();
            }
        }
        assertThat(defers(now)).isTrue();
        now += PAUSE_NANOS - 1;
        nic.turn(now, true, false);
        assertThat(defers(now)).as("it answered in time").isTrue();
        now += PAUSE_NANOS;
        nic.turn(now, true, false);
        assertThat(defers(now)).isFalse();
        assertThat(defers(now)).isTrue();
    }

    /// Whether the acknowledgement of a message that arrives now is put off.
    private boolean defers(long now) {
        turns.clear();
        bring(0);
        nic.turn(now, true, true);
        return turns.isEmpty();
    }

    /// While something waits, two looks are in vain.
    private void lookUntilItIsThere(long now) {
        while (link.arrived > 0) {
            assertThat(nic.turn(now, true, true)).isTrue();
        }
    }

    /// The next packet is a message for a queue pair, which has to acknowledge it.
    private void bring(int index) {
        ScriptedQueuePair machine = machines.get(index);
        machine.isAnswer = true;
        link.arrived = 1;
        link.arrival =
                () ->
                        nic.packet(
                                DispatchTest.packet(Opcode.SEND_ONLY, machine.number, 0, 0),
                                link.nowNanos);
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
