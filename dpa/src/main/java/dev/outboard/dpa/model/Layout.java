package dev.outboard.dpa.model;

import java.util.Arrays;
import java.util.BitSet;

/// The memory that a run has, cut into granules of 8 bytes. Addresses in the model are bytes from
/// the start of DPA memory or of external memory; an access lies within one granule. Memory may
/// grow, as a run comes to touch more of it.
public final class Layout {
    /// The size of a granule.
    public static final int GRANULE_BYTES = 8;

    private static final int FIRST_CAPACITY = 8;

    private final int threads;
    private final int doorbells;
    private final boolean arrivalsWatched;
    private boolean[] heap = new boolean[FIRST_CAPACITY];
    private int memory;
    private int[] lines = new int[FIRST_CAPACITY];
    private int external;

    /// The granules of external memory that are registers.
    private final BitSet registers = new BitSet();

    /// Without memory yet.
    ///
    /// @param threads the number of DPA threads
    /// @param doorbells the number of different doorbells
    /// @param arrivalsWatched whether anybody asks for the order in which doorbells arrived
    public Layout(int threads, int doorbells, boolean arrivalsWatched) {
        this.threads = threads;
        this.doorbells = doorbells;
        this.arrivalsWatched = arrivalsWatched;
    }

    /// Adds a granule of DPA memory.
    ///
    /// @return its number
    public int addMemory(boolean inHeap) {
        if (memory == heap.length) {
            heap = Arrays.copyOf(heap, 2 * memory);
        }
        heap[memory] = inHeap;
        return memory++;
    }

    /// Adds a granule of external memory. Granules of a line are added one after the other.
    ///
    /// @param line the number of its line of 64 bytes
    /// @return its number
    public int addExternal(int line) {
        if (external == lines.length) {
            lines = Arrays.copyOf(lines, 2 * external);
        }
        lines[external] = line;
        return external++;
    }

    /// Adds a granule of registers of a device.
    ///
    /// @param line of its own
    /// @return its number, among those of external memory
    public int addRegisters(int line) {
        int granule = addExternal(line);
        registers.set(granule);
        return granule;
    }

    /// Whether a granule of external memory is one of registers.
    boolean isRegisters(int granule) {
        return registers.get(granule);
    }

    int threads() {
        return threads;
    }

    int doorbells() {
        return doorbells;
    }

    boolean arrivalsWatched() {
        return arrivalsWatched;
    }

    /// What a write to an address of DPA memory is.
    Kind kindOf(int address) {
        return heap[Bytes.granule(address)] ? Kind.HEAP : Kind.MEMORY;
    }

    /// Whether other granules lie in the line of this one.
    boolean sharesLine(int granule) {
        return firstOfLine(granule) != granule || lastOfLine(granule) != granule;
    }

    /// The first granule of the line.
    int firstOfLine(int granule) {
        int first = granule;
        while (first > 0 && lines[first - 1] == lines[granule]) {
            first--;
        }
        return first;
    }

    /// The last granule of the line.
    int lastOfLine(int granule) {
        int last = granule;
        while (last + 1 < external && lines[last + 1] == lines[granule]) {
            last++;
        }
        return last;
    }
}
