package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// What a [RepeatedKernel] does, by plain loads and stores of memory like that of a process.
abstract class PlainLoop implements Ours.Subject {
    private static final long HEAP_BYTES = 4 << 20;

    private final double workPerRound;
    private final MemorySegment heap = Arena.ofAuto().allocate(HEAP_BYTES, 64);

    PlainLoop(byte[] content, double workPerRound) {
        this.workPerRound = workPerRound;
        MemorySegment.copy(content, 0, heap, ValueLayout.JAVA_BYTE, 0, content.length);
    }

    /// What is measured.
    abstract void round(MemorySegment heap);

    @Override
    public double run(long nanos) {
        return workPerRound * 1e9 / RoundTimes.median(nanos, () -> round(heap));
    }

    /// What the memory holds from its beginning on.
    byte[] heap(int lengthBytes) {
        return heap.asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {}
}
