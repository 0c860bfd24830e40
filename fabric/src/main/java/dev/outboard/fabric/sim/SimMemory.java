package dev.outboard.fabric.sim;

import dev.outboard.fabric.memory.Placement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// The memory system of a simulated machine. What a device writes to a region with relaxed ordering
/// can be seen line by line, in an order that the seed decides, a few lines at a time; what goes to
/// one line keeps its order.
final class SimMemory implements Placement {
    /// After so much time some more lines can be seen, if any are held back.
    static final long STEP_NANOS = 1_000;

    private static final int LINE_BYTES = 64;
    private static final int MAX_LINES_PER_STEP = 4;

    private final RandomGenerator random;

    /// In the order they were written.
    private final List<Piece> held = new ArrayList<>();

    /// What was written to one line by one packet.
    private record Piece(Target target, long offset, MemorySegment bytes) {
        long line() {
            return (target.address() + offset) / LINE_BYTES;
        }

        void store() {
            target.store(offset, bytes, 0, (int) bytes.byteSize());
        }
    }

    SimMemory(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public void place(Target target, long offset, MemorySegment source, long position, int length) {
        int done = 0;
        while (done < length) {
            long at = offset + done;
            long left = LINE_BYTES - (target.address() + at) % LINE_BYTES;
            int part = (int) Math.min(length - done, left);
            byte[] bytes = source.asSlice(position + done, part).toArray(ValueLayout.JAVA_BYTE);
            held.add(new Piece(target, at, MemorySegment.ofArray(bytes)));
            done += part;
        }
    }

    @Override
    public void settle() {
        while (!held.isEmpty()) {
            storeAny();
        }
    }

    /// Lets some more be seen.
    void step() {
        int count = held.isEmpty() ? 0 : 1 + random.nextInt(MAX_LINES_PER_STEP);
        for (int i = 0; i < count && !held.isEmpty(); i++) {
            storeAny();
        }
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    private void storeAny() {
        long line = held.get(random.nextInt(held.size())).line();
        int oldest = 0;
        while (held.get(oldest).line() != line) {
            oldest++;
        }
        held.remove(oldest).store();
    }
}
