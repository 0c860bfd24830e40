package dev.outboard.fabric.sim.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.sim.network.SimulatedNetwork.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimulatedNetworkTest {
    private static final NetworkFaults PERFECT = NetworkFaults.none(1_000);

    /// Notes what arrives, and when.
    private static final class Sink implements SimulatedNetwork.Node {
        final List<String> arrivals = new ArrayList<>();
        private final SimulatedNetwork<String> network;
        private final String address;
        long deadline = SimulatedNetwork.NEVER;

        Sink(SimulatedNetwork<String> network, String address) {
            this.network = network;
            this.address = address;
            network.attach(address, this);
        }

        @Override
        public long deadlineNanos() {
            return deadline;
        }

        @Override
        public void turn(long nowNanos) {
            if (nowNanos >= deadline) {
                deadline = SimulatedNetwork.NEVER;
                arrivals.add("deadline at " + nowNanos);
            }
            for (var mail = network.poll(address); mail != null; mail = network.poll(address)) {
                arrivals.add(mail.bytes()[0] + " at " + nowNanos);
            }
        }

        List<Integer> order() {
            return arrivals.stream().map(each -> Integer.valueOf(each.split(" ")[0])).toList();
        }
    }

    private static SimulatedNetwork<String> network(NetworkFaults faults) {
        return new SimulatedNetwork<>(new SplittableRandom(1), faults);
    }

    private static void sendNumbers(SimulatedNetwork<String> network, int count) {
        for (int i = 0; i < count; i++) {
            network.send("a", "b", new byte[] {(byte) i, 0, 0, 0});
        }
    }

    private static void runToTheEnd(SimulatedNetwork<String> network) {
        while (network.step()) {}
    }

    @Test
    void deliversInOrderAfterTheDelay() {
        var network = network(PERFECT);
        var sink = new Sink(network, "b");

        sendNumbers(network, 2);
        network.runUntil(500);
        sendNumbers(network, 1);
        runToTheEnd(network);

        assertThat(sink.arrivals).containsExactly("0 at 1000", "1 at 1000", "0 at 1500");
        assertThat(network.nowNanos()).isEqualTo(1_500);
    }

    @Test
    void jitterAloneChangesNoOrder() {
        var network = network(NetworkFaults.none(1_000).withJitter(10_000).withInbox(1_000));
        var sink = new Sink(network, "b");

        for (int i = 0; i < 100; i++) {
            network.send("a", "b", new byte[] {(byte) i});
            network.runUntil(network.nowNanos() + 100);
        }
        runToTheEnd(network);

        assertThat(sink.order()).hasSize(100).isSorted();
    }

    @Test
    void givesATurnAtTheDeadline() {
        var network = network(PERFECT);
        var sink = new Sink(network, "b");
        sink.deadline = 700;

        sendNumbers(network, 1);
        runToTheEnd(network);

        assertThat(sink.arrivals).containsExactly("deadline at 700", "0 at 1000");
    }

    @Test
    void losesAboutAsManyAsItShould() {
        var network = network(PERFECT.withLoss(0.1));
        var sink = new Sink(network, "b");

        sendNumbers(network, 10_000);
        runToTheEnd(network);

        assertThat(network.count(Fate.LOST)).isBetween(800L, 1_200L);
        assertThat(sink.arrivals).hasSize((int) (10_000 - network.count(Fate.LOST)));
    }

    @Test
    void duplicatesAboutAsManyAsItShould() {
        var network = network(PERFECT.withDuplication(0.1));
        var sink = new Sink(network, "b");

        sendNumbers(network, 10_000);
        runToTheEnd(network);

        assertThat(network.count(Fate.DUPLICATED)).isBetween(800L, 1_200L);
        assertThat(sink.arrivals).hasSize((int) (10_000 + network.count(Fate.DUPLICATED)));
    }

    @Test
    void letsLaterDatagramsOvertake() {
        var network = network(PERFECT.withReordering(0.2));
        var sink = new Sink(network, "b");

        sendNumbers(network, 100);
        runToTheEnd(network);

        assertThat(network.count(Fate.HELD_BACK)).isPositive();
        assertThat(sink.order()).hasSize(100).isNotEqualTo(sink.order().stream().sorted().toList());
    }

    /// When datagrams of many senders arrive, which do not wait for each other; all are sent at 0.
    private static LongSummaryStatistics arrivals(NetworkFaults faults) {
        var network = network(faults.withInbox(1_000));
        List<Long> times = new ArrayList<>();
        network.attach(
                "b",
                new SimulatedNetwork.Node() {
                    @Override
                    public long deadlineNanos() {
                        return SimulatedNetwork.NEVER;
                    }

                    @Override
                    public void turn(long nowNanos) {
                        while (network.poll("b") != null) {
                            times.add(nowNanos);
                        }
                    }
                });
        for (int i = 0; i < 500; i++) {
            network.send("a" + i, "b", new byte[1]);
        }
        assertThat(network.inFlight()).isEqualTo(500);
        runToTheEnd(network);
        assertThat(network.inFlight()).isZero();
        assertThat(times).hasSize(500);
        return times.stream().mapToLong(each -> each).summaryStatistics();
    }

    @Test
    void theWayTakesTheDelayAndUpToTheJitter() {
        LongSummaryStatistics arrivals = arrivals(PERFECT.withJitter(10_000));

        assertThat(arrivals.getMin()).isBetween(1_000L, 1_500L);
        assertThat(arrivals.getMax()).isBetween(10_500L, 11_000L);
    }

    /// Up to four times what the way takes at most.
    @Test
    void whatIsHeldBackComesWaysLater() {
        LongSummaryStatistics arrivals = arrivals(PERFECT.withJitter(1_000).withReordering(1));

        assertThat(arrivals.getMin()).isBetween(1_001L, 3_500L);
        assertThat(arrivals.getMax()).isBetween(8_500L, 10_001L);
    }

    /// It looks for all that has come by then.
    @Test
    void aNodeLooksAtWhatArrivedWithinItsTurn() {
        List<Long> looks = new ArrayList<>();
        for (int seed = 0; seed < 200; seed++) {
            var network =
                    new SimulatedNetwork<String>(
                            new SplittableRandom(seed), PERFECT.withTurn(5_000));
            new Sink(network, "b");
            sendNumbers(network, 1);
            runToTheEnd(network);
            looks.add(network.nowNanos());
        }

        assertThat(looks).allSatisfy(each -> assertThat(each).isBetween(1_000L, 6_000L));
        assertThat(looks).anySatisfy(each -> assertThat(each).isGreaterThan(5_500));
    }

    @Test
    void whatIsDueAtTheEndArrives() {
        var network = network(PERFECT);
        var sink = new Sink(network, "b");
        sendNumbers(network, 1);

        network.runUntil(999);
        assertThat(sink.arrivals).isEmpty();
        network.runUntil(1_000);
        assertThat(sink.arrivals).containsExactly("0 at 1000");
    }

    @Test
    void aWayTakesWhatIsAsLongAsItsLimit() {
        var network = network(PERFECT);
        network.limit("a", "b", 4);

        assertThat(network.send("a", "b", new byte[4])).isTrue();
        assertThat(network.count(Fate.TOO_LONG)).isZero();
        assertThat(network.send("a", "b", new byte[5])).isFalse();
        assertThat(network.count(Fate.TOO_LONG)).isEqualTo(1);
        assertThat(network.send("b", "a", new byte[5])).isTrue();
    }

    @Test
    void aFrameGoesToEachOfItsReceivers() {
        var network = network(PERFECT);
        var one = new Sink(network, "b");
        var other = new Sink(network, "c");
        network.limit("a", "d", 1);

        network.sendFrame("a", List.of("b", "c", "d"), new byte[] {7, 8});
        runToTheEnd(network);
        assertThat(one.arrivals).containsExactly("7 at 1000");
        assertThat(other.arrivals).containsExactly("7 at 1000");
        assertThat(network.count(Fate.SENT)).isEqualTo(2);
        assertThat(network.count(Fate.TOO_LONG)).isEqualTo(1);

        network.sendFrame("a", List.of(), new byte[2]);
        assertThat(network.count(Fate.SENT)).isEqualTo(3);
        assertThat(network.count(Fate.UNDELIVERABLE)).isEqualTo(1);
    }

    @Test
    void flipsBitsOfTheCopyOnTheWayOnly() {
        var network = network(PERFECT.withCorruption(1));
        new Sink(network, "c");
        byte[] bytes = new byte[64];

        for (int i = 0; i < 100; i++) {
            network.send("a", "c", bytes);
        }
        network.runUntil(999);

        assertThat(network.count(Fate.CORRUPTED)).isEqualTo(100);
        assertThat(bytes).containsOnly(0);
    }

    @Test
    void everyDamagedDatagramDiffers() {
        var network = network(PERFECT.withCorruption(1));
        var received = new ArrayList<byte[]>();
        network.attach(
                "b",
                new SimulatedNetwork.Node() {
                    @Override
                    public long deadlineNanos() {
                        return SimulatedNetwork.NEVER;
                    }

                    @Override
                    public void turn(long nowNanos) {
                        for (var mail = network.poll("b"); mail != null; mail = network.poll("b")) {
                            received.add(mail.bytes());
                        }
                    }
                });

        for (int i = 0; i < 1_000; i++) {
            network.send("a", "b", new byte[1]);
        }
        runToTheEnd(network);

        assertThat(received).hasSize(1_000).allMatch(bytes -> bytes[0] != 0);
    }

    @Test
    void dropsWhatDoesNotFitTheInbox() {
        var network = network(PERFECT.withInbox(3));
        var sink = new Sink(network, "b");

        sendNumbers(network, 5);
        runToTheEnd(network);

        assertThat(sink.order()).containsExactly(0, 1, 2);
        assertThat(network.count(Fate.OVERFLOWED)).isEqualTo(2);
    }

    @Test
    void dropsWhatNobodyIsThereFor() {
        var network = network(PERFECT);
        var sink = new Sink(network, "b");

        sendNumbers(network, 1);
        network.detach("b");
        runToTheEnd(network);

        assertThat(sink.arrivals).isEmpty();
        assertThat(network.count(Fate.UNDELIVERABLE)).isEqualTo(1);
    }

    @Test
    void dropsWhatTheFilterNames() {
        var network = network(PERFECT);
        var sink = new Sink(network, "b");
        network.filter(datagram -> datagram.bytes()[0] != 1);

        sendNumbers(network, 3);
        runToTheEnd(network);

        assertThat(sink.order()).containsExactly(0, 2);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        var faults =
                NetworkFaults.none(1_000)
                        .withLoss(0.1)
                        .withDuplication(0.1)
                        .withReordering(0.1)
                        .withCorruption(0.1)
                        .withJitter(500)
                        .withTurn(300)
                        .withInbox(20);
        assertThat(arrivals(7, faults)).isEqualTo(arrivals(7, faults));
        assertThat(arrivals(7, faults)).isNotEqualTo(arrivals(8, faults));
    }

    private static List<String> arrivals(long seed, NetworkFaults faults) {
        var network = new SimulatedNetwork<String>(new SplittableRandom(seed), faults);
        var sink = new Sink(network, "b");
        sendNumbers(network, 100);
        runToTheEnd(network);
        return sink.arrivals;
    }

    @Test
    void refusesASecondNodeAtAnAddress() {
        var network = network(PERFECT);
        new Sink(network, "b");

        assertThatThrownBy(() -> new Sink(network, "b")).hasMessageContaining("b is taken");
    }
}
