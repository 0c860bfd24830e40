package dev.outboard.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Registers of something that stands where memory could stand: the memory-mapped space of a
/// device. See [ProtectionDomain#registerMmio].
///
/// Each 4 or 8 bytes that a packet brings or fetches are one call, in the order of their offsets:
/// eight bytes at once from a multiple of eight on, four where fewer are left. Values are in the
/// byte order of this machine, as memory would hold them. What is not made of multiples of four is
/// refused, unless the handler takes bytes of any number itself.
///
/// A packet of a WRITE takes effect once, whatever is repeated on the way. A READ, and a SEND or
/// WRITE of our own that takes its payload from here, reads again what has to be sent again: a
/// register that changes when it is read should be read by one packet only, and one that may be
/// lost.
///
/// The calls come inside a turn of the device, by the thread that drives. What holds for a
/// [CompletionSink] holds here: a handler may post, and must not wait. What it throws is how it
/// refuses: the failure is counted as `memory.mmio-failures` of [Device#counters], the first one of
/// a device is logged, and the operation ends, at a peer with REMOTE_OPERATION_ERROR, at ours with
/// LOCAL_QP_OPERATION_ERROR. Words before the refused one have had their effect.
public interface MmioHandler {
    /// Reads the four bytes at `offset`, a multiple of four.
    int readInt(long offset);

    /// Reads the eight bytes at `offset`, a multiple of eight.
    long readLong(long offset);

    /// Writes the four bytes at `offset`, a multiple of four.
    void writeInt(long offset, int value);

    /// Writes the eight bytes at `offset`, a multiple of eight.
    void writeLong(long offset, long value);

    /// Reads `length` bytes from `offset` on to `position` of `target`.
    default void read(long offset, MemorySegment target, long position, int length) {
        requireWords(offset, length);
        int done = 0;
        while (done < length) {
            if (isLong(offset + done, length - done)) {
                long value = readLong(offset + done);
                target.set(ValueLayout.JAVA_LONG_UNALIGNED, position + done, value);
                done += Long.BYTES;
            } else {
                int value = readInt(offset + done);
                target.set(ValueLayout.JAVA_INT_UNALIGNED, position + done, value);
                done += Integer.BYTES;
            }
        }
    }

    /// Writes `length` bytes from `position` of `source` on to `offset`.
    default void write(long offset, MemorySegment source, long position, int length) {
        requireWords(offset, length);
        int done = 0;
        while (done < length) {
            if (isLong(offset + done, length - done)) {
                writeLong(
                        offset + done,
                        source.get(ValueLayout.JAVA_LONG_UNALIGNED, position + done));
                done += Long.BYTES;
            } else {
                writeInt(
                        offset + done, source.get(ValueLayout.JAVA_INT_UNALIGNED, position + done));
                done += Integer.BYTES;
            }
        }
    }

    private static boolean isLong(long offset, int left) {
        return offset % Long.BYTES == 0 && left >= Long.BYTES;
    }

    private static void requireWords(long offset, int length) {
        if (offset % Integer.BYTES != 0 || length % Integer.BYTES != 0) {
            throw new IllegalArgumentException(
                    "%d bytes at %d are no registers; valid: multiples of 4"
                            .formatted(length, offset));
        }
    }
}
