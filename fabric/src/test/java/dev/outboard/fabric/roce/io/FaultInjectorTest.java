package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultInjectorTest {
    private static final int COUNT = 10_000;
    private static final long MILLISECOND = 1_000_000;
    private static final Gid ADDRESS = Gid.of(Loopback.address(127, 91, 0, 1));

    private final Path path = new Path(ADDRESS, ADDRESS, 4791, 0);
    private final MemorySegment frame = Arena.ofAuto().allocate(64, Long.BYTES);
    private final List<Integer> arrived = new ArrayList<>();
    private final Sink sink = new Sink();

    @Test
    void withoutFaultsNothingHappens() {
        FaultInjector injector = injector("loss=0%");
        sendAll(injector, COUNT);

        assertThat(arrived).isEqualTo(IntStream.range(0, COUNT).boxed().toList());
        assertThat(injector.advance(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void losesTheFractionItWasTold() {
        FaultInjector injector = injector("loss=5%,seed=1");
        sendAll(injector, COUNT);

        assertThat(injector.losses()).isBetween(400L, 600L);
        assertThat(arrived).hasSize(COUNT - (int) injector.losses()).isSorted();
    }

    @Test
    void repeatsPackets() {
        sendAll(injector("duplicate=5%,seed=1"), COUNT);

        assertThat(arrived.size() - COUNT).isBetween(400, 600);
        assertThat(new HashSet<>(arrived)).hasSize(COUNT);
        assertThat(arrived).isSorted();
    }

    @Test
    void invertsOneBit() {
        sendAll(injector("corrupt=100%,seed=1"), 100);

        assertThat(sink.changedBits).hasSize(100).allMatch(bits -> bits == 1);
        // In all parts of the frame.
        int half = (int) frame.byteSize() * Byte.SIZE / 2;
        assertThat(sink.damaged.get(0, half).cardinality()).isGreaterThan(10);
        assertThat(sink.damaged.get(half, 2 * half).cardinality()).isGreaterThan(10);
    }

    @Test
    void anEmptyFrameHasNoBitToInvert() {
        injector("corrupt=100%").frame(path, 0, frame, 0, 0);

        assertThat(arrived).hasSize(1);
    }

    /// So it hits the same packets again, whatever other faults there may be by now.
    @Test
    void aFaultThatIsOffDrawsNoRandomNumber() {
        sendAll(injector("loss=5%,seed=1"), COUNT);

        SplittableRandom random = new SplittableRandom(1);
        assertThat(arrived)
                .isEqualTo(
                        IntStream.range(0, COUNT)
                                .filter(i -> random.nextDouble() >= 0.05)
                                .boxed()
                                .toList());
    }

    @Test
    void letsTheNextPacketOvertake() {
        sendAll(injector("reorder=10%,seed=1"), COUNT);

        int overtaken = 0;
        for (int i = 1; i < arrived.size(); i++) {
            if (arrived.get(i) < arrived.get(i - 1)) {
                assertThat(arrived.get(i - 1) - arrived.get(i)).isEqualTo(1);
                overtaken++;
            }
        }
        assertThat(overtaken).isBetween(800, 1100);
        assertThat(new HashSet<>(arrived)).hasSizeBetween(COUNT - 1, COUNT);
    }

    @Test
    void aPacketThatNoneOvertakesWaitsAMillisecond() {
        FaultInjector injector = injector("reorder=100%");
        sendAll(injector, 1);
        long due = injector.advance(5);

        assertThat(due).isEqualTo(5 + MILLISECOND);
        assertThat(injector.advance(due - 1)).isEqualTo(due);
        assertThat(arrived).isEmpty();
        assertThat(injector.advance(due)).isEqualTo(Long.MAX_VALUE);
        assertThat(arrived).containsExactly(0);
    }

    @Test
    void delaysFromTheFirstAdvanceOn() {
        FaultInjector injector = injector("delay=2ms");
        send(injector, 0);
        assertThat(injector.advance(MILLISECOND)).isEqualTo(3 * MILLISECOND);
        send(injector, 1);
        assertThat(injector.advance(2 * MILLISECOND)).isEqualTo(3 * MILLISECOND);

        assertThat(injector.advance(3 * MILLISECOND)).isEqualTo(4 * MILLISECOND);
        assertThat(arrived).containsExactly(0);
        assertThat(injector.advance(4 * MILLISECOND)).isEqualTo(Long.MAX_VALUE);
        assertThat(arrived).containsExactly(0, 1);
    }

    @Test
    void holdsABoundedNumberOfPackets() {
        FaultInjector injector = injector("delay=1s");
        sendAll(injector, FaultInjector.MAX_HELD + 10);
        injector.advance(0);
        injector.advance(2_000 * MILLISECOND);

        assertThat(arrived).hasSize(FaultInjector.MAX_HELD);
        assertThat(injector.losses()).isEqualTo(10);
    }

    @Test
    void theSameSeedMeansTheSameFate() {
        String faults = "loss=5%,duplicate=5%,reorder=5%,corrupt=5%,seed=";
        sendAll(injector(faults + 7), 1000);
        List<Integer> first = List.copyOf(arrived);
        arrived.clear();
        sendAll(injector(faults + 7), 1000);
        assertThat(arrived).isEqualTo(first);

        arrived.clear();
        sendAll(injector(faults + 8), 1000);
        assertThat(arrived).isNotEqualTo(first);
    }

    private FaultInjector injector(String text) {
        Faults faults = Faults.parse(text);
        return new FaultInjector(faults, new SplittableRandom(faults.seed()), sink);
    }

    private void sendAll(FaultInjector injector, int count) {
        for (int i = 0; i < count; i++) {
            send(injector, i);
        }
    }

    /// A frame of zeros with its number in front.
    private void send(FaultInjector injector, int number) {
        frame.fill((byte) 0);
        frame.set(JAVA_INT, 0, number);
        injector.frame(path, 0, frame, 0, (int) frame.byteSize());
    }

    /// The other side of the bad network.
    private final class Sink implements FrameSink {
        /// How many bits of each frame differ from what was sent, if none is lost.
        final List<Integer> changedBits = new ArrayList<>();

        /// Which bits differ in any of them.
        final BitSet damaged = new BitSet();

        @Override
        public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
            BitSet bits = BitSet.valueOf(bytes.asSlice(at, length).asByteBuffer());
            bits.xor(BitSet.valueOf(new long[] {arrived.size()}));
            changedBits.add(bits.cardinality());
            damaged.or(bits);
            arrived.add(bytes.get(JAVA_INT, at));
        }

        @Override
        public long advance(long nowNanos) {
            return Long.MAX_VALUE;
        }
    }
}
