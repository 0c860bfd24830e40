package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Adds a small number to every byte, modulo 256.
///
/// NAA-KERN-3: these are the reference library's example routines.
final class ByteAddition {
    private static final long LOW_BITS = 0x7f7f_7f7f_7f7f_7f7fL;
    private static final long HIGH_BITS = ~LOW_BITS;
    private static final long ONE_IN_EVERY_BYTE = 0x0101_0101_0101_0101L;

    private static final long PIECE_BYTES = 1 << 20;

    private ByteAddition() {}

    /// Adds `addend`, 0 to 127, to every byte of every region.
    static int run(RpcContext context, int addend) throws RoutineException {
        for (RoutineRegion region : context.parameters()) {
            MemorySegment memory = region.memory();
            for (long at = 0; at < memory.byteSize(); at += PIECE_BYTES) {
                context.throwIfCancelled();
                add(memory.asSlice(at, Math.min(PIECE_BYTES, memory.byteSize() - at)), addend);
            }
        }
        return ReturnCode.SUCCESS;
    }

    private static void add(MemorySegment region, int addend) {
        long size = region.byteSize();
        long wholeWords = size & -Long.BYTES;
        long addends = ONE_IN_EVERY_BYTE * addend;
        for (long at = 0; at < wholeWords; at += Long.BYTES) {
            long bytes = region.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            // Eight additions at once: without the top bits no carry leaves its byte, and the top
            // bits of a sum are the exclusive or of carry and operand.
            long sums = ((bytes & LOW_BITS) + addends) ^ (bytes & HIGH_BITS);
            region.set(ValueLayout.JAVA_LONG_UNALIGNED, at, sums);
        }
        for (long at = wholeWords; at < size; at++) {
            byte sum = (byte) (region.get(ValueLayout.JAVA_BYTE, at) + addend);
            region.set(ValueLayout.JAVA_BYTE, at, sum);
        }
    }
}
