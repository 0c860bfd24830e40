package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-3: an entry of a completion queue (CQE): 64 bytes, the fields below, big-endian, and the
/// rest reserved. Each method takes the memory that its caller sees and the address of an entry.
///
/// DPA-FXQ-4, DPA-FXQ-5: software owns an entry when its owner bit differs from the expected bit,
/// which is 1 at first and flips at each wrap. With `index` counting the entries that were taken:
///
/// ```java
/// long entry = ring + (index & mask) * CompletionEntry.BYTES;
/// while (!CompletionEntry.isReady(thread, entry, index, logDepth)) {}
/// ```
public final class CompletionEntry {
    /// Size of an entry.
    public static final int BYTES = 64;

    /// Where the word is that tells why a request failed; [Syndrome] has its low byte.
    public static final int SYNDROME = 0x34;

    /// Where the byte of owner bit and opcode is.
    public static final int OWNER = 0x3F;

    /// Opcode: a request of the send queue is done.
    public static final int REQUEST = 0x0;

    /// Opcode: a write with immediate data took a receive entry.
    public static final int RECEIVED_WRITE_IMMEDIATE = 0x1;

    /// Opcode: a send has arrived.
    public static final int RECEIVED_SEND = 0x2;

    /// Opcode: a send with immediate data has arrived.
    public static final int RECEIVED_SEND_IMMEDIATE = 0x3;

    /// DPA-ERR-21: opcode: a request of the send queue failed.
    public static final int REQUEST_ERROR = 0xD;

    /// DPA-ERR-21: opcode: a receive entry failed.
    public static final int RECEIVE_ERROR = 0xE;

    /// Opcode of an entry that was never written.
    public static final int INVALID = 0xF;

    /// DPA-FXQ-8d: set in [#checksumsOk]: the checksum of the IPv4 header is right, or the frame is
    /// IPv6, whose header has none.
    public static final int L3_OK = 1 << 1;

    /// DPA-FXQ-8d: set in [#checksumsOk]: the checksum of TCP or UDP is there and right.
    public static final int L4_OK = 1 << 2;

    private static final int CHECKSUMS_OK = 0x14;
    private static final int USER_INDEX = 0x20;
    private static final int IMMEDIATE = 0x24;
    private static final int BYTE_COUNT = 0x2C;
    private static final int QUEUE_NUMBER = 0x38;
    private static final int WORK_COUNTER = 0x3C;
    private static final int OPCODE_SHIFT = 4;
    private static final int NUMBER_MASK = 0xFF_FFFF;
    private static final int COUNTER_MASK = 0xFFFF;
    private static final int COUNTER_SHIFT = 16;

    private CompletionEntry() {}

    /// DPA-FXQ-4: the owner bit that the NIC gives to the entry of that index.
    public static int hardwareOwner(long index, int logDepth) {
        return (int) (index >>> logDepth) & 1;
    }

    /// Whether the NIC has written the entry of that index.
    public static boolean isReady(MemoryAccess memory, long entry, long index, int logDepth) {
        return owner(memory, entry) == hardwareOwner(index, logDepth);
    }

    /// The owner bit.
    public static int owner(MemoryAccess memory, long entry) {
        return memory.load8(entry + OWNER) & 1;
    }

    /// The opcode, one of those above.
    public static int opcode(MemoryAccess memory, long entry) {
        return (memory.load8(entry + OWNER) & 0xFF) >>> OPCODE_SHIFT;
    }

    /// DPA-FXQ-8d: which checksums of a received frame the NIC has found right: [#L3_OK], [#L4_OK].
    /// No bit for what the frame does not have, or has in a fragment.
    ///
    /// FlexIO does not publish the bits of this field; these are the ones that mlx5 has in a field
    /// of the same kind.
    public static int checksumsOk(MemoryAccess memory, long entry) {
        return BigEndian.load16(memory, entry + CHECKSUMS_OK);
    }

    /// What the owner of the queue pair calls it, or the number of a shared receive queue.
    public static int userIndex(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + USER_INDEX);
    }

    /// The immediate data.
    public static int immediate(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + IMMEDIATE);
    }

    /// How many bytes were transferred.
    public static int byteCount(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + BYTE_COUNT);
    }

    /// Why it failed: the code of a [Syndrome].
    public static int syndrome(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + SYNDROME);
    }

    /// The number of the queue pair.
    public static int queueNumber(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + QUEUE_NUMBER) & NUMBER_MASK;
    }

    /// The counter of the work queue at the entry that is done.
    public static int workCounter(MemoryAccess memory, long entry) {
        return BigEndian.load16(memory, entry + WORK_COUNTER);
    }

    /// Writes all but what [#writeOwner] writes.
    public static void writeBody(
            MemoryAccess memory,
            long entry,
            int userIndex,
            int immediate,
            int byteCount,
            int syndrome,
            int checksumsOk) {
        for (int at = 0; at < USER_INDEX; at += Long.BYTES) {
            boolean hasChecksums = at == CHECKSUMS_OK - Integer.BYTES;
            long word = hasChecksums ? (long) checksumsOk << Short.SIZE : 0;
            BigEndian.store64(memory, entry + at, word);
        }
        BigEndian.store64(memory, entry + USER_INDEX, pair(userIndex, immediate));
        BigEndian.store64(memory, entry + BYTE_COUNT - Integer.BYTES, byteCount & 0xFFFF_FFFFL);
        BigEndian.store64(memory, entry + SYNDROME - Integer.BYTES, syndrome & 0xFFFF_FFFFL);
    }

    /// Writes the last 8 bytes, in one store: from then on software owns the entry.
    public static void writeOwner(
            MemoryAccess memory,
            long entry,
            int queueNumber,
            int workCounter,
            int opcode,
            int owner) {
        int low =
                ((workCounter & COUNTER_MASK) << COUNTER_SHIFT) | (opcode << OPCODE_SHIFT) | owner;
        BigEndian.store64(memory, entry + QUEUE_NUMBER, pair(queueNumber & NUMBER_MASK, low));
    }

    private static long pair(int high, int low) {
        return ((long) high << Integer.SIZE) | (low & 0xFFFF_FFFFL);
    }

    /// DPA-FXQ-4: what the host fills a ring with before it creates the queue: entries that were
    /// never written, with owner bit 1.
    public static byte[] freshRing(int logDepth) {
        byte[] ring = new byte[BYTES << logDepth];
        for (int entry = 0; entry < ring.length; entry += BYTES) {
            ring[entry + OWNER] = (byte) ((INVALID << OPCODE_SHIFT) | 1);
        }
        return ring;
    }
}
