package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Two queue pairs of one device that send to the same peer, whose receive buffer is large.
class SharedWayTest {
    private static final int MTU = 4096;
    private static final int OTHER = 0x12;
    private static final int FIRST_WINDOW_PACKETS = 32;
    private static final int SHARED_WINDOW_PACKETS = 16;
    private static final long SHARED_NANOS = 10_000_000;

    private final CongestionControl congestion = new CongestionControl(false, 8 << 20);
    private final QueuePairBench one = connect(QueuePairBench.QPN);
    private final QueuePairBench other = connect(OTHER);

    private QueuePairBench connect(int number) {
        return new QueuePairBench()
                .pathMtu(MTU)
                .retries(0, 7)
                .number(number)
                .congestion(congestion)
                .connect();
    }

    /// Sends a message of one packet, which is answered at once.
    private static void say(QueuePairBench queuePair) {
        queuePair.post(queuePair.write(1, 64));
        TestPacket packet = queuePair.transmit().getLast();
        queuePair.deliver(TestPacket.ack(packet.psn));
    }

    private void postLong() {
        for (int i = 0; i < 3; i++) {
            one.post(one.write(2 + i, SHARED_WINDOW_PACKETS * MTU));
        }
    }

    @Test
    @Requirement("ROCE-CC-3")
    void aLongMessageLeavesRoomForOthersThatSend() {
        say(one);
        say(other);
        postLong();

        List<TestPacket> packets = one.transmit();

        assertThat(packets).hasSize(SHARED_WINDOW_PACKETS);
        assertThat(packets.getLast().ackRequest).as("to go on soon").isTrue();
    }

    @Test
    void aLongMessageHasTheWholeWindowWhenOthersAreSilent() {
        say(other);
        say(one);
        one.elapse(SHARED_NANOS);
        postLong();

        assertThat(one.transmit()).hasSize(FIRST_WINDOW_PACKETS);
    }

    @Test
    void shortMessagesHaveTheWholeWindow() {
        say(one);
        say(other);
        for (int i = 0; i < FIRST_WINDOW_PACKETS; i++) {
            one.post(one.write(2 + i, 64));
        }

        assertThat(one.transmit()).hasSize(FIRST_WINDOW_PACKETS);
    }
}
