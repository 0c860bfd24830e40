package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Space;

/// What fences tell apart, as small numbers for the tables of the checker.
final class AddressKind {
    /// The heap.
    static final int HEAP = 0;

    /// DPA memory that is not heap.
    static final int REST = 1;

    /// External memory.
    static final int WINDOW = 2;

    /// The outbox: doorbells.
    static final int OUTBOX = 3;

    /// How many kinds there are.
    static final int COUNT = 4;

    private AddressKind() {}

    static int of(long address) {
        if (address < 0) {
            return WINDOW;
        }
        if (AddressMap.isHeap(address)) {
            return HEAP;
        }
        return AddressMap.isOutbox(address) ? OUTBOX : REST;
    }

    /// Whether it is DPA memory.
    static boolean isMemory(int kind) {
        return kind <= REST;
    }

    /// DPA-MEM-5: whether a fence on the space covers the kind.
    static boolean covers(Space space, int kind) {
        return switch (space) {
            case HEAP -> kind == HEAP;
            case MEMORY -> kind <= REST;
            case MMIO -> kind >= WINDOW;
            case SYSTEM -> true;
        };
    }
}
