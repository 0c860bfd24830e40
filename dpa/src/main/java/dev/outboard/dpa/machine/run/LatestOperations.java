package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;
import java.util.ArrayList;
import java.util.List;

/// The latest operations of a thread, for its crash report. Noting one allocates nothing.
public final class LatestOperations {
    private static final int KEPT = 16;
    private static final Kind[] KINDS = Kind.values();
    private static final int LENGTH_BITS = 8;

    private final long[] addresses = new long[KEPT];
    private final int[] operations = new int[KEPT];
    private int noted;

    /// Notes an operation; length 0 is for those without an address.
    public void note(Kind kind, long address, int lengthBytes) {
        int slot = noted++ & (KEPT - 1);
        addresses[slot] = address;
        operations[slot] = (kind.ordinal() << LENGTH_BITS) | lengthBytes;
    }

    /// The oldest first.
    public List<MemoryOperation> list() {
        List<MemoryOperation> latest = new ArrayList<>();
        for (int i = Math.max(0, noted - KEPT); i < noted; i++) {
            int slot = i & (KEPT - 1);
            int operation = operations[slot];
            latest.add(
                    new MemoryOperation(
                            KINDS[operation >> LENGTH_BITS],
                            addresses[slot],
                            operation & ((1 << LENGTH_BITS) - 1)));
        }
        return latest;
    }
}
