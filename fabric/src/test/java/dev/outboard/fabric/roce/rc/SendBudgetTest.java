package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Two queue pairs that share the default receive buffer of one peer: 22 packets fit.
class SendBudgetTest {
    private static final int PACKET_BYTES = 4096;
    private static final int FOOTPRINT = PeerBuffer.footprint(PACKET_BYTES);
    private static final int BUFFER_PACKETS = 22;
    private static final int TURN_PACKETS = 16;
    private static final int WINDOW_PACKETS = 128;
    private static final long SHARED_NANOS = 10_000_000;
    private static final double GIGABYTE = 1e9;

    private final CongestionControl control = new CongestionControl(true, 0);
    private final PeerBuffer buffer = control.join(Gid.ofIpv4(0x7F000003));
    private final SendBudget one = new SendBudget(control, buffer, 1);
    private final SendBudget other = new SendBudget(control, buffer, 2);
    private long now = 1_000_000_000;

    @BeforeEach
    void thePeerHasAnswered() {
        buffer.drained(buffer.requestSent(PACKET_BYTES));
    }

    @Test
    void whoFindsNoRoomIsNamedWhenThereIsAndUntilItHadItsTurn() {
        send(one, 0, BUFFER_PACKETS);
        assertThat(admits(other)).isFalse();
        assertThat(named()).isEmpty();

        one.answeredBefore(1);
        assertThat(named()).containsExactly(2);
        assertThat(admits(other)).isTrue();
        assertThat(named()).containsExactly(2);
        other.leave();

        assertThat(named()).isEmpty();
    }

    @Test
    void aLongMessageHasItsWholeWindowOnTheWayWhileNobodyElseSends() {
        send(one, 0, 3);

        assertThat(one.longWindowPackets(WINDOW_PACKETS, 0)).isEqualTo(WINDOW_PACKETS);
    }

    @Test
    void aLongMessageDelaysOthersBy64KibibytesAtMost() {
        send(one, 0, 1);
        send(other, 0, 1);
        send(one, 1, 1);

        assertThat(one.longWindowPackets(WINDOW_PACKETS, 0)).isEqualTo(TURN_PACKETS);
        assertThat(one.longWindowPackets(3, 0)).as("a smaller window").isEqualTo(3);
    }

    @Test
    void aLongMessageKeepsALongWayBusy() {
        send(other, 0, 1);
        send(one, 0, 1);

        assertThat(one.longWindowPackets(WINDOW_PACKETS, 75_000)).isEqualTo(50);
        assertThat(one.longWindowPackets(WINDOW_PACKETS, 10_000_000)).isEqualTo(WINDOW_PACKETS);
    }

    @Test
    void whoHasNotSentForTenMillisecondsIsNotDelayed() {
        send(other, 0, 1);
        now += 1_000_000;
        send(one, 0, 1);
        now += SHARED_NANOS - 1;
        send(one, 1, 1);
        assertThat(one.longWindowPackets(WINDOW_PACKETS, 0)).isEqualTo(TURN_PACKETS);

        now += 1;
        send(one, 2, 1);

        assertThat(one.longWindowPackets(WINDOW_PACKETS, 0)).isEqualTo(WINDOW_PACKETS);
    }

    @Test
    void aTurnEndsAfter64KibibytesIfAnotherWaits() {
        int position = fillForOthers();
        assertThat(admits(one)).isFalse();
        assertThat(admits(other)).isFalse();
        buffer.drained(position);

        for (int packet = 0; packet < TURN_PACKETS; packet++) {
            assertThat(admits(one)).as("packet %d", packet).isTrue();
            assertThat(admits(other)).as("behind packet %d", packet).isFalse();
            send(one, packet, 1);
        }

        assertThat(admits(one)).isFalse();
        assertThat(named()).containsExactly(2);
        assertThat(admits(other)).isTrue();
    }

    @Test
    void eachTurnIsAFullOne() {
        send(one, 0, TURN_PACKETS);
        one.leave();
        buffer.drained(fillForOthers());
        int position = fillForOthers();
        assertThat(admits(one)).isFalse();
        assertThat(admits(other)).isFalse();

        buffer.drained(position);

        assertThat(admits(one)).isTrue();
    }

    @Test
    void theLastRequestThatFitsHasToAskForAnAnswer() {
        send(one, 0, BUFFER_PACKETS - 2);
        assertThat(one.isLast(PACKET_BYTES, now)).isFalse();

        send(one, BUFFER_PACKETS - 2, 1);

        assertThat(one.isLast(PACKET_BYTES, now)).isTrue();
    }

    @Test
    void onlyAPacketThatAskedForAnAnswerTellsWhatLeftTheBuffer() {
        one.sent(0, PACKET_BYTES, false, now);
        one.sent(1, PACKET_BYTES, true, now);

        one.answeredBefore(1);
        assertThat(inBuffer()).isEqualTo(2);
        one.answeredBefore(2);
        assertThat(inBuffer()).isZero();
    }

    @Test
    void aRefusedPacketHasLeftTheBufferToo() {
        send(one, 0, 3);

        one.refused(1);

        assertThat(inBuffer()).isEqualTo(1);
    }

