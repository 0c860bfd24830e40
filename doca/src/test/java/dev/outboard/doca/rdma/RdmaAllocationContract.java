package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.doca.BatchSize;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.TaskBatch;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import jdk.jfr.FlightRecorder;
import org.junit.jupiter.api.Test;

/// Once it is warm, submitting a task again, progressing and calling back allocates nothing.
abstract class RdmaAllocationContract extends RdmaPairContract {
    private static final int OPERATIONS = 1_000_000;
    private static final int BATCHES = 500;

    /// At most: the compiler gets to it late on a busy machine.
    private static final int ROUNDS = 10;

    /// What the measurement itself may cost in a round.
    private static final long SLACK_BYTES = 4096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private int completed;

    @Test
    @Requirement({"DJAVA-PERF-1", "DJAVA-PERF-2", "DCORE-TASK-12", "DJAVA-RDMA-4", "DJAVA-API-9"})
    void tasksThatAreSubmittedAgainAllocateNothing() {
        assertThat(FlightRecorder.getFlightRecorder().getRecordings())
                .as("there is a recorder, and nothing to record")
                .isEmpty();
        Consumer<RdmaTask> failed =
                task -> {
                    throw new AssertionError(task + " failed");
                };
        theirs.rdma.receive(
                task -> {
                    task.dst().resetDataLen();
                    resubmit(task);
                },
                failed,
                4);
        ours.rdma
                .send(this::resubmit, failed, 1)
                .write(
                        task -> {
                            task.dst().resetDataLen();
                            resubmit(task);
                        },
                        failed,
                        1)
                .read(
                        task -> {
                            task.dst().resetDataLen();
                            resubmit(task);
                        },
                        failed,
                        1)
                .atomicFetchAdd(this::resubmit, failed, 1)
                .rnrRetryCount(7);
        connect();
        for (int i = 0; i < 4; i++) {
            posted(theirs.room(64L * i, 64));
        }
        ours.peer.allocSend(ours.dataAt(0, 64)).submitOrThrow();
        ours.peer.allocWrite(ours.dataAt(64, 64), ours.remoteRoom(1024, 64)).submitOrThrow();
        ours.peer.allocRead(ours.remoteData(2048, 64), ours.room(128, 64)).submitOrThrow();
        ours.peer.allocAtomicFetchAdd(ours.remoteRoom(512, 8), ours.room(256, 8), 1).submit();

        long least =
                leastAllocated(() -> {
                    completed = 0;
                    while (completed < OPERATIONS) {
                        ours.engine.progress();
                        theirs.engine.progress();
                    }
                });
        assertThat(least).as("bytes per %d operations", OPERATIONS).isLessThan(SLACK_BYTES);
        assertThat(ours.engine.callbackFailures() + theirs.engine.callbackFailures()).isZero();
    }

    private void resubmit(RdmaTask task) {
        completed++;
        task.userNumber(completed);
        DocaError error = task.status() == DocaError.SUCCESS ? task.trySubmit() : task.status();
        if (error != DocaError.SUCCESS) {
            throw new IllegalStateException(error.docaName());
        }
    }

    @Test
    void submittingABatchAgainAllocatesNothing() {
        ours.rdma.write(16).batch(WriteTask.class, BatchSize.TASKS_16, 1);
        connect();
        TaskBatch<WriteTask> batch =
                ours.rdma.allocBatch(
                        IntStream.range(0, 16).mapToObj(i -> ours.peer.allocWrite()).toList());
        long least =
                leastAllocated(() -> {
                    for (int i = 0; i < BATCHES; i++) {
                        batch.submit();
                        while (batch.isInFlight()) {
                            ours.engine.progress();
                        }
                    }
                });
        assertThat(batch.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(least).as("bytes per %d batches", BATCHES).isLessThan(SLACK_BYTES);
    }

    private long leastAllocated(Runnable round) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && least >= SLACK_BYTES; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            round.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
