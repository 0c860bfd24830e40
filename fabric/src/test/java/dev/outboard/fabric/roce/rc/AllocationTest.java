package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/// From posting to polling, a message allocates nothing.
class AllocationTest {
    private static final int MESSAGES = 100_000;
    private static final int REGION_BYTES = 8_192;

    /// What the measurement itself may cost.
    private static final long SLACK_BYTES = 4_096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final JoinedPair pair = new JoinedPair(1024, new QueueSizes(4, 4, 4, 64));
    private final RegisteredRegion source = region();
    private final RegisteredRegion sink = region();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();

    private RegisteredRegion region() {
        return pair.region(Arena.ofAuto().allocate(REGION_BYTES));
    }

    @Test
    void messagesAllocateNothing() {
        messages(MESSAGES / 2);
        long before = threads.getCurrentThreadAllocatedBytes();
        messages(MESSAGES);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated).isLessThan(SLACK_BYTES);
        pair.assertNothingIsRetransmitted();
    }

    /// Every kind in turn, to and fro: inline, gathered, of several packets, with immediate data.
    private void messages(int count) {
        for (int i = 0; i < count; i++) {
            int end = i & 1;
            boolean takesReceive = post(end, i);
            pair.exchange();
            take(pair.sendCompletions[end], i);
            if (takesReceive) {
                take(pair.receiveCompletions[1 - end], i);
            }
        }
    }

    private boolean post(int end, int i) {
        int kind = i % 8;
        send.id(i).inline(kind == 0).solicited(true);
        switch (kind) {
            case 0 -> send.send().payload(source, 0, 30).appendPayload(source, 100, 20);
            case 1 -> send.sendWithImmediate(i).payload(source, 0, 700).appendPayload(source, 5, 9);
            case 2 -> send.write(sink.address(), sink.remoteKey()).payload(source, 1, 5_000);
            case 3 ->
                    send.writeWithImmediate(sink.address(), sink.remoteKey(), i)
                            .payload(source, 0, 3_333);
            case 4 -> send.send().noPayload();
            case 5 ->
                    send.read(source.address(), source.remoteKey())
                            .payload(sink, 0, 3_000)
                            .appendPayload(sink, 4_000, 2_000);
            case 6 ->
                    send.compareAndSwap(sink.address(), sink.remoteKey(), 0, i).payload(sink, 8, 8);
            default -> send.fetchAndAdd(sink.address(), sink.remoteKey(), i).payload(sink, 8, 8);
        }
        boolean takesReceive = kind != 2 && kind < 5;
        if (takesReceive) {
            receive.id(i).buffer(sink, 0, 100).appendBuffer(sink, 200, 4_000);
            check(pair.queuePairs[1 - end].post(receive), i);
        }
        check(pair.queuePairs[end].post(send), i);
        return takesReceive;
    }

    private void take(CompletionRing ring, int i) {
        check(ring.poll(completion), i);
        check(completion.id() == i && completion.status() == CompletionStatus.SUCCESS, i);
    }

    private static void check(boolean holds, int message) {
        if (!holds) {
            throw new AssertionError("message " + message);
        }
    }
}
