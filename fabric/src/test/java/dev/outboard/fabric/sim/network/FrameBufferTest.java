package dev.outboard.fabric.sim.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FrameBufferTest {
    private final FrameBuffer buffer = new FrameBuffer(MacAddress.of("02:00:0a:00:00:01"), 2);

    private static Payload payload(int length, int value) {
        MemorySegment memory = Arena.ofAuto().allocate(length);
        memory.fill((byte) value);
        return Payload.of(memory);
    }

    private void frame(int length, int value) {
        buffer.append(payload(length, value), 0, length);
        buffer.finish();
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    @Test
    void keepsAsManyFramesAsItHasRoomFor() {
        frame(100, 1);
        assertThat(buffer.hasRoom()).isTrue();
        frame(EthernetFrame.MAX_LENGTH, 2);
        assertThat(buffer.hasRoom()).isFalse();

        assertThat(buffer.count()).isEqualTo(2);
        assertThat(buffer.bytes(0)).isEqualTo(filled(100, 1));
        assertThat(buffer.bytes(1)).isEqualTo(filled(EthernetFrame.MAX_LENGTH, 2));
        buffer.clear();
        assertThat(buffer.hasRoom()).isTrue();
    }

    @Test
    void fillsShortFramesUpWithZeros() {
        frame(EthernetFrame.MAX_LENGTH, 1);
        buffer.clear();
        frame(14, 2);

        assertThat(buffer.bytes(0))
                .isEqualTo(Arrays.copyOf(filled(14, 2), EthernetFrame.MIN_LENGTH));
    }

    @Test
    void putsPiecesBehindEachOther() {
        buffer.append(payload(60, 1), 0, 60);
        buffer.append(payload(40, 2), 10, 30);
        buffer.finish();
        frame(70, 3);

        byte[] expected = Arrays.copyOf(filled(60, 1), 90);
        Arrays.fill(expected, 60, 90, (byte) 2);
        assertThat(buffer.bytes(0)).isEqualTo(expected);
        MemorySegment copy = MemorySegment.ofArray(new byte[70]);
        assertThat(buffer.copyTo(copy, 1)).isEqualTo(70);
        assertThat(copy.mismatch(MemorySegment.ofArray(filled(70, 3)))).isEqualTo(-1);
    }

    @Test
    void nothingIsLeftOfAFrameThatCannotBeRead() {
        Arena arena = Arena.ofShared();
        Payload gone = Payload.of(arena.allocate(60));
        arena.close();
        buffer.append(payload(60, 1), 0, 60);
        assertThatIllegalStateException().isThrownBy(() -> buffer.append(gone, 0, 60));
        frame(80, 2);

        assertThat(buffer.count()).isEqualTo(1);
        assertThat(buffer.bytes(0)).isEqualTo(filled(80, 2));
    }
}
