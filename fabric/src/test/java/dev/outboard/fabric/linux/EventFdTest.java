package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class EventFdTest {
    private final EventFd event = new EventFd("completion channel 7");

    @Test
    void isReadableFromASignalUntilItIsCleared() {
        assertThat(isReadable()).isFalse();
        event.clear();
        assertThat(isReadable()).as("clear already").isFalse();

        event.signal();
        event.signal();
        assertThat(isReadable()).isTrue();
        event.clear();
        assertThat(isReadable()).isFalse();
        event.signal();
        assertThat(isReadable()).isTrue();
    }

    @Test
    void onceClosedItHasNoDescriptorAndSignalsNobody() {
        int fd = event.fileDescriptor();
        assertThat(fd).isNotNegative();
        event.close();
        int successor = Libc.eventfd(0, EventFd.EFD_NONBLOCK);
        assertThat(successor).as("the kernel gives the lowest free number").isEqualTo(fd);

        event.signal();
        assertThat(isReadable(successor)).isFalse();
        assertThatThrownBy(event::fileDescriptor)
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.CLOSED))
                .hasMessage("completion channel 7 is closed");
        event.close();
        Libc.close(successor);
    }

    @Test
    void onceClosedItClearsNothing() {
        int fd = event.fileDescriptor();
        event.close();
        int successor = Libc.eventfd(1, EventFd.EFD_NONBLOCK);
        assertThat(successor).isEqualTo(fd);

        event.clear();
        assertThat(isReadable(successor)).isTrue();
        Libc.close(successor);
    }

    /// As the kernel does, it stays open for whoever is inside a call.
    @Test
    void everyUserHasToLeaveBeforeItIsClosed() {
        int fd = event.acquire();
        event.fileDescriptor();
        event.signal();
        event.clear();
        event.close();
        assertThat(Libc.close(fd)).as("it was open").isZero();
        int successor = Libc.eventfd(0, EventFd.EFD_NONBLOCK);
        assertThat(successor).isEqualTo(fd);
        assertThat(isReadable(successor)).isFalse();

        event.release();
        assertThat(isReadable(successor)).as("closed by the last user").isTrue();
    }

    private boolean isReadable() {
        return isReadable(event.fileDescriptor());
    }

    /// As poll counts a descriptor that is not open.
    private static boolean isReadable(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(Pollfd.SIZE, 8);
            MemorySegment atOnce = arena.allocate(Timespec.SIZE, 8);
            Pollfd.set(polled, 0, fd, Pollfd.POLLIN);
            return Libc.ppoll(Libc.errnoIn(arena), polled, 1, atOnce) == 1;
        }
    }
}
