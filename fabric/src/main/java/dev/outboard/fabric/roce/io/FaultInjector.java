package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A bad network in one direction: loses, repeats, reorders, damages and delays packets, as
/// [Faults] say. What happens to a packet depends on the seed and the packets before it alone.
public final class FaultInjector implements FrameSink {
    /// A packet that waits for another to overtake it waits no longer than this.
    static final long OVERTAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// The network holds no more packets than this; it loses those that come on top.
    static final int MAX_HELD = 4096;

    private static final int MAX_FRAME_BYTES = 1 << 16;

    private final Faults faults;
    private final SplittableRandom random;
    private final FrameSink next;
    private final MemorySegment scratch = Arena.ofAuto().allocate(MAX_FRAME_BYTES, Long.BYTES);
    private final Queue<Held> delayed = new ArrayDeque<>();
    private @Nullable Held overtaken;
    private long losses;

    /// A packet in the network. Its time runs from the first [#advance] after it was put somewhere.
    private static final class Held {
        private static final long NOT_RUNNING = Long.MIN_VALUE;

        private final Path path;
        private final int trafficClass;
        private final byte[] bytes;
        private long dueNanos = NOT_RUNNING;

        Held(Path path, int trafficClass, byte[] bytes) {
            this.path = path;
            this.trafficClass = trafficClass;
            this.bytes = bytes;
        }

        long dueNanos(long nowNanos, long waitNanos) {
            if (dueNanos == NOT_RUNNING) {
                dueNanos = nowNanos + waitNanos;
            }
            return dueNanos;
        }
    }

    /// @param random decides; give each direction one of its own
    /// @param next what packets reach that come through
    public FaultInjector(Faults faults, SplittableRandom random, FrameSink next) {
        this.faults = faults;
        this.random = random;
        this.next = next;
    }

    @Override
    public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
        if (happens(faults.loss())) {
            losses++;
            return;
        }
        int copies = happens(faults.duplicate()) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            byte[] copy = bytes.asSlice(at, length).toArray(JAVA_BYTE);
            if (length > 0 && happens(faults.corrupt())) {
                int bit = random.nextInt(length * Byte.SIZE);
                copy[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            }
            delay(new Held(path, trafficClass, copy));
        }
    }

    @Override
    public long advance(long nowNanos) {
        releaseDelayed(nowNanos);
        releaseOvertaken(nowNanos);
        return Math.min(nextDueNanos(nowNanos), next.advance(nowNanos));
    }

    /// Packets that were lost on purpose.
    public long losses() {
        return losses;
    }

    private boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    private void delay(Held held) {
        if (faults.delayNanos() == 0) {
            release(held);
        } else if (delayed.size() < MAX_HELD) {
            delayed.add(held);
        } else {
            losses++;
        }
    }

    private void releaseDelayed(long nowNanos) {
        // All of them wait equally long, so they are due in the order they came.
        delayed.forEach(held -> held.dueNanos(nowNanos, faults.delayNanos()));
        Held first = delayed.peek();
        while (first != null && first.dueNanos <= nowNanos) {
            delayed.remove();
            first.dueNanos = Held.NOT_RUNNING;
            release(first);
            first = delayed.peek();
        }
    }

    private void releaseOvertaken(long nowNanos) {
        Held late = overtaken;
        if (late != null && late.dueNanos(nowNanos, OVERTAKE_NANOS) <= nowNanos) {
            overtaken = null;
            emit(late);
        }
    }

    private long nextDueNanos(long nowNanos) {
        Held first = delayed.peek();
        Held late = overtaken;
        return Math.min(
                first == null ? Long.MAX_VALUE : first.dueNanos(nowNanos, faults.delayNanos()),
                late == null ? Long.MAX_VALUE : late.dueNanos(nowNanos, OVERTAKE_NANOS));
    }

    private void release(Held held) {
        if (overtaken == null && happens(faults.reorder())) {
            overtaken = held;
            return;
        }
        emit(held);
        Held late = overtaken;
        if (late != null) {
            overtaken = null;
            emit(late);
        }
    }

    private void emit(Held held) {
        MemorySegment.copy(held.bytes, 0, scratch, JAVA_BYTE, 0, held.bytes.length);
        next.frame(held.path, held.trafficClass, scratch, 0, held.bytes.length);
    }
}
