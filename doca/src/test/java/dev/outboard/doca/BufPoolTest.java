package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Pools of buffers with memory of their own.
class BufPoolTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;
    private static final int MEASURED = 200_000;
    private static final int MEASUREMENTS = 10;
    private static final long SLACK_BYTES = 4096;

    private final Mmap mmap = Mmap.builder().memrange(1024).build().start();

    /// What another thread was answered.
    private volatile DocaError elsewhere;

    @AfterEach
    void close() {
        assertThat(mmap.bufferCount()).isZero();
        mmap.close();
    }

    @Test
    void eachBufferIsEmptyAndHasMemoryOfItsOwn() {
        try (BufPool pool = BufPool.create(3, 100, mmap).start()) {
            List<Buf> bufs = List.of(pool.alloc(), pool.alloc(), pool.alloc());
            assertThat(bufs).extracting(BufRange::head).containsExactly(0L, 100L, 200L);
            assertThat(bufs).allMatch(buf -> buf.len() == 100 && buf.dataLen() == 0);
            assertThat(bufs).allMatch(buf -> buf.data() == buf.head() && buf.refCount() == 1);
            assertThat(bufs).allMatch(buf -> buf.mmap().equals(mmap));
            bufs.forEach(Buf::release);
        }
    }

    @Test
    void whatIsReleasedIsHandedOutAgainEmpty() {
        try (BufPool pool = BufPool.create(2, 100, mmap).start()) {
            Buf kept = pool.alloc();
            Buf buf = pool.alloc();
            assertThat(pool.freeCount()).isZero();
            buf.data(150, 20);
            buf.retain();
            buf.release();
            assertThat(pool.freeCount()).as("with one reference left").isZero();
            buf.release();
            assertThat(pool.freeCount()).isEqualTo(1);

            Buf again = pool.alloc();
            assertThat(again.head()).as("memory that is not out").isEqualTo(100);
            assertThat(again.data()).isEqualTo(100);
            assertThat(again.dataLen()).isZero();
            assertRefused(DocaError.BAD_STATE, buf::head, "back in its inventory");
            again.release();
            kept.release();
        }
    }

    @Test
    void aListGoesBackAsOne() {
        try (BufPool pool = BufPool.create(3, 100, mmap).start()) {
            Buf head = pool.alloc();
            head.chain(pool.alloc());
            head.chain(pool.alloc());
            head.release();
            assertThat(pool.freeCount()).isEqualTo(3);
            Set<Long> heads = new HashSet<>();
            List<Buf> all = List.of(pool.alloc(), pool.alloc(), pool.alloc());
            all.forEach(buf -> heads.add(buf.head()));
            assertThat(heads).containsExactlyInAnyOrder(0L, 100L, 200L);
            all.forEach(Buf::release);
        }
    }

    @Test
    void anEmptyPoolSaysSo() {
        try (BufPool pool = BufPool.create(1, 8, mmap).start()) {
            Buf[] into = new Buf[1];
            assertThat(pool.tryAlloc(into)).isEqualTo(DocaError.SUCCESS);
            Buf only = into[0];
            assertRefused(DocaError.EMPTY, pool::alloc, "pool of 1 buffers of 8 bytes");
            assertThat(pool.tryAlloc(into)).isEqualTo(DocaError.EMPTY);
            assertThat(into[0]).as("left as it is").isSameAs(only);
            assertThat(pool.tryAlloc(new Buf[0])).isEqualTo(DocaError.INVALID_VALUE);
            only.release();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 100", "64, 128", "128, 128", "256, 256"})
    void addressesAreMultiplesOfTheAlignment(long alignment, long stride) {
        try (BufPool pool = BufPool.create(3, 100, mmap).elementAlignment(alignment).start()) {
            assertThat(pool.elementAlignment()).isEqualTo(alignment);
            List<Buf> bufs = List.of(pool.alloc(), pool.alloc(), pool.alloc());
            for (int i = 0; i < 3; i++) {
                assertThat(bufs.get(i).address() % alignment).isZero();
                assertThat(bufs.get(i).head() - bufs.get(0).head()).isEqualTo(i * stride);
            }
            bufs.forEach(Buf::release);
        }
    }

    @Test
    void memoryThatBeginsUnalignedIsSkippedToTheFirstMultiple() {
        try (Mmap odd = Mmap.builder().memrange(mmap.segment().asSlice(8, 512)).build().start();
                BufPool pool = BufPool.create(3, 100, odd).elementAlignment(128).start();
                BufPool more = BufPool.create(4, 100, odd).elementAlignment(128)) {
            Buf first = pool.alloc();
            assertThat(first.address() % 128).isZero();
            assertThat(first.head()).isEqualTo(120);
            first.release();
            assertRefused(DocaError.INITIALIZATION, more::start, "alignment of 128", "512 bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1024, true",
        "1, 1025, false",
        "16, 64, true",
        "17, 64, false",
        "1, 9223372036854775807, false",
        "65536, 1, false",
        "2, 4611686018427387904, false",
    })
    void allBuffersHaveToFitInTheMemory(int count, long bytes, boolean fits) {
        try (BufPool pool = BufPool.create(count, bytes, mmap)) {
            if (fits) {
                pool.start();
            } else {
                assertRefused(DocaError.INITIALIZATION, pool::start, "does not fit", "1024 bytes");
                assertRefused(DocaError.BAD_STATE, pool::alloc);
            }
        }
    }

    @Test
    void theDefaultsAreThoseOfDoca() {
        try (BufPool pool = BufPool.create(2, 8, mmap)) {
            assertThat(pool.elementAlignment()).isEqualTo(1);
            assertThat(pool.userData()).isNull();
            assertThat(pool.count()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 3, 96, Long.MIN_VALUE})
    void anAlignmentIsAPowerOfTwo(long alignment) {
        try (BufPool pool = BufPool.create(1, 8, mmap)) {
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> pool.elementAlignment(alignment),
                    "power of two",
                    Long.toString(alignment));
        }
    }

    @Test
    void refusesSizesThatCannotBe() {
        assertRefused(DocaError.INVALID_VALUE, () -> BufPool.create(0, 8, mmap), "1 to");
        assertRefused(DocaError.INVALID_VALUE, () -> BufPool.create(1, 0, mmap), "from 1");
        assertRefused(DocaError.INVALID_VALUE, () -> BufPool.createShared(1, -1, mmap), "from 1");
    }

    @Test
    void isCreatedStartedStoppedAndClosed() {
        BufPool pool = BufPool.create(2, 8, mmap);
        assertRefused(DocaError.BAD_STATE, pool::alloc, "not started");
        assertThat(pool.tryAlloc(new Buf[1])).isEqualTo(DocaError.BAD_STATE);
        pool.userData("mine").start();
        assertThat(pool.userData()).isEqualTo("mine");
        assertRefused(DocaError.BAD_STATE, pool::start, "is started");
        assertRefused(DocaError.BAD_STATE, () -> pool.userData("other"), "is started");
        assertRefused(DocaError.BAD_STATE, () -> pool.elementAlignment(8), "is started");
        Buf buf = pool.alloc();
        assertRefused(DocaError.IN_USE, pool::stop, "1 are out");
        buf.release();
        pool.stop();
        pool.stop();
        assertRefused(DocaError.BAD_STATE, pool::alloc, "not started");
        pool.elementAlignment(16).start();
        buf = pool.alloc();
        assertThat(buf.address() % 16).isZero();
        buf.release();
        pool.close();
        pool.close();
        assertRefused(DocaError.BAD_STATE, pool::start, "closed");
    }

    @Test
    void closingTakesBackWhatIsOut() {
        BufPool pool = BufPool.create(3, 8, mmap).start();
        Buf head = pool.alloc();
        head.chain(pool.alloc());
        head.retain();
        pool.close();
        pool.close();
        assertThat(mmap.bufferCount()).as("buffers that point into the memory").isZero();
        assertThat(pool.freeCount()).isEqualTo(3);
        assertRefused(DocaError.BAD_STATE, head::data, "back in its inventory");
        assertRefused(DocaError.BAD_STATE, pool::alloc);
        assertRefused(DocaError.BAD_STATE, pool::start, "closed");
    }

    @Test
    void anotherThreadDoesNotCloseAPoolWithBuffersOut() throws InterruptedException {
        BufPool pool = BufPool.create(1, 8, mmap).start();
        Buf buf = pool.alloc();
        Thread other =
                Thread.ofPlatform()
                        .start(() -> {
                            try {
                                pool.close();
                            } catch (DocaException e) {
                                elsewhere = e.error();
                            }
                        });
        other.join();
        assertThat(elsewhere).isEqualTo(DocaError.BAD_STATE);
        assertThat(buf.len()).isEqualTo(8);
        pool.close();
    }

    @Test
    void theMemoryIsStartedBeforeThePool() {
        try (Mmap idle = Mmap.builder().memrange(64).build();
                BufPool pool = BufPool.create(1, 8, idle)) {
            assertRefused(DocaError.BAD_STATE, pool::start, "needs its memory started");
            idle.start();
            Buf buf = pool.start().alloc();
            assertRefused(DocaError.NOT_PERMITTED, idle::stop);
            buf.release();
        }
    }

    @Test
    void aPoolForOneThreadRefusesAnother() throws InterruptedException {
        try (BufPool pool = BufPool.create(2, 8, mmap).start()) {
            Buf buf = pool.alloc();
            Thread other = Thread.ofPlatform().start(() -> elsewhere = pool.tryAlloc(new Buf[1]));
            other.join();
            assertThat(elsewhere).isEqualTo(DocaError.BAD_STATE);
            buf.release();
        }
    }

    @Test
    void aSharedPoolGivesNoMemoryTwice() throws Exception {
        try (BufPool pool = BufPool.createShared(THREADS + 1, 8, mmap).start();
                ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            boolean[] out = new boolean[1024];
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                ends.add(
                        threads.submit(() -> {
                            for (int round = 0; round < ROUNDS; round++) {
                                takeAndGiveBack(pool, out);
                            }
                        }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
            assertThat(pool.freeCount()).isEqualTo(THREADS + 1);
        }
    }

    private static void takeAndGiveBack(BufPool pool, boolean[] out) {
        Buf buf = pool.alloc();
        int place = (int) buf.head();
        synchronized (out) {
            assertThat(out[place]).as("out twice").isFalse();
            out[place] = true;
        }
        Thread.onSpinWait();
        synchronized (out) {
            out[place] = false;
        }
        buf.release();
    }

    @Test
    void takingAndGivingBackAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (BufPool pool = BufPool.create(4, 8, mmap).start()) {
            Buf[] into = new Buf[1];
            long least = Long.MAX_VALUE;
            for (int round = 0; round < MEASUREMENTS && least >= SLACK_BYTES; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < MEASURED; i++) {
                    pool.tryAlloc(into);
                    into[0].release();
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes per %d buffers", MEASURED).isLessThan(SLACK_BYTES);
        }
    }
}
