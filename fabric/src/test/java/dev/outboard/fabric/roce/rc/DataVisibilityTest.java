package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/// One thread drives, another polls: what a completion stands for is there when it is seen.
class DataVisibilityTest {
    private static final int MESSAGES = 5_000;
    private static final int WORDS = 32;
    private static final int SLOTS = 16;

    private final JoinedPair pair = new JoinedPair(1024, new QueueSizes(SLOTS, SLOTS, 1, 0));
    private final RegisteredRegion source = region(1);
    private final RegisteredRegion sink = region(SLOTS);

    private RegisteredRegion region(int slots) {
        return pair.region(Arena.ofAuto().allocate((long) slots * WORDS * Integer.BYTES, 8));
    }

    @Test
    @Requirement("ROCE-RC-34")
    void aCompletionMakesItsPayloadVisibleToTheThreadThatPolls()
            throws InterruptedException, ExecutionException {
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
        try (var executor = Executors.newSingleThreadExecutor()) {
            Future<Integer> wrong = executor.submit(poller());
            drive(wrong);
            assertThat(wrong.get()).as("messages seen with old bytes").isZero();
        }
    }

    /// Polls, looks at every word, and gives the buffer back; it is the one thread that posts
    /// receives.
    private Callable<Integer> poller() {
        return () -> {
            Completion completion = new Completion();
            int wrong = 0;
            for (int message = 0; message < MESSAGES; message++) {
                while (!pair.receiveCompletions[1].poll(completion)) {
                    Thread.onSpinWait();
                }
                int slot = (int) completion.id();
                boolean isWhole = true;
                for (int word = WORDS - 1; word >= 0; word--) {
                    isWhole &=
                            sink.segment().get(ValueLayout.JAVA_INT, offset(slot, word)) == message;
                }
                wrong += isWhole ? 0 : 1;
                postReceive(slot);
            }
            return wrong;
        };
    }

    private void drive(Future<Integer> poller) {
        Completion completion = new Completion();
        SendRequest request = new SendRequest();
        for (int message = 0; message < MESSAGES && !poller.isDone(); message++) {
            for (int word = 0; word < WORDS; word++) {
                source.segment().set(ValueLayout.JAVA_INT, offset(0, word), message);
            }
            request.id(message).send().payload(source, 0, (long) WORDS * Integer.BYTES);
            pair.queuePairs[0].post(request);
            while (!pair.sendCompletions[0].poll(completion)) {
                pair.exchange();
                pair.runTimers();
                Thread.onSpinWait();
            }
        }
    }

    private void postReceive(int slot) {
        pair.queuePairs[1].post(
                new ReceiveRequest()
                        .id(slot)
                        .buffer(sink, offset(slot, 0), (long) WORDS * Integer.BYTES));
    }

    private static long offset(int slot, int word) {
        return (long) (slot * WORDS + word) * Integer.BYTES;
    }
}
