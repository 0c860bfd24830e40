package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.naa.MrspMessage.MrspError;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/// Each receive has room of its own, beside the message that is sent.
class MessageBuffersTest {
    private static final long ROOM = MrspCodec.MAX_LENGTH;

    private final PlainRegion memory = PlainRegion.of(3 * ROOM, 1);
    private final MessageBuffers buffers = new MessageBuffers(memory, 2);
    private final ReceiveRequest receive = new ReceiveRequest();

    @Test
    void theBuffersForReceivingTakeTurnsAfterTheMessageToSend() {
        assertNextIs(0, ROOM);
        assertNextIs(1, 2 * ROOM);
        assertNextIs(0, ROOM);
        assertThat(buffers.nextReceive(receive)).isFalse();
    }

    private void assertNextIs(long buffer, long offset) {
        buffers.postReceive();
        assertThat(buffers.nextReceive(receive)).isTrue();
        assertThat(receive.id()).isEqualTo(buffer);
        assertThat(receive.scatter().offset(0)).isEqualTo(offset);
        assertThat(receive.scatter().length(0)).isEqualTo(ROOM);
    }

    @Test
    void aMessageIsReadFromTheBufferThatItCameInto() {
        buffers.send(new MrspError(1));
        long length = arrive(2, 0);
        assertThat(arrive(3, 1)).isEqualTo(length);

        assertThat(buffers.received(0, length)).isEqualTo(new MrspError(2));
        assertThat(buffers.received(1, length)).isEqualTo(new MrspError(3));
        assertThat(MrspCodec.decode(memory.segment().asSlice(0, length)))
                .isEqualTo(new MrspError(1));
    }

    private long arrive(int code, int buffer) {
        MemorySegment room = memory.segment().asSlice((1 + buffer) * ROOM, ROOM);
        return MrspCodec.encode(new MrspError(code), room);
    }
}
