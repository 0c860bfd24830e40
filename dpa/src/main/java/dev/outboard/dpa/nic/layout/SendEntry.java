package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-8: an entry of a send queue (WQE): blocks of 64 bytes, each of four segments of 16
/// bytes, big-endian. First the control segment; then what the opcode asks for: nothing for a send,
/// the remote segment for a write or a read, remote and atomic segment for an atomic; then the
/// data, as [DataSegment] has them. Entries that no peer is asked for have segments of their own:
/// [TransposeSegment], [WaitSegment].
public final class SendEntry {
    /// Size of a block.
    public static final int BYTES = 64;

    /// Size of a segment.
    public static final int SEGMENT_BYTES = 16;

    /// Opcode: nothing is done.
    public static final int NOP = 0x00;

    /// Opcode: RDMA write.
    public static final int RDMA_WRITE = 0x08;

    /// Opcode: RDMA write that takes a receive entry and brings immediate data.
    public static final int RDMA_WRITE_IMMEDIATE = 0x09;

    /// Opcode: send.
    public static final int SEND = 0x0A;

    /// Opcode: send with immediate data.
    public static final int SEND_IMMEDIATE = 0x0B;

    /// DPA-FXQ-8d: opcode: large send (LSO): TCP payload that the NIC cuts into frames, as
    /// [EthernetSegment] says.
    public static final int LSO = 0x0E;

    /// Opcode: waits until a word of memory compares with data as [WaitSegment] says. Beside its
    /// byte it has a modifier, in the highest one.
    public static final int WAIT_ON_DATA = 0x0100_000F;

    /// Opcode: RDMA read.
    public static final int RDMA_READ = 0x10;

    /// Opcode: compare and swap of 8 bytes.
    public static final int ATOMIC_COMPARE_SWAP = 0x11;

    /// Opcode: fetch and add of 8 bytes.
    public static final int ATOMIC_FETCH_ADD = 0x12;

    /// Opcode: writes a matrix of the own memory transposed elsewhere, as [TransposeSegment] says.
    public static final int TRANSPOSE = 0x32;

    /// Opcode: copies own memory. A segment that is ignored stands before those of source and
    /// destination. It is that of a transposition with another modifier.
    public static final int LOCAL_DMA = 0x0100_0032;

    /// Completion mode: a completion entry only if the request fails.
    public static final int COMPLETE_ON_ERROR = 0;

    /// Completion mode: a completion entry in any case.
    public static final int COMPLETE_ALWAYS = 2;

    private static final int OPCODE_MASK = 0xFF00_00FF;
    private static final int QUEUE_AND_SIZE = 4;
    private static final int MODES = 8;
    private static final int IMMEDIATE = 12;
    private static final int REMOTE_KEY = 8;
    private static final int COMPARE = 8;
    private static final int INDEX_SHIFT = 8;
    private static final int INDEX_MASK = 0xFFFF;
    private static final int QUEUE_SHIFT = 8;
    private static final int SIZE_MASK = 0x3F;
    private static final int COMPLETION_SHIFT = 2;
    private static final int COMPLETION_MASK = 3;

    private SendEntry() {}

    /// What an opcode is called in traces and reports.
    public static String name(int opcode) {
        return switch (opcode) {
            case NOP -> "nothing";
            case RDMA_WRITE -> "RDMA write";
            case RDMA_WRITE_IMMEDIATE -> "RDMA write with immediate";
            case SEND -> "send";
            case SEND_IMMEDIATE -> "send with immediate";
            case LSO -> "large send";
            case RDMA_READ -> "RDMA read";
            case ATOMIC_COMPARE_SWAP -> "compare and swap";
            case ATOMIC_FETCH_ADD -> "fetch and add";
            case TRANSPOSE -> "transposition";
            case LOCAL_DMA -> "copy";
            case WAIT_ON_DATA -> "wait";
            default -> "unknown opcode";
        };
    }

    /// Writes the control segment, the first of an entry.
    ///
    /// @param index the counter of the send queue at this entry, of 16 bits
    /// @param segments how many segments the entry has, this one included
    /// @param completion a completion mode
    public static void writeControl(
            MemoryAccess memory,
            long entry,
            int index,
            int opcode,
            int queueNumber,
            int segments,
            int completion) {
        BigEndian.store32(memory, entry, ((index & INDEX_MASK) << INDEX_SHIFT) | opcode);
        BigEndian.store32(memory, entry + QUEUE_AND_SIZE, (queueNumber << QUEUE_SHIFT) | segments);
        BigEndian.store32(memory, entry + MODES, completion << COMPLETION_SHIFT);
        BigEndian.store32(memory, entry + IMMEDIATE, 0);
    }

    /// Writes the immediate data into a control segment.
    public static void writeImmediate(MemoryAccess memory, long entry, int immediate) {
        BigEndian.store32(memory, entry + IMMEDIATE, immediate);
    }

    /// Writes a remote segment.
    public static void writeRemote(MemoryAccess memory, long segment, long address, int key) {
        BigEndian.store64(memory, segment, address);
        BigEndian.store64(memory, segment + REMOTE_KEY, (long) key << Integer.SIZE);
    }

    /// Writes an atomic segment.
    ///
    /// @param operand what is added, or what is stored if the 8 bytes equal `compare`
    public static void writeAtomic(MemoryAccess memory, long segment, long operand, long compare) {
        BigEndian.store64(memory, segment, operand);
        BigEndian.store64(memory, segment + COMPARE, compare);
    }

    /// The counter in the control segment.
    public static int index(MemoryAccess memory, long entry) {
        return (BigEndian.load32(memory, entry) >>> INDEX_SHIFT) & INDEX_MASK;
    }

    /// The opcode in the control segment, with its modifier.
    public static int opcode(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry) & OPCODE_MASK;
    }

    /// The queue number in the control segment.
    public static int queueNumber(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + QUEUE_AND_SIZE) >>> QUEUE_SHIFT;
    }

    /// How many segments the entry has.
    public static int segments(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + QUEUE_AND_SIZE) & SIZE_MASK;
    }

    /// The completion mode in the control segment.
    public static int completion(MemoryAccess memory, long entry) {
        return (BigEndian.load32(memory, entry + MODES) >>> COMPLETION_SHIFT) & COMPLETION_MASK;
    }

    /// The immediate data in the control segment.
    public static int immediate(MemoryAccess memory, long entry) {
        return BigEndian.load32(memory, entry + IMMEDIATE);
    }

    /// The address in a remote segment.
    public static long remoteAddress(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment);
    }

    /// The key in a remote segment.
    public static int remoteKey(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment + REMOTE_KEY);
    }

    /// The operand in an atomic segment.
    public static long operand(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment);
    }

    /// What an atomic segment compares with.
    public static long compare(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment + COMPARE);
    }
}
