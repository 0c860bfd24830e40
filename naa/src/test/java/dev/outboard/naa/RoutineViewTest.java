package dev.outboard.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a routine sees of a call, and finds again at the next one.
class RoutineViewTest extends SessionSuite {
    private final List<String> seen = new ArrayList<>();

    @Override
    Device open() {
        return roce();
    }

    @Test
    @Requirement({"NAA-SCOPE-5", "NAA-KERN-2", "NAA-XFER-12", "NAA-RET-3", "NAA-RPC-4"})
    void parametersAndUserBytes() {
        serve(ServerOptions.builder(), this::run);
        MemorySegment out = server.memory(20, 50);
        call(out);

        assertThat(seen)
                .containsSubsequence(
                        "p0 4 0x0 10 bytes from 7",
                        // Nothing was sent into it, then the routine filled it with ones.
                        "p1 8 0x1000 20 bytes from 0",
                        "170 187 204",
                        "p0 4 0x0 10 bytes from 7",
                        "p1 8 0x1000 20 bytes from 1",
                        "170 187 204");
        assertThat(out.toArray(JAVA_BYTE)).containsOnly(2);
    }

    @Test
    @Requirement({"NAA-INT-1", "NAA-INT-3", "NAA-INT-4", "NAA-ADDR-6", "NAA-MRSP-9"})
    void internalRegions() {
        serve(ServerOptions.builder(), this::run);
        call(server.memory(20, 50));

        assertThat(seen)
                .containsSubsequence(
                        "i0 1 0xabcde 32 bytes from 0", "i0 1 0xabcde 32 bytes from 1");
    }

    /// Calls twice, with an input, `out` and an internal region.
    private void call(MemorySegment out) {
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.input(server.memory(10, 7)))
                        .region(RegionSpec.output(out))
                        .internal(InternalRegion.of(32).at(0xABCDE))
                        .open()) {
            client.setUserImmediate((byte) 0xAA, (byte) 0xBB, (byte) 0xCC);
            client.invoke();
            assertThat(out.toArray(JAVA_BYTE)).containsOnly(1);
            client.invoke();
        }
    }

    /// Writes down what it sees, counts the calls in the internal region, and returns the count.
    private int run(RpcContext rpc) {
        rpc.parameters().forEach(region -> seen.add("p" + describe(region)));
        rpc.internals().forEach(region -> seen.add("i" + describe(region)));
        seen.add("%d %d %d".formatted(rpc.userByte(0), rpc.userByte(1), rpc.userByte(2)));
        MemorySegment scratch = rpc.internals().getFirst().memory();
        byte count = (byte) (scratch.get(JAVA_BYTE, 0) + 1);
        scratch.set(JAVA_BYTE, 0, count);
        rpc.parameter(1).memory().fill(count);
        return ReturnCode.SUCCESS;
    }

    private static String describe(RoutineRegion region) {
        return "%d %d 0x%x %d bytes from %d"
                .formatted(
                        region.index(),
                        region.flags(),
                        region.naaAddress(),
                        region.size(),
                        region.memory().get(JAVA_BYTE, 0));
    }
}
