package dev.outboard.node.routine;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/// Runs a routine of the catalog on regions of this process.
final class Rpc {
    private static final long NEVER = System.nanoTime() + Duration.ofDays(1).toNanos();

    private Rpc() {}

    /// The return code a client would get from a server, in a dialect that marks no regions.
    static int call(int functionCode, MemorySegment... memory) throws Exception {
        List<RoutineRegion> regions =
                IntStream.range(0, memory.length)
                        .mapToObj(i -> new RoutineRegion(i, 0, 0, memory[i]))
                        .toList();
        RoutineSpec spec = RoutineCatalog.ROUTINES.find(functionCode).orElseThrow();
        if (spec.mismatch(regions, Dialect.AP1_2023).isPresent()) {
            return ReturnCode.WRONG_ARGUMENTS;
        }
        RpcContext context = new RpcContext(functionCode, 0, regions, List.of(), NEVER);
        try {
            return spec.routine().run(context);
        } catch (RoutineException e) {
            return e.returnCode();
        }
    }

    static MemorySegment bytes(int... values) {
        ByteBuffer buffer = buffer(values.length);
        IntStream.of(values).forEach(value -> buffer.put((byte) value));
        return MemorySegment.ofBuffer(buffer.flip());
    }

    static MemorySegment floats(float... values) {
        ByteBuffer buffer = buffer(values.length * Float.BYTES);
        for (float value : values) {
            buffer.putFloat(value);
        }
        return MemorySegment.ofBuffer(buffer.flip());
    }

    static MemorySegment doubles(double... values) {
        ByteBuffer buffer = buffer(values.length * Double.BYTES);
        for (double value : values) {
            buffer.putDouble(value);
        }
        return MemorySegment.ofBuffer(buffer.flip());
    }

    static MemorySegment zeros(long size) {
        return Arena.ofAuto().allocate(size);
    }

    static int[] toBytes(MemorySegment segment) {
        ByteBuffer buffer = segment.asByteBuffer();
        return IntStream.generate(() -> buffer.get() & 0xff).limit(segment.byteSize()).toArray();
    }

    static float[] toFloats(MemorySegment segment) {
        float[] values = new float[(int) segment.byteSize() / Float.BYTES];
        littleEndian(segment).asFloatBuffer().get(values);
        return values;
    }

    static double[] toDoubles(MemorySegment segment) {
        double[] values = new double[(int) segment.byteSize() / Double.BYTES];
        littleEndian(segment).asDoubleBuffer().get(values);
        return values;
    }

    private static ByteBuffer littleEndian(MemorySegment segment) {
        return segment.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }
}
