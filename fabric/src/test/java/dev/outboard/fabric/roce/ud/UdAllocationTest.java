package dev.outboard.fabric.roce.ud;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// From posting to polling, a datagram allocates nothing.
final class UdAllocationTest {
    private static final int MESSAGES = 100_000;

    /// What the measurement itself may cost.
    private static final long SLACK_BYTES = 4_096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();

    @ParameterizedTest
    @CsvSource({"127.0.0.2, 127.0.0.3", "fd77::1, fd77::2"})
    void datagramsAllocateNothing(String one, String two) {
        UdEnd near = new UdEnd(one, 0x11);
        UdEnd far = new UdEnd(two, 0x22);
        UdAddressHandle handle = near.handleTo(far);
        messages(near, far, handle, MESSAGES / 2);
        long before = threads.getCurrentThreadAllocatedBytes();
        messages(near, far, handle, MESSAGES);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated).isLessThan(SLACK_BYTES);
    }

    private void messages(UdEnd near, UdEnd far, UdAddressHandle handle, int count) {
        for (int i = 0; i < count; i++) {
            receive.id(i).buffer(far.region, 0, 500).appendBuffer(far.region, 600, 700);
            check(far.queuePair.post(receive), i);
            send.to(handle, 0x22, UdEnd.QUEUE_KEY).inline(i % 2 == 0);
            if (i % 2 == 0) {
                send.send().payload(near.region, 0, 60);
            } else {
                send.sendWithImmediate(i).payload(near.region, 0, 900);
            }
            check(near.queuePair.post(send), i);
            near.queuePair.transmit(near.sink, 0);
            check(far.receive(near.sent(0)) == null, i);
            near.sink.clear();
            near.queuePair.transmit(near.sink, 0);
            check(near.sendCompletions.poll(completion), i);
            check(far.receiveCompletions.poll(completion), i);
        }
    }

    private static void check(boolean holds, int message) {
        if (!holds) {
            throw new AssertionError("message " + message);
        }
    }
}
