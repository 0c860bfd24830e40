package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionSink;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Completion sinks on every provider: completions that are handed over inside the turn.
public abstract class CompletionSinkContract {
    private static final int DEPTH = VerbsEnd.DEPTH;
    private static final int PATIENCE_SECONDS = 60;
    private static final String FAILURES = "completions.sink-failures";

    private VerbsEnd near;
    private VerbsEnd far;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void create() {
        near = new VerbsEnd(open());
        far = new VerbsEnd(open());
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
        near.device().close();
        far.device().close();
    }

    /// Connects `near`, which completes into a queue, with `far`, which completes into `sink`.
    private CompletionQueue connect(CompletionSink sink) {
        CompletionQueue queue = far.device().createCompletionQueue(sink);
        far.create(attributes -> QueuePairAttributes.of(queue, DEPTH, DEPTH));
        near.create();
        VerbsEnd.connect(near, far);
        return queue;
    }

    /// Drives both devices until `isDone`.
    private void driveUntil(BooleanSupplier isDone) {
        Completion none = new Completion();
        for (int i = 0; i < TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS); i++) {
            assertThat(far.completions().poll(none)).isFalse();
            near.completions().poll(none);
            if (isDone.getAsBoolean()) {
                return;
            }
            near.completions().await(TimeUnit.MILLISECONDS.toNanos(1));
        }
        throw new AssertionError("still not so after " + PATIENCE_SECONDS + " s");
    }

    @Test
    void eachCompletionIsHandedOverInOrder() {
        List<String> taken = new CopyOnWriteArrayList<>();
        CompletionQueue queue = connect(completion -> taken.add(completion.toString()));
        for (int id = 1; id <= 3; id++) {
            far.postReceive(id);
        }
        for (int id = 1; id <= 3; id++) {
            near.post(near.message(id));
            assertThat(near.status()).isEqualTo(id + " SUCCESS");
        }
        far.post(far.message(4).write(near.region().address(), near.region().remoteKey()));
        driveUntil(() -> taken.size() >= 4);
        int number = far.queuePair().number();
        assertThat(taken)
                .containsExactly(
                        "RECEIVE id 1 on queue pair " + number + ": SUCCESS, 8 bytes",
                        "RECEIVE id 2 on queue pair " + number + ": SUCCESS, 8 bytes",
                        "RECEIVE id 3 on queue pair " + number + ": SUCCESS, 8 bytes",
                        "RDMA_WRITE id 4 on queue pair " + number + ": SUCCESS, 8 bytes");
        assertThat(queue.capacity()).isZero();
        assertThat(queue.poll(new Completion())).isFalse();
    }

    /// Receives are kept elsewhere, and posted when a message needs one.
    @Test
    void receivesArePostedWhenAMessageNeedsThem() {
        List<String> taken = new CopyOnWriteArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        CompletionQueue queue =
                far.device()
                        .createCompletionQueue(completion ->
                                taken.add(completion.id() + " " + completion.opcode()));
        Runnable refill =
                () -> {
                    asked.incrementAndGet();
                    for (int i = 0; i < 2 && left.get() > 0; i++) {
                        far.postReceive(left.getAndDecrement());
                    }
                };
        far.create(attributes -> QueuePairAttributes.of(queue, DEPTH, DEPTH).withRefill(refill));
        near.create();
        VerbsEnd.connect(near, far);
        left.set(3);
        for (int id = 1; id <= 3; id++) {
            near.post(near.message(id));
        }
        driveUntil(() -> taken.size() >= 3);
        assertThat(taken).containsExactly("3 RECEIVE", "2 RECEIVE", "1 RECEIVE");
        assertThat(asked).as("once for two receives").hasValue(2);
        assertThat(far.queuePair().counters()).containsEntry("rnr-naks-sent", 0L);

        // A message that finds none even so comes again.
        near.post(near.message(4));
        driveUntil(() -> far.queuePair().counters().getOrDefault("rnr-naks-sent", 0L) > 0);
        left.set(1);
        driveUntil(() -> taken.size() >= 4);
    }

    @Test
    void aRefillThatFailsHasPostedNothing() {
        CompletionQueue queue = far.device().createCompletionQueue(completion -> {});
        Runnable refill =
                () -> {
                    throw new IllegalStateException("no");
                };
        far.create(attributes -> QueuePairAttributes.of(queue, DEPTH, DEPTH).withRefill(refill));
        near.create();
        VerbsEnd.connect(near, far);
        near.post(near.message(1));
        driveUntil(() -> far.device().counters().getOrDefault("receives.refill-failures", 0L) > 0);
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void thousandsOfCompletionsAreNotTooMany() {
        AtomicInteger taken = new AtomicInteger();
        connect(completion -> taken.incrementAndGet());
        Completion completion = new Completion();
        int count = 5_000;
        for (int id = 1; id <= count; id++) {
            far.postReceive(id % DEPTH);
            near.post(near.message(id % DEPTH));
            while (!near.completions().poll(completion)) {
                far.completions().poll(completion);
            }
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        }
        driveUntil(() -> taken.get() == count);
    }

    @Test
    void aSinkAnswersWithoutAnybodyElse() {
        SendRequest answer = new SendRequest();
        ReceiveRequest receive = new ReceiveRequest();
        Completion none = new Completion();
        connect(completion -> {
            assertThat(far.completions().poll(none)).as("looking is allowed").isFalse();
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                far.queuePair().post(receive.id(1).buffer(far.region(), 64, 64));
                far.queuePair().post(answer.id(2).signaled(false).payload(far.region(), 64, 8));
            }
        });
        far.postReceive(1);
        for (int id = 3; id < 503; id++) {
            int slot = id % DEPTH;
            near.postReceive(slot);
            near.post(near.message(slot).signaled(false));
            assertThat(near.status()).isEqualTo(slot + " SUCCESS");
            assertThat(near.region().segment().get(ValueLayout.JAVA_LONG, 64L * slot))
                    .isEqualTo(slot);
        }
    }

    @Test
    void whatNeedsTheDeviceForItselfIsRefusedInside() {
        List<Object> refusals = new CopyOnWriteArrayList<>();
        CompletionChannel channel = far.device().createCompletionChannel();
        ConnectionChannel events = far.device().createConnectionChannel();
        connect(completion -> {
            refusals.add(refusal(() -> far.queuePair().close()));
            refusals.add(
                    refusal(() ->
                            far.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR))));
            refusals.add(refusal(() -> far.device().counters()));
            refusals.add(refusal(() -> far.completions().await(TimeUnit.DAYS.toNanos(1))));
            refusals.add(refusal(() -> channel.await(TimeUnit.DAYS.toNanos(1))));
            refusals.add(refusal(() -> events.next(Duration.ofDays(1))));
            refusals.add(refusal(() -> far.device().nextEvent(Duration.ofDays(1))));
        });
        far.postReceive(1);
        near.post(near.message(2));
        assertThat(near.status()).isEqualTo("2 SUCCESS");
        driveUntil(() -> refusals.size() == 7);
        assertThat(refusals)
                .allSatisfy(refusal ->
                        assertThat(refusal)
                                .isInstanceOf(IllegalStateException.class)
                                .asString()
                                .contains("inside a turn"));
        assertThat(far.device().counters()).containsEntry(FAILURES, 0L);
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private static Object refusal(Runnable operation) {
        try {
            operation.run();
            return "not refused";
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Test
    void aSinkThatThrowsHarmsNobody() {
        connect(completion -> {
            throw new IllegalArgumentException("the application's own fault");
        });
        for (int id = 1; id <= 3; id++) {
            far.postReceive(id);
            near.post(near.message(id));
            assertThat(near.status()).isEqualTo(id + " SUCCESS");
        }
        driveUntil(() -> far.device().counters().getOrDefault(FAILURES, 0L) == 3);
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void aSinkThatPostsForEverDoesNotKeepTheThreadThatDrives() {
        AtomicInteger rounds = new AtomicInteger();
        connect(completion -> {
            rounds.incrementAndGet();
            far.queuePair().post(far.message(1));
        });
        // Fails at once, and so does each that the sink posts then.
        far.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
        far.post(far.message(1));
        driveUntil(() -> rounds.get() > 1_000);
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void aSinkThatPostsForEverDoesNotKeepAThreadThatWaits() {
        connect(completion -> far.queuePair().post(far.message(1)));
        far.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
        far.post(far.message(1));
        assertThat(far.completions().await(TimeUnit.MILLISECONDS.toNanos(1))).isFalse();
    }

    @Test
    void flushedReceivesThatAreReplacedDoNotKeepTheThreadEither() {
        AtomicInteger rounds = new AtomicInteger();
        connect(completion -> {
            rounds.incrementAndGet();
            far.postReceive(2);
        });
        IntStream.rangeClosed(1, 3).forEach(far::postReceive);
        far.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
        driveUntil(() -> rounds.get() > 1_000);
    }

    @Test
    void theQueueStaysWhileAQueuePairCompletesIntoIt() {
        AtomicInteger taken = new AtomicInteger();
        CompletionQueue queue = connect(completion -> taken.incrementAndGet());
        QueuePairContract.assertInUse(queue, "2 queue pair ends");
        far.postReceive(1);
        far.queuePair().close();
        queue.close();
        queue.close();
        near.post(near.message(1));
        near.queuePair().modify(QueuePairChange.to(QueuePairState.ERROR));
        assertThat(near.status()).isEqualTo("1 WORK_REQUEST_FLUSHED");
        assertThat(taken).hasValue(0);
    }

    /// Who waits drives the device, and comes back when the sink has been called.
    @Test
    void aThreadMayWaitUntilTheSinkHasHadSomething() {
        AtomicInteger taken = new AtomicInteger();
        CompletionQueue queue = connect(completion -> taken.incrementAndGet());
        queue.requestNotification(false);
        assertThat(queue.await(1)).isFalse();
        far.postReceive(1);
        near.post(near.message(1));
        assertThat(queue.await(Duration.ofSeconds(10).toNanos())).isTrue();
        assertThat(taken).hasValue(1);
    }

    @Test
    void aWaitEndsWhenAnotherThreadSaysSo() {
        CompletionQueue queue = connect(completion -> {});
        queue.requestNotification(false);
        queue.wake();
        assertThat(queue.await(Duration.ofSeconds(10).toNanos())).isTrue();
    }
}
