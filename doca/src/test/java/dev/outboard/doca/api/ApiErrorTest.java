package dev.outboard.doca.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.rdma.AtomicFetchAddTask;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/// How the API tells of errors.
@Requirement("DJAVA-API-5")
class ApiErrorTest {
    private static final int SUBMITS = 200_000;
    private static final int ROUNDS = 10;
    private static final long SLACK_BYTES = 4096;

    @Test
    void nobodyHasToCatchTheExceptionThatCarriesTheError() {
        assertThat(new DocaException(DocaError.FULL, "full").error()).isEqualTo(DocaError.FULL);
        assertThat(RuntimeException.class).isAssignableFrom(DocaException.class);
        assertThat(DocaError.FULL.number()).isEqualTo(24);
        assertThat(DocaError.FULL.docaName()).isEqualTo("DOCA_ERROR_FULL");
        assertThat(DocaError.FULL.description()).isNotBlank();
    }

    @Test
    void aTaskThatIsRefusedReturnsTheErrorAndAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ApiObjects objects = new ApiObjects()) {
            AtomicFetchAddTask task = objects.get(AtomicFetchAddTask.class);
            task.result(null);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < SUBMITS; i++) {
                    if (task.trySubmit() != DocaError.INVALID_VALUE) {
                        throw new AssertionError("submitted without a result operand");
                    }
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes per %d submits", SUBMITS).isLessThan(SLACK_BYTES);
        }
    }
}
