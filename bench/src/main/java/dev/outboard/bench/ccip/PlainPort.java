package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.wire.Line;

/// The least that carries a line in and a line out per cycle: a line of memory goes through a ring
/// of as many cycles as a link takes to an AFU, and from it through another to memory. No rules, no
/// channels, no checks.
final class PlainPort implements Ours.Subject {
    private static final int LINES = CopyPort.LINES;
    private static final int LATENCY = 128;

    private final long[] from = new long[LINES * Line.LONGS];
    private final long[] to = new long[LINES * Line.LONGS];
    private final long[] in = new long[LATENCY * Line.LONGS];
    private final long[] out = new long[LATENCY * Line.LONGS];
    private final long[] inAddress = new long[LATENCY];
    private final long[] outAddress = new long[LATENCY];
    private final long[] wires = new long[Line.LONGS];
    private long cycle;

    @Override
    public double run(long nanos) {
        return CycleRate.measure(nanos, () -> cycle, this::copyAll);
    }

    private void copyAll() {
        for (int i = 0; i < LINES; i++) {
            clock();
        }
    }

    private void clock() {
        int slot = (int) cycle & LATENCY - 1;
        // What was written so many cycles ago reaches memory, what was read reaches the wires.
        copy(out, slot, to, (int) outAddress[slot]);
        copy(in, slot, wires, 0);
        long address = inAddress[slot];
        // The AFU writes what it got, and reads the next line.
        copy(wires, 0, out, slot);
        outAddress[slot] = address;
        inAddress[slot] = cycle & LINES - 1;
        copy(from, (int) inAddress[slot], in, slot);
        cycle++;
    }

    private static void copy(long[] source, int line, long[] target, int into) {
        System.arraycopy(source, line * Line.LONGS, target, into * Line.LONGS, Line.LONGS);
    }

    @Override
    public void close() {}
}
