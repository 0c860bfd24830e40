package dev.outboard.naa.protocol;

import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE;
import static dev.outboard.fabric.SendRequest.Operation.RDMA_WRITE_WITH_IMMEDIATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WritePlanTest {
    private static final PlainRegion REGION = PlainRegion.of(100, 7);

    private record Write(
            SendRequest.Operation operation, long offset, long length, long target, int key) {}

    @Test
    @Requirement({"NAA-XFER-3"})
    void onlyTheLastWriteHasTheImmediateValueAndIsSolicited() {
        WritePlan plan = new WritePlan(3, 1000, 10);
        plan.begin(42);
        plan.add(REGION, 10, 0x1000, 1);
        plan.add(REGION, 20, 0x2000, 2);
        plan.add(REGION, 30, 0x3000, 3);
        SendRequest request = new SendRequest();
        List<Boolean> solicited = new ArrayList<>();
        List<Integer> immediates = new ArrayList<>();
        while (plan.next(request)) {
            solicited.add(request.solicited());
            immediates.add(request.immediate());
        }
        assertThat(solicited).containsExactly(false, false, true);
        assertThat(immediates).containsExactly(0, 0, 42);
    }

    @Test
    @Requirement("NAA-LIM-4")
    void splitsARegionThatExceedsOneMessage() {
        WritePlan plan = new WritePlan(2, 40, 10);
        plan.begin(1);
        plan.add(REGION, 100, 0x1000, 1);
        plan.add(REGION, 80, 0x2000, 2);
        assertThat(writes(plan))
                .containsExactly(
                        new Write(RDMA_WRITE, 0, 40, 0x1000, 1),
                        new Write(RDMA_WRITE, 40, 40, 0x1028, 1),
                        new Write(RDMA_WRITE, 80, 20, 0x1050, 1),
                        new Write(RDMA_WRITE, 0, 40, 0x2000, 2),
                        new Write(RDMA_WRITE_WITH_IMMEDIATE, 40, 40, 0x2028, 2));
    }

    @Test
    @Requirement("NAA-LIM-6")
    void aRegionWithoutBytesIsAWriteWithoutBytes() {
        WritePlan plan = new WritePlan(2, 40, 10);
        plan.begin(1);
        plan.add(REGION, 0, 0x1000, 1);
        plan.add(null, 0, 0x2000, 2);
        assertThat(writes(plan))
                .containsExactly(
                        new Write(RDMA_WRITE, 0, 0, 0x1000, 1),
                        new Write(RDMA_WRITE_WITH_IMMEDIATE, 0, 0, 0x2000, 2));
    }

    @Test
    void neverHasMoreOutstandingThanTheQueueTakes() {
        WritePlan plan = new WritePlan(1, 10, 3);
        plan.begin(1);
        plan.add(REGION, 100, 0, 0);
        assertThat(writes(plan)).hasSize(3);
        plan.completeOne();
        assertThat(writes(plan)).hasSize(1);
        int more = 0;
        while (!plan.isComplete()) {
            plan.completeOne();
            more += writes(plan).size();
        }
        assertThat(more).isEqualTo(6);
        assertThat(plan.completed()).isEqualTo(10);
    }

    private static List<Write> writes(WritePlan plan) {
        List<Write> writes = new ArrayList<>();
        SendRequest request = new SendRequest();
        while (plan.next(request)) {
            boolean empty = request.gather().count() == 0;
            writes.add(
                    new Write(
                            request.operation(),
                            empty ? 0 : request.gather().offset(0),
                            empty ? 0 : request.gather().length(0),
                            request.remoteAddress(),
                            request.remoteKey()));
        }
        return writes;
    }
}
