package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.DatagramEnd;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/// From post to completion, through real sockets, a datagram allocates nothing once it is warm.
final class DatagramAllocationTest {
    private static final int MESSAGES = 10_000;

    /// The compiler needs many calls of `sendmsg` before it stops wrapping the errno.
    private static final int MAX_ROUNDS = 200;

    private static final int BYTES = 64;

    /// What the measurement itself may cost in a round.
    private static final long SLACK_BYTES = 16_384;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();

    @Test
    void datagramsAllocateNothing() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                DatagramEnd near = new DatagramEnd(one);
                DatagramEnd far = new DatagramEnd(two);
                AddressHandle toFar = near.handleTo(two)) {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < MAX_ROUNDS && least >= SLACK_BYTES; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < MESSAGES; i++) {
                    pass(near, toFar, far);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes per %d messages", MESSAGES).isLessThan(SLACK_BYTES);
        }
    }

    private void pass(DatagramEnd from, AddressHandle handle, DatagramEnd to) {
        to.queuePair().post(receive.buffer(to.region(), 0, DatagramEnd.ROUTE_HEADER + BYTES));
        send.to(handle, to.queuePair().number(), DatagramEnd.QUEUE_KEY);
        from.queuePair().post(send.payload(from.region(), 0, BYTES));
        take(to);
        take(from);
    }

    /// Polls until one completion came; the thread drives both devices in turn.
    private void take(DatagramEnd end) {
        while (!end.completions().poll(completion)) {
            Thread.onSpinWait();
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new AssertionError(completion.toString());
        }
    }
}
