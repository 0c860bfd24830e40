package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.nic.layout.TransposeSegment;
import dev.outboard.dpa.nic.layout.WaitSegment;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// DPA-FXQ-8e: what an entry of a send queue has the NIC do without a peer: copy or transpose
/// memory, or wait for a word of it. Each send queue has one, and uses it again and again.
final class LocalWork {
    private static final int MOVE_SEGMENTS = 4;
    private static final int WAIT_SEGMENTS = 3;
    private static final int NO_QUEUE = -1;

    private final Shared shared;
    private int opcode;

    /// What is read: the source, or the word.
    private long source;

    private @Nullable MemoryKey sourceKey;

    // Of a copy or a transposition

    private long target;
    private @Nullable MemoryKey targetKey;
    private int lengthBytes;
    private int elementBytes;
    private int columns;
    private int rows;

    // Of a wait

    private int operation;
    private boolean inverted;
    private long data;
    private long mask;

    /// The last word whose role was told.
    private long told;

    LocalWork(Shared shared) {
        this.shared = shared;
    }

    /// How many segments such an entry has, or 0 if that is no opcode of one.
    static int segments(int opcode) {
        return switch (opcode) {
            case SendEntry.LOCAL_DMA, SendEntry.TRANSPOSE -> MOVE_SEGMENTS;
            case SendEntry.WAIT_ON_DATA -> WAIT_SEGMENTS;
            default -> 0;
        };
    }

    /// How many bytes are written.
    int lengthBytes() {
        return lengthBytes;
    }

    /// DPA-FXQ-9: reads what the segments after the first one ask for.
    ///
    /// @param last the last one of a copy or a transposition
    Syndrome parse(Nic nic, int opcode, long first, long second, long last) {
        this.opcode = opcode;
        sourceKey = null;
        targetKey = null;
        lengthBytes = 0;
        return opcode == SendEntry.WAIT_ON_DATA
                ? parseWait(nic, first, second)
                : parseMove(nic, first, second, last);
    }

    private Syndrome parseWait(Nic nic, long first, long second) {
        operation = WaitSegment.operation(nic, first);
        inverted = WaitSegment.isInverted(nic, first);
        source = WaitSegment.address(nic, first);
        data = WaitSegment.data(nic, second);
        mask = WaitSegment.mask(nic, second);
        if (operation > WaitSegment.CYCLIC_SMALLER || WaitSegment.failAction(nic, first) != 0) {
            return Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
        }
        sourceKey = shared.memory().local(WaitSegment.key(nic, first), source, Long.BYTES, false);
        return sourceKey == null ? Syndrome.LOCAL_PROTECTION : Syndrome.SUCCESS;
    }

    private Syndrome parseMove(Nic nic, long shape, long from, long to) {
        boolean inline = DataSegment.isInline(nic, from) || DataSegment.isInline(nic, to);
        if (inline || (opcode == SendEntry.TRANSPOSE && !parseShape(nic, shape))) {
            return Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
        }
        int length = DataSegment.byteCount(nic, from);
        boolean fits = opcode == SendEntry.LOCAL_DMA || length == elementBytes * columns * rows;
        if (!fits
                || length != DataSegment.byteCount(nic, to)
                || length > shared.maxMessageBytes()) {
            return Syndrome.LOCAL_LENGTH;
        }
        source = DataSegment.address(nic, from);
        target = DataSegment.address(nic, to);
        sourceKey = shared.memory().local(DataSegment.key(nic, from), source, length, false);
        targetKey = shared.memory().local(DataSegment.key(nic, to), target, length, true);
        if (sourceKey == null || targetKey == null) {
            return Syndrome.LOCAL_PROTECTION;
        }
        lengthBytes = length;
        return Syndrome.SUCCESS;
    }

    private boolean parseShape(Nic nic, long shape) {
        elementBytes = TransposeSegment.elementBytes(nic, shape);
        columns = TransposeSegment.columns(nic, shape);
        rows = TransposeSegment.rows(nic, shape);
        return elementBytes > 0 && isCount(columns) && isCount(rows);
    }

    private static boolean isCount(int count) {
        return count > 0 && count <= TransposeSegment.MAX_COUNT;
    }

    /// Tells what the NIC holds until the entry is done. A word of DPA memory that it waits for is
    /// there to be written meanwhile, and must reach the NIC then.
    void tellPosted(int actor, long token) {
        boolean isWait = opcode == SendEntry.WAIT_ON_DATA;
        if (isWait && sourceKey != null && source != told && !AddressMap.isWindow(source)) {
            told = source;
            shared.observer().role(source, Long.BYTES, WordRole.INDEX, NO_QUEUE);
        }
        if (targetKey != null) {
            shared.observer().posted(actor, token, source, lengthBytes, false, 0);
            shared.observer().posted(actor, token, target, lengthBytes, true, 0);
        }
    }

    /// Whether the word is not yet what the entry waits for. With a key that was destroyed since,
    /// it never will be, and nothing waits.
    boolean waits(Nic nic) {
        return opcode == SendEntry.WAIT_ON_DATA
                && isLive(sourceKey)
                && holds(nic.load64(source) & mask) == inverted;
    }

    private boolean holds(long word) {
        // Differences count in numbers as wide as the mask.
        long ahead = (word - data) << Long.numberOfLeadingZeros(mask);
        return switch (operation) {
            case WaitSegment.EQUAL -> word == data;
            case WaitSegment.BIGGER -> Long.compareUnsigned(word, data) > 0;
            case WaitSegment.SMALLER -> Long.compareUnsigned(word, data) < 0;
            case WaitSegment.CYCLIC_BIGGER -> ahead > 0;
            case WaitSegment.CYCLIC_SMALLER -> ahead < 0;
            default -> true;
        };
    }

    private boolean isLive(@Nullable MemoryKey key) {
        return key != null && shared.memory().isLive(key);
    }

    /// Executes the entry, which does not wait any more.
    Syndrome perform(Nic nic) {
        if (!isLive(sourceKey)) {
            return Syndrome.LOCAL_PROTECTION;
        }
        if (opcode == SendEntry.WAIT_ON_DATA) {
            return Syndrome.SUCCESS;
        }
        MemoryKey to = targetKey;
        if (to == null || !isLive(to)) {
            return Syndrome.LOCAL_PROTECTION;
        }
        MemorySegment buffer = shared.buffer();
        if (opcode == SendEntry.TRANSPOSE) {
            readTransposed(nic, buffer);
        } else {
            NicMemory.read(nic, source, lengthBytes, buffer, 0);
        }
        NicMemory.write(nic, to, target, lengthBytes, buffer, 0);
        return Syndrome.SUCCESS;
    }

    private void readTransposed(Nic nic, MemorySegment buffer) {
        long at = 0;
        for (int column = 0; column < columns; column++) {
            for (int row = 0; row < rows; row++) {
                long element = source + (long) (row * columns + column) * elementBytes;
                NicMemory.read(nic, element, elementBytes, buffer, at);
                at += elementBytes;
            }
        }
    }
}
