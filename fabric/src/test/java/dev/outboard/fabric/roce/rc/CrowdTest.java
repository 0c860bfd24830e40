package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Many queue pairs and one receiver: nobody overruns it, and everybody gets a share (roce.md 6).
class CrowdTest {
    private static final long MILLISECOND = 1_000_000;

    /// Of the receiver: 2 µs per packet of 4096 bytes.
    private static final double BYTES_PER_NANO = 4096 / 2_000.0;

    @ParameterizedTest
    @CsvSource({
        "1,64",
        "1,1000",
        "1,65536",
        "1,1048576",
        "10,64",
        "10,4096",
        "100,1000",
        "100,65536",
        "1000,256",
        "1000,65536"
    })
    @Requirement("ROCE-CC-3")
    void aDefaultBufferIsNeverOverrun(int queuePairs, int messageBytes) {
        var crowd =
                new Crowd(1, new Crowd.Setting().queuePairs(queuePairs).messageBytes(messageBytes));

        crowd.runFor(20 * MILLISECOND);

        assertThat(crowd.dropped()).isZero();
        assertThat(crowd.counter(QueuePairCounter.RETRANSMITS)).isZero();
        if (queuePairs * messageBytes > 60_000) {
            assertThat(crowd.mostBytesBuffered()).isGreaterThan(PeerBuffer.DEFAULT_BYTES / 2);
            assertThat(crowd.counter(QueuePairCounter.REQUESTS_SENT)).isGreaterThan(9_000);
        }
    }

    @Test
    @Requirement("ROCE-CC-3")
    void aDeclaredBufferIsUsed() {
        NetworkFaults longWay = NetworkFaults.none(100_000);
        Crowd shy = new Crowd(1, new Crowd.Setting().faults(longWay).messageBytes(1 << 20));
        Crowd bold =
                new Crowd(
                        1,
                        new Crowd.Setting()
                                .faults(longWay)
                                .messageBytes(1 << 20)
                                .buffer(8 << 20, 8 << 20));

        shy.runFor(20 * MILLISECOND);
        bold.runFor(20 * MILLISECOND);

        assertThat(bold.dropped()).isZero();
        assertThat(bold.deliveredInAll()).isGreaterThan(3 * shy.deliveredInAll());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    @Requirement("ROCE-CC-4")
    void sendersThatOverrunAReceiverTogetherAllMakeProgress(int devices) {
        // Without any jitter the senders keep in step, and the order in which they started decides.
        NetworkFaults faults = NetworkFaults.none(10_000).withJitter(2_000);
        var crowd = new Crowd(devices, new Crowd.Setting().devices(devices).faults(faults));

        crowd.runFor(200 * MILLISECOND);

        assertThat(crowd.dropped()).as("dropped").isPositive();
        assertThat(Crowd.fairness(crowd.delivered()))
                .as(Arrays.toString(crowd.delivered()))
                .isGreaterThan(0.8);
        assertThat(crowd.deliveredInAll() / (200 * MILLISECOND * BYTES_PER_NANO))
                .as("part of what the receiver can do")
                .isGreaterThan(0.5);
    }

    @Test
    @Requirement("ROCE-CC-4")
    void aThousandQueuePairsShareTheReceiver() {
        var crowd = new Crowd(1, new Crowd.Setting().queuePairs(1_000).messageBytes(16 * 1024));

        crowd.runFor(200 * MILLISECOND);

        assertThat(Crowd.fairness(crowd.delivered())).isGreaterThan(0.9);
        assertThat(crowd.delivered()).as("each").doesNotContain(0L);
    }

    @Test
    @Requirement("ROCE-CC-4")
    void aQueuePairWithLossDoesNotStarveTheOthers() {
        var calm = new Crowd(1, new Crowd.Setting().queuePairs(4));
        var crowd = new Crowd(1, new Crowd.Setting().queuePairs(4));
        crowd.lose(0, 0, 0.2);

        calm.runFor(100 * MILLISECOND);
        crowd.runFor(100 * MILLISECOND);

        long[] delivered = crowd.delivered();
        assertThat(delivered[0]).isPositive();
        for (int i = 1; i < 4; i++) {
            assertThat(delivered[i])
                    .as(Arrays.toString(delivered) + Arrays.toString(calm.delivered()))
                    .isGreaterThan(calm.delivered()[i] / 2);
        }
    }

    /// Its packets are never answered, but they leave the buffer as the others' do.
    @Test
    @Requirement("ROCE-CC-4")
    void aQueuePairWhosePeerIsGoneDoesNotStarveTheOthers() {
        var crowd = new Crowd(1, new Crowd.Setting().queuePairs(4));
        crowd.runFor(MILLISECOND);
        crowd.kill(0, 0);
        long before = crowd.deliveredInAll();

        crowd.runFor(500 * MILLISECOND);

        long after = crowd.deliveredInAll();
        assertThat((after - before) / (500 * MILLISECOND * BYTES_PER_NANO)).isGreaterThan(0.7);
    }

    /// Probes go out meanwhile, but no more than the reserve holds.
    @Test
    @Requirement("ROCE-CC-3")
    void aReceiverThatRestsIsNotOverrun() {
        var crowd = new Crowd(1, new Crowd.Setting().queuePairs(4));
        crowd.runFor(10 * MILLISECOND);
        crowd.pause(5 * MILLISECOND);
        long before = crowd.deliveredInAll();

        crowd.runFor(20 * MILLISECOND);

        assertThat(crowd.dropped()).isZero();
        assertThat(crowd.deliveredInAll()).isGreaterThan(before);
    }

    /// DCQCN: marks keep the buffer from filling although the windows would allow it.
    @Test
    @Requirement("ROCE-CC-1")
    void notificationsKeepTheBufferShort() {
        int buffer = 8 << 20;
        int threshold = 256 * 1024;
        var wild = new Crowd(1, new Crowd.Setting().devices(4).buffer(buffer, buffer));
        var tame =
                new Crowd(
                        1,
                        new Crowd.Setting().devices(4).buffer(buffer, buffer).markAbove(threshold));

        wild.runFor(200 * MILLISECOND);
        tame.runFor(200 * MILLISECOND);
        assertThat(tame.mostBytesBuffered()).isLessThan(wild.mostBytesBuffered());
        long before = tame.deliveredInAll();
        tame.runFor(200 * MILLISECOND);

        assertThat(tame.counter(QueuePairCounter.NOTIFICATIONS_RECEIVED)).isPositive();
        assertThat(tame.dropped()).isZero();
        assertThat(tame.counter(QueuePairCounter.RETRANSMITS)).isZero();
        assertThat(Crowd.fairness(tame.delivered())).isGreaterThan(0.8);
        assertThat((tame.deliveredInAll() - before) / (200 * MILLISECOND * BYTES_PER_NANO))
                .isGreaterThan(0.6);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.3})
    void aNetworkThatChangesTheOrderOnlySlowsDown(double share) {
        NetworkFaults faults = NetworkFaults.none(10_000).withReordering(share);
        var crowd = new Crowd(1, new Crowd.Setting().buffer(8 << 20, 8 << 20).faults(faults));

        crowd.runFor(100 * MILLISECOND);

        double goodput = crowd.deliveredInAll() / (100 * MILLISECOND * BYTES_PER_NANO);
        assertThat(goodput).isGreaterThan(share < 0.05 ? 0.5 : 0.05);
    }
}
