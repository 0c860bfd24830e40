package dev.outboard.dpa.flexio;

import dev.outboard.dpa.AllocationTrial;
import dev.outboard.dpa.flexio.FlexioEventHandler.Attributes;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What activations of a handler allocate under FAST, once all is warm, with all that brings them
/// about and all that they bring about.
class HandlerAllocationTest {
    private static final int ACTIVATIONS = 1_000;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final Completion completion = new Completion();
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();

    @Test
    void anActivationAllocatesNothing() throws IOException {
        AllocationTrial.allocatesNothing(HandlerAllocationTest.class);
    }

    /// Measures.
    public static void main(String... arguments) {
        new HandlerAllocationTest().measure();
    }

    private void measure() {
        try (FabricEnds ends = new FabricEnds("roce://auto?peer=127.0.0.1")) {
            FlexioEventHandler handler =
                    FlexioEventHandler.create(ends.process, EchoStub.echo, Attributes.DEFAULT);
            EchoSide server = new EchoSide(ends.process, Optional.of(handler));
            ends.connect(server.pair);
            handler.run(server.context.value());
            AllocationTrial.run(ACTIVATIONS, () -> exchangeMany(ends));
        }
    }

    private void exchangeMany(FabricEnds ends) {
        for (int i = 0; i < ACTIVATIONS; i++) {
            exchange(ends);
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
