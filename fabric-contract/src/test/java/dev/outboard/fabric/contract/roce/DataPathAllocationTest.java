package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionSink;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.ConnectedPair;
import dev.outboard.fabric.contract.VerbsEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/// From post to completion, through real sockets, the data path allocates nothing once it is warm.
final class DataPathAllocationTest {
    private static final int MESSAGES = 10_000;

    /// At most: the compiler gets to it late on a busy machine.
    private static final int ROUNDS = 50;

    private static final int BYTES = 64;

    /// Several responses.
    private static final int READ_BYTES = 10_008;

    /// What the measurement itself may cost in a round.
    private static final long SLACK_BYTES = 16_384;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest().noBuffer();
    private final Completion completion = new Completion();

    @Test
    void messagesBothWaysAllocateNothing() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                ConnectedPair pair = ConnectedPair.connect(one, two, 7000);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * BYTES);
            try (MemoryRegion near = pair.client().register(memory.asSlice(0, BYTES));
                    MemoryRegion far = pair.server().register(memory.asSlice(BYTES, BYTES))) {
                long least = Long.MAX_VALUE;
                for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < MESSAGES; i++) {
                        pass(pair.client(), near, pair.server(), far);
                        pass(pair.server(), far, pair.client(), near);
                    }
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                assertThat(least).as("bytes per %d messages", 2 * MESSAGES).isLessThan(SLACK_BYTES);
            }
        }
    }

    @Test
    void readsAndAtomicsAllocateNothing() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                ConnectedPair pair = ConnectedPair.connect(one, two, 7000);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(2 * READ_BYTES, Long.BYTES);
            try (MemoryRegion near = pair.client().register(memory.asSlice(0, READ_BYTES));
                    MemoryRegion far = pair.server().register(memory.asSlice(READ_BYTES))) {
                long least = Long.MAX_VALUE;
                for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < MESSAGES / 2; i++) {
                        bring(pair, send.read(far.address(), far.remoteKey()), near, READ_BYTES);
                        bring(
                                pair,
                                send.fetchAndAdd(far.address(), far.remoteKey(), 1),
                                near,
                                Long.BYTES);
                    }
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                assertThat(least).as("bytes per %d requests", MESSAGES).isLessThan(SLACK_BYTES);
            }
        }
    }

    @Test
    void messagesThatSinksAnswerAllocateNothing() {
        try (Device one = RoceLoopback.open();
                Device two = RoceLoopback.open();
                VerbsEnd near = new VerbsEnd(one);
                VerbsEnd far = new VerbsEnd(two)) {
            SinkEnd nearEnd = new SinkEnd(near);
            SinkEnd farEnd = new SinkEnd(far);
            VerbsEnd.connect(near, far);
            nearEnd.postReceive();
            farEnd.postReceive();
            nearEnd.answer();
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                long until = nearEnd.received + MESSAGES;
                long before = threads.getCurrentThreadAllocatedBytes();
                while (nearEnd.received < until) {
                    near.completions().poll(completion);
                    far.completions().poll(completion);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes per %d messages", 2 * MESSAGES).isLessThan(SLACK_BYTES);
        }
    }

    /// Answers each message with one, in the thread that brings it.
    private static final class SinkEnd implements CompletionSink {
        private final VerbsEnd end;
        private final SendRequest answer = new SendRequest();
        private final ReceiveRequest next = new ReceiveRequest();
        private volatile long received;

        SinkEnd(VerbsEnd end) {
            this.end = end;
            CompletionQueue queue = end.device().createCompletionQueue(this);
            end.create(any -> QueuePairAttributes.of(queue, 16, 16));
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time drives
        public void completed(Completion completion) {
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                received++;
                postReceive();
                answer();
            }
        }

        void postReceive() {
            end.queuePair().post(next.buffer(end.region(), 0, BYTES));
        }

        void answer() {
            end.queuePair().post(answer.signaled(false).payload(end.region(), BYTES, BYTES));
        }
    }

    /// The thread drives both devices in turn.
    private void bring(ConnectedPair pair, SendRequest request, MemoryRegion sink, int length) {
        pair.client().post(request.payload(sink, 0, length));
        while (!pair.client().completions().poll(completion)) {
            if (pair.server().completions().poll(completion)) {
                throw new AssertionError("the server has nothing outstanding");
            }
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new AssertionError(completion.toString());
        }
    }

    /// The thread drives both devices in turn.
    private void pass(
            ConnectedPair.End from,
            MemoryRegion source,
            ConnectedPair.End to,
            MemoryRegion target) {
        to.post(receive);
        from.post(
                send.writeWithImmediate(target.address(), target.remoteKey(), 7)
                        .payload(source, 0, BYTES));
        boolean received = false;
        boolean sent = false;
        while (!received || !sent) {
            received |= take(to);
            sent |= take(from);
        }
    }

    private boolean take(ConnectedPair.End end) {
        if (!end.completions().poll(completion)) {
            return false;
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new AssertionError(completion.toString());
        }
        return true;
    }
}
