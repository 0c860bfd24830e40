package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What activations of a handler allocate under FAST, once all is warm, with all that brings them
/// about and all that they bring about: on whatever thread.
class HandlerAllocationTest {
    private static final int ACTIVATIONS = 1_000;
    private static final int ROUNDS = 100;

    /// What the rest of the process may allocate meanwhile: less than an object per activation.
    private static final long SLACK_BYTES = 4 * ACTIVATIONS;

    private static final long SECOND_NANOS = 1_000_000_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Completion completion = new Completion();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    @Test
    void anActivationAllocatesNothing() {
        try (FabricEnds ends = new FabricEnds("roce://auto?peer=127.0.0.1")) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(ends.process, EchoStub.echo, Attributes.DEFAULT);
            EchoSide server = new EchoSide(ends.process, Optional.of(handler));
            ends.connect(server.pair);
            handler.run(server.context.value());
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                long before = threads.getTotalThreadAllocatedBytes();
                for (int i = 0; i < ACTIVATIONS; i++) {
                    exchange(ends);
                }
                least = Math.min(least, threads.getTotalThreadAllocatedBytes() - before);
                System.err.println(
                        +round
                                + " "
                                + (threads.getTotalThreadAllocatedBytes() - before)
                                + " main "
                                + threads.getCurrentThreadAllocatedBytes());
            }
            assertThat(least).as("bytes per %d activations", ACTIVATIONS).isLessThan(SLACK_BYTES);
        }
    }

    private void exchange(FabricEnds ends) {
        ends.peer.queuePair().post(receive.id(0).buffer(ends.peer.region(), 4096, 64));
        ends.peer.queuePair().post(send.id(1).payload(ends.peer.region(), 0, 8));
        CompletionQueue queue = ends.peer.completions();
        for (int left = 2; left > 0; left--) {
            while (!queue.poll(completion)) {
                queue.requestNotification(false);
                if (queue.poll(completion)) {
                    break;
                }
                queue.await(SECOND_NANOS);
            }
        }
    }
}