    /// The answer may be about its first copy, but its mark is where it stands now.
    @Test
    void aRepeatedPacketIsMarkedAnew() {
        send(one, 0, 2);
        one.goBackTo(0);
        send(one, 0, 1);

        one.answeredBefore(1);

        assertThat(inBuffer()).isZero();
    }

    @Test
    void whenAllIsAnsweredOnlyWhatNobodyAnswersIsLeft() {
        one.sent(0, PACKET_BYTES, false, now);
        one.answerSent(PACKET_BYTES);

        one.allAnswered();

        assertThat(inBuffer()).isEqualTo(1);
    }

    @Test
    void afterEightSilentProbesThePacketsAreTakenToHaveGone() {
        send(one, 0, 3);
        one.answerSent(PACKET_BYTES);

        one.unanswered(7);
        assertThat(inBuffer()).isEqualTo(4);
        one.unanswered(8);
        assertThat(inBuffer()).isZero();
    }

    /// A probe repeats two packets.
    @Test
    void probesThatHaveNoRoomAreRare() {
        send(one, 0, BUFFER_PACKETS - 2);
        assertThat(one.admitsProbe(PACKET_BYTES, now)).isTrue();
        assertThat(one.admitsProbe(PACKET_BYTES, now)).isTrue();

        send(one, BUFFER_PACKETS - 2, 1);

        for (long wait = 2_000_000; wait <= 256_000_000; wait *= 2) {
            assertThat(one.admitsProbe(PACKET_BYTES, now)).isTrue();
            now += wait - 1;
            assertThat(one.admitsProbe(PACKET_BYTES, now)).isFalse();
            now++;
        }
        assertThat(one.admitsProbe(PACKET_BYTES, now)).isTrue();
        assertThat(one.admitsProbe(PACKET_BYTES, now + 256_000_000)).as("no rarer").isTrue();
    }

    @Test
    void nobodyWaitsForOneThatIsGone() {
        send(one, 0, BUFFER_PACKETS);
        assertThat(admits(other)).isFalse();

        one.abandon();
        assertThat(named()).containsExactly(2);
        other.abandon();

        assertThat(named()).isEmpty();
    }

    @Test
    void oneThatMovesLeavesNothingBehindAndBringsNothingAlong() {
        PeerBuffer elsewhere = control.join(Gid.ofIpv4(0x7F000004));
        elsewhere.requestSent(PACKET_BYTES);
        elsewhere.requestSent(PACKET_BYTES);
        send(one, 0, 1);

        one.moveTo(elsewhere);
        one.answeredBefore(1);

        assertThat(inBuffer()).isZero();
        assertThat(elsewhere.bytesTaken()).isEqualTo(2 * FOOTPRINT);
        send(one, 1, 1);
        assertThat(elsewhere.bytesTaken()).isEqualTo(3 * FOOTPRINT);
    }

    /// Five packets less a burst of four, at half a gigabyte per second.
    @Test
    void aNotificationMakesItWaitForItsRate() {
        one.notified(now, GIGABYTE);
        assertThat(one.isLast(PACKET_BYTES, now)).isFalse();
        send(one, 0, 4);
        assertThat(one.isLast(PACKET_BYTES, now)).isTrue();
        assertThat(admits(one)).isTrue();
        send(one, 4, 1);

        assertThat(admits(one)).isFalse();

        long ready = one.deadlineNanos();
        assertThat(ready - now).isEqualTo(2 * PACKET_BYTES);
        one.onTimer(ready - 1);
        assertThat(one.deadlineNanos()).isEqualTo(ready);
        one.onTimer(ready);
        assertThat(one.deadlineNanos()).isEqualTo(RetransmitTimer.NONE);
        now = ready;
        assertThat(admits(one)).isTrue();
    }

    @Test
    void oneThatWaitsForItsRateKeepsNobodyElseWaiting() {
        one.notified(now, GIGABYTE);
        int position = fillForOthers();
        assertThat(admits(one)).isFalse();
        assertThat(admits(other)).isFalse();
        buffer.drained(position);
        send(one, 0, 5);
        assertThat(named()).containsExactly(1);

        assertThat(admits(one)).as("above its rate").isFalse();

        assertThat(named()).containsExactly(2);
    }

    private boolean admits(SendBudget budget) {
        return budget.admits(PACKET_BYTES, now);
    }

    private void send(SendBudget budget, long firstPacket, int count) {
        for (int i = 0; i < count; i++) {
            budget.sent(firstPacket + i, PACKET_BYTES, true, now);
        }
    }

    /// Fills the buffer with packets of others; returns the position of the last.
    private int fillForOthers() {
        while (buffer.hasRoom(FOOTPRINT)) {
            buffer.requestSent(PACKET_BYTES);
        }
        return buffer.position();
    }

    private int inBuffer() {
        return buffer.bytesTaken() / FOOTPRINT;
    }

    /// The queue pairs that may go on.
    private List<Integer> named() {
        var numbers = new ArrayList<Integer>();
        control.admit(numbers::add);
        return numbers;
    }
}
