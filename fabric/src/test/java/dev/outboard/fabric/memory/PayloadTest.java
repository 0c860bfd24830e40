package dev.outboard.fabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTest {
    private static final long GIB = 1L << 30;
    private static final int PACKET = 4096;

    private final CRC32 crc = new CRC32();

    @Test
    void hashesAnyPieceOfItsMemory() {
        try (var arena = Arena.ofConfined()) {
            byte[] bytes = new byte[10_000];
            var random = new SplittableRandom(3);
            random.nextBytes(bytes);
            Payload payload = Payload.of(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
            for (int round = 0; round < 1_000; round++) {
                int length = random.nextInt(bytes.length);
                int offset = random.nextInt(bytes.length - length + 1);

                assertThat(crcOf(payload, offset, length)).isEqualTo(crcOf(bytes, offset, length));
            }
        }
    }

    /// A file of holes is large without taking memory.
    @ParameterizedTest
    @ValueSource(longs = {GIB, 2 * GIB, 2 * GIB + PACKET, 3 * GIB})
    void hashesAcrossTheEndsOfItsViews(long size, @TempDir Path directory) throws IOException {
        try (var arena = Arena.ofConfined();
                var file =
                        FileChannel.open(
                                directory.resolve("holes"),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.SPARSE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE)) {
            MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            Payload payload = Payload.of(memory);
            byte[] bytes = new byte[PACKET];
            new SplittableRandom(size).nextBytes(bytes);
            for (long end = GIB; end <= size; end += GIB) {
                for (int behind : new int[] {0, 1, PACKET / 2, PACKET - 1, PACKET}) {
                    long offset = end - PACKET + behind;
                    if (offset + PACKET <= size) {
                        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, PACKET);
                        assertThat(crcOf(payload, offset, PACKET))
                                .isEqualTo(crcOf(bytes, 0, PACKET));
                    }
                }
            }
            assertThat(crcOf(payload, size, 0)).isZero();
            assertThat(payload.byteSize()).isEqualTo(size);
            assertThat(payload.address()).isEqualTo(memory.address());
        }
    }

    @Test
    void refusesPiecesOutsideItsMemory() {
        try (var arena = Arena.ofConfined()) {
            Payload payload = Payload.of(arena.allocate(100));

            assertThatThrownBy(() -> payload.updateCrc(crc, 50, 51))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> payload.updateCrc(crc, -1, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> payload.updateCrc(crc, 101, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void maybeEmpty() {
        assertThat(crcOf(Payload.of(MemorySegment.NULL), 0, 0)).isZero();
    }

    @Test
    void refusesMemoryThatTheKernelCannotReach() {
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);

        assertThatThrownBy(() -> Payload.of(heap))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("native");
    }

    @Test
    void failsWithoutHarmOnceItsArenaIsClosed() {
        Arena arena = Arena.ofShared();
        Payload payload = Payload.of(arena.allocate(1_000));
        arena.close();

        assertThatThrownBy(() -> payload.updateCrc(crc, 0, 1_000))
                .isInstanceOf(IllegalStateException.class);
    }

    private long crcOf(Payload payload, long offset, int length) {
        crc.reset();
        payload.updateCrc(crc, offset, length);
        return crc.getValue();
    }

    private static long crcOf(byte[] bytes, int offset, int length) {
        var crc = new CRC32();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }
}
