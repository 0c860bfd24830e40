package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutgoingMessageTest {
    private final UdpSocket near = Loopback.bind();
    private final UdpSocket far = Loopback.bind();
    private final OutgoingMessage message = new OutgoingMessage(near);
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment bytes = arena.allocate(64);

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    @Test
    void joinsSpansThatTouch() {
        message.add(1000, 10);
        message.add(1010, 5);
        message.add(1015, 1);
        message.add(1017, 3);
        message.add(1016, 1);

        assertThat(message.count()).isEqualTo(3);
        assertThat(message.address(0)).isEqualTo(1000);
        assertThat(message.length(0)).isEqualTo(16);
        assertThat(message.address(1)).isEqualTo(1017);
        assertThat(message.length(1)).isEqualTo(3);
        assertThat(message.address(2)).isEqualTo(1016);
        assertThat(message.length(2)).isEqualTo(1);
    }

    @Test
    void joinsNothingWithWhatWasThereBeforeItWasCleared() {
        message.add(1000, 10);
        message.clear();
        message.add(1010, 5);

        assertThat(message.count()).isEqualTo(1);
        assertThat(message.address(0)).isEqualTo(1010);
        assertThat(message.length(0)).isEqualTo(5);
    }

    @Test
    void hasRoomForAsManySpansAsTheKernelTakes() {
        for (int i = 0; i < OutgoingMessage.MAX_SPANS - 1; i++) {
            message.add(1000 + 2L * i, 1);
        }
        assertThat(message.hasRoom(1)).isTrue();
        assertThat(message.hasRoom(2)).isFalse();

        message.add(1, 1);
        assertThat(message.hasRoom(0)).isTrue();
        assertThat(message.hasRoom(1)).isFalse();
        message.clear();
        assertThat(message.hasRoom(OutgoingMessage.MAX_SPANS)).isTrue();
    }

    @Test
    void sendsOneSpanAndForgetsAllOthers() {
        for (int i = 0; i < bytes.byteSize(); i++) {
            bytes.set(JAVA_BYTE, i, (byte) i);
        }
        message.to(Loopback.path(near, far));
        message.add(bytes.address(), 30);
        assertThat(message.send(bytes.address() + 40, 3)).isEqualTo(3);

        MemorySegment received = arena.allocate(64);
        try (Waiter waiter = new Waiter(far)) {
            waiter.await(Traffic.PATIENCE_NANOS);
        }
        assertThat(far.receive(UdpSocket.message(arena, received))).isEqualTo(3);
        assertThat(received.asSlice(0, 3).toArray(JAVA_BYTE)).containsExactly(40, 41, 42);
    }
}
