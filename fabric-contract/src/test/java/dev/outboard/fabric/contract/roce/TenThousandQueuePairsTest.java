package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.ManyConnections;
import dev.outboard.testkit.LiveHeap;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Many connections in one process; `-Dqueue-pairs=` gives another number of them per device.
/// Prints what it measured.
class TenThousandQueuePairsTest {
    private static final int COUNT = Integer.getInteger("queue-pairs", 10_000);
    private static final int BATCH = 1_000;
    private static final int BYTES = 64;

    /// Heap that a connected, idle queue pair may take, its connection and its identifier included.
    private static final long IDLE_QUEUE_PAIR_BYTES = 8_192;

    private static final Duration QUIET = Duration.ofMillis(500);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void connectCarryMessagesAndCostNothingWhenIdle() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                ManyConnections many = new ManyConnections(one, two)) {
            assertThat(one.limits().maxQueuePairs()).isGreaterThanOrEqualTo(10_000);
            many.connect(1);
            long heapBefore = LiveHeap.bytes();
            long start = System.nanoTime();

            for (int left = COUNT - 1; left > 0; left -= BATCH) {
                many.connect(Math.min(left, BATCH));
            }

            long nanos = System.nanoTime() - start;
            long perQueuePair = (LiveHeap.bytes() - heapBefore) / (2L * COUNT);
            System.out.printf(
                    "%d connections: %d per second, %d bytes of heap per queue pair%n",
                    COUNT, COUNT * TimeUnit.SECONDS.toNanos(1) / nanos, perQueuePair);
            assertThat(perQueuePair).isLessThan(IDLE_QUEUE_PAIR_BYTES);
            assertThat(numbersOf(many.client())).hasSize(COUNT);
            everyQueuePairCarriesAMessage(many);
            nothingHappensWhenIdle(one, two);
        }
    }

    private static Set<Integer> numbersOf(ManyConnections.Side side) {
        Set<Integer> numbers = new HashSet<>();
        side.queuePairs().forEach(queuePair -> numbers.add(queuePair.number()));
        return numbers;
    }

    private static void everyQueuePairCarriesAMessage(ManyConnections many) {
        ReceiveRequest receive = new ReceiveRequest();
        SendRequest send = new SendRequest();
        try (Arena arena = Arena.ofShared();
                MemoryRegion near = many.client().domain().register(arena.allocate(BYTES));
                MemoryRegion far =
                        many.server()
                                .domain()
                                .register(arena.allocate(BYTES), Access.LOCAL_WRITE)) {
            many.server().queuePairs().forEach(to -> to.post(receive.id(1).buffer(far, 0, BYTES)));
            many.client()
                    .queuePairs()
                    .forEach(from -> from.post(send.send().id(2).payload(near, 0, BYTES)));
            Set<Integer> sent = take(many.client());
            Set<Integer> received = take(many.server());
            assertThat(sent).isEqualTo(numbersOf(many.client()));
            assertThat(received).isEqualTo(numbersOf(many.server()));
        }
    }

    private static Set<Integer> take(ManyConnections.Side side) {
        Set<Integer> numbers = new HashSet<>();
        Completion completion = new Completion();
        while (numbers.size() < COUNT) {
            if (side.completions().poll(completion)) {
                assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
                assertThat(numbers.add(completion.queuePairNumber())).isTrue();
            }
        }
        return numbers;
    }

    /// No packet, and hardly any processor time: no queue pair has a timer that fires.
    private void nothingHappensWhenIdle(Device one, Device two) {
        CompletionQueue none = one.createCompletionQueue(1);
        none.requestNotification(false);
        none.await(TimeUnit.SECONDS.toNanos(1));
        long packets = packets(one) + packets(two);
        long busy = processorNanos();
        none.await(QUIET.toNanos());
        long spent = processorNanos() - busy;
        System.out.printf(
                "idle: %d µs of processor time in %d ms%n", spent / 1_000, QUIET.toMillis());
        assertThat(packets(one) + packets(two)).isEqualTo(packets);
        none.close();
    }

    private static long packets(Device device) {
        return device.counters().getOrDefault("sent.packets", 0L);
    }

    /// Of the service threads and of this one.
    private long processorNanos() {
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            sum += Math.max(0, threads.getThreadCpuTime(id));
        }
        return sum;
    }
}
