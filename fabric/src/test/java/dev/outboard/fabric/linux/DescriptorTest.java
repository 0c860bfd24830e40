package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DescriptorTest {
    private static final int EBADF = 9;

    private final int fd = Libc.eventfd(1, EventFd.EFD_NONBLOCK);
    private final Descriptor descriptor = new Descriptor(fd, "event");

    @Test
    void staysOpenUntilTheLastUserLeaves() {
        descriptor.acquire();
        descriptor.acquire();
        descriptor.close();
        descriptor.release();
        assertThat(read()).isEqualTo(Long.BYTES);

        descriptor.release();
        assertThat(read()).isEqualTo(-EBADF);
    }

    @Test
    void whoComesTooLateKeepsItOpenForNobody() {
        descriptor.acquire();
        descriptor.close();
        assertThatThrownBy(descriptor::acquire).isInstanceOf(IllegalStateException.class);
        assertThat(read()).isEqualTo(Long.BYTES);

        descriptor.release();
        assertThat(read()).isEqualTo(-EBADF);
        assertThat(descriptor).hasToString("event");
    }

    @Test
    void isNotClosedASecondTimeWhenTheNumberIsSomebodyElses() {
        descriptor.close();
        int successor = Libc.eventfd(1, EventFd.EFD_NONBLOCK);
        assertThat(successor).as("the kernel gives the lowest free number").isEqualTo(fd);

        descriptor.close();
        assertThatThrownBy(descriptor::acquire).hasMessage("event is closed");
        descriptor.close();

        assertThat(read()).isEqualTo(Long.BYTES);
        Libc.close(successor);
    }

    @Test
    @Timeout(60)
    void isClosedOnceHoweverManyThreadsUseAndCloseIt() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            Descriptor shared = new Descriptor(Libc.eventfd(0, EventFd.EFD_NONBLOCK), "shared");
            AtomicInteger uses = new AtomicInteger();
            CountDownLatch used = new CountDownLatch(1);
            Thread[] users = new Thread[3];
            for (int i = 0; i < users.length; i++) {
                users[i] = Thread.ofPlatform().start(() -> useUntilClosed(shared, uses, used));
            }
            used.await();
            shared.close();
            for (Thread user : users) {
                user.join();
            }
            assertThat(uses).hasPositiveValue();
        }
    }

    private static void useUntilClosed(Descriptor shared, AtomicInteger uses, CountDownLatch used) {
        try (Arena arena = Arena.ofConfined()) {
            var errno = Libc.errnoIn(arena);
            var value = arena.allocate(ValueLayout.JAVA_LONG);
            while (true) {
                int number = shared.acquire();
                int result = Libc.read(errno, number, value);
                shared.release();
                if (result != -Errno.EAGAIN) {
                    throw new AssertionError("read a wrong descriptor: " + result);
                }
                uses.incrementAndGet();
                used.countDown();
            }
        } catch (IllegalStateException expected) {
            used.countDown();
        }
    }

    private int read() {
        try (Arena arena = Arena.ofConfined()) {
            return Libc.read(Libc.errnoIn(arena), fd, arena.allocate(ValueLayout.JAVA_LONG));
        }
    }
}
