package dev.outboard.fabric.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.PayloadSink;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.SplittableRandom;

/// Registered memory for requests of a work queue.
final class WorkQueueMemory {
    static final int DOMAIN = 5;
    static final int OTHER_DOMAIN = 6;

    final RegionTable table = new RegionTable(64, new SplittableRandom(1));

    /// A region whose bytes are `first`, `first + 1` and so on.
    RegisteredRegion region(int bytes, int first, Access... access) {
        return region(table, DOMAIN, bytes, first, access);
    }

    RegisteredRegion region(RegionTable of, int domain, int bytes, int first, Access... access) {
        MemorySegment memory = Arena.ofAuto().allocate(bytes, Long.BYTES);
        for (int i = 0; i < bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (first + i));
        }
        return of.register(domain, memory, Set.of(access));
    }

    static byte[] bytes(RegisteredRegion region) {
        return region.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    /// The `count` bytes of `entry` from `position` on, as they go into a packet.
    static byte[] appended(SendEntry entry, long position, int count) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PayloadSink sink =
                (payload, offset, length) ->
                        bytes.writeBytes(
                                payload.segment()
                                        .asSlice(offset, length)
                                        .toArray(ValueLayout.JAVA_BYTE));
        entry.appendPayload(sink, position, count, 1);
        return bytes.toByteArray();
    }
}
