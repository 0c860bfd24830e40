package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/// A whole RPC over RoCEv2 between two devices of this process, with the largest region that both
/// dialects allow.
class LargeRegionTest {
    private static final int INCREMENT = 1;
    private static final long BYTES = 1L << 30;
    private static final int PIECE_BYTES = 1 << 20;

    @Test
    void aGibibyteGoesBothWays() {
        ServerOptions options =
                ServerOptions.builder().maxConnectionBytes(BYTES).maxTotalBytes(BYTES).build();
        try (Arena arena = Arena.ofShared();
                Device far = RoceLoopback.open();
                NaaServer server = NaaServer.start(far, 0, RoutineCatalog.ROUTINES, options);
                Device near = RoceLoopback.open()) {
            MemorySegment region = arena.allocate(BYTES, 4096);
            fill(region);

            try (NaaClient client =
                    NaaClient.builder(far.address().getHostAddress(), server.port())
                            .device(near)
                            .functionCode(INCREMENT)
                            .region(RegionSpec.inputOutput(region))
                            .open()) {
                assertThat(client.invoke().isSuccess()).isTrue();
            }

            assertThatEveryByteIsOneMore(region);
        }
    }

    /// No two pieces are equal, so that bytes in the wrong place are noticed.
    private static void fill(MemorySegment region) {
        byte[] piece = new byte[PIECE_BYTES];
        for (int i = 0; i < BYTES / PIECE_BYTES; i++) {
            fill(piece, i);
            MemorySegment.copy(
                    piece, 0, region, ValueLayout.JAVA_BYTE, (long) i * PIECE_BYTES, PIECE_BYTES);
        }
    }

    private static void assertThatEveryByteIsOneMore(MemorySegment region) {
        byte[] piece = new byte[PIECE_BYTES];
        for (int i = 0; i < BYTES / PIECE_BYTES; i++) {
            fill(piece, i);
            for (int j = 0; j < PIECE_BYTES; j++) {
                piece[j]++;
            }
            MemorySegment returned = region.asSlice((long) i * PIECE_BYTES, PIECE_BYTES);
            assertThat(returned.mismatch(MemorySegment.ofArray(piece))).isEqualTo(-1);
        }
    }

    private static void fill(byte[] piece, int number) {
        int state = number * 0x9e37_79b1 + 1;
        for (int j = 0; j < PIECE_BYTES; j++) {
            state = state * 1_664_525 + 1_013_904_223;
            piece[j] = (byte) (state >>> 24);
        }
    }
}
