package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// c = a + b, element by element, on 32-bit floating-point numbers.
final class VectorAddition {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final long PIECE_BYTES = 1 << 20;

    private VectorAddition() {}

    /// Regions a, b and c.
    static int run(RpcContext context) throws RoutineException {
        MemorySegment a = context.parameter(0).memory();
        MemorySegment b = context.parameter(1).memory();
        MemorySegment c = context.parameter(2).memory();
        long size = c.byteSize();
        RoutineError.VECTOR_SIZE.unless(
                size % Float.BYTES == 0 && a.byteSize() == size && b.byteSize() == size);
        for (long at = 0; at < size; at += PIECE_BYTES) {
            context.throwIfCancelled();
            add(a, b, c, at, Math.min(size, at + PIECE_BYTES));
        }
        return ReturnCode.SUCCESS;
    }

    private static void add(MemorySegment a, MemorySegment b, MemorySegment c, long from, long to) {
        for (long at = from; at < to; at += Float.BYTES) {
            c.set(FLOAT, at, a.get(FLOAT, at) + b.get(FLOAT, at));
        }
    }
}
