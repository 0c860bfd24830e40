package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-3: an entry of an event queue (EQE): 64 bytes, the number of the completion queue that
/// the event is of, big-endian, an owner bit, and the rest reserved. It wraps as
/// [CompletionEntry#hardwareOwner] has it.
public final class EventEntry {
    /// Size of an entry.
    public static final int BYTES = 64;

    /// Where the byte of the owner bit is.
    public static final int OWNER = 0x3F;

    private static final int QUEUE_NUMBER = 0x38;
    private static final int NUMBER_MASK = 0xFF_FFFF;

    private EventEntry() {}

    /// The number of the completion queue.
    public static int queueNumber(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + QUEUE_NUMBER) & NUMBER_MASK;
    }

    /// The owner bit.
    public static int owner(MemoryAccess memory, long entry) {
        return memory.load8(entry + OWNER) & 1;
    }

    /// Whether the NIC has written the entry of that index.
    public static boolean isReady(MemoryAccess memory, long entry, long index, int logDepth) {
        return owner(memory, entry) == CompletionEntry.hardwareOwner(index, logDepth);
    }

    /// What the host fills a ring with before it creates the queue: entries with owner bit 1.
    public static byte[] freshRing(int logDepth) {
        byte[] ring = new byte[BYTES << logDepth];
        for (int entry = 0; entry < ring.length; entry += BYTES) {
            ring[entry + OWNER] = 1;
        }
        return ring;
    }

    /// Writes an entry; the last store has number and owner bit.
    public static void write(MemoryAccess memory, long entry, int queueNumber, int owner) {
        for (int at = 0; at < QUEUE_NUMBER; at += Long.BYTES) {
            memory.store64(entry + at, 0);
        }
        long number = queueNumber & NUMBER_MASK;
        BigEndian.store64(memory, entry + QUEUE_NUMBER, (number << Integer.SIZE) | owner);
    }
}
