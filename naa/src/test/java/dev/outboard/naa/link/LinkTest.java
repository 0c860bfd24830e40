package dev.outboard.naa.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.protocol.ClientFixture;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How a connection waits for completions.
class LinkTest {
    private static final QueuePair PAIR =
            (QueuePair)
                    Proxy.newProxyInstance(
                            QueuePair.class.getClassLoader(),
                            new Class<?>[] {QueuePair.class},
                            (_, _, _) -> true);

    private final ClientFixture client = ClientFixture.simple();
    private final List<String> calls = new ArrayList<>();
    private String arrivesAt = "never";

    /// A queue in which a completion arrives during one of its calls.
    private final CompletionQueue queue =
            new CompletionQueue() {
                private boolean arrived;

                private void call(String name) {
                    calls.add(name);
                    if (name.equals(arrivesAt)) {
                        arrived = true;
                        arrivesAt = "never";
                    }
                }

                @Override
                public boolean poll(Completion into) {
                    call("poll");
                    return take(into);
                }

                @Override
                public boolean take(Completion into) {
                    into.set(
                            1,
                            CompletionStatus.SUCCESS,
                            CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE,
                            1,
                            10);
                    into.setImmediate(0);
                    boolean taken = arrived;
                    arrived = false;
                    return taken;
                }

                @Override
                public void requestNotification(boolean solicitedOnly) {
                    call("arm");
                }

                @Override
                public boolean await(long timeoutNanos) {
                    call("sleep");
                    return false;
                }

                @Override
                public void wake() {
                    call("wake");
                }

                @Override
                public int capacity() {
                    return 10;
                }

                @Override
                public void close() {}
            };

    private final Link link = new Link(PAIR, queue, client.machine, Duration.ZERO);

    @BeforeEach
    void startAnRpc() {
        client.driver.now = System.nanoTime();
        client.reach(NaaState.DATA_RECEIVING);
    }

    @Test
    @Requirement("NAA-POLL-4")
    void polledAgainAfterArmingNoCompletionIsLost() {
        arrivesAt = "arm";
        assertThat(link.await(Link.SLICE_NANOS)).isEqualTo(1);
        assertThat(calls).contains("arm").doesNotContain("sleep");
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    @Requirement("NAA-POLL-2")
    void handlesWhatArrivesDuringTheSleep() {
        arrivesAt = "sleep";
        assertThat(link.await(Link.SLICE_NANOS)).isEqualTo(1);
        assertThat(client.machine.state()).isEqualTo(NaaState.FINISHED);
    }

    @Test
    @Requirement("NAA-POLL-6")
    void sleepsInsteadOfSpinning() {
        assertThat(link.await(Link.SLICE_NANOS)).isZero();
        assertThat(calls).endsWith("arm", "poll", "sleep", "poll").hasSizeLessThan(7);
    }

    @Test
    @Requirement("NAA-POLL-1")
    void withoutALimitItNeitherArmsNorSleeps() {
        assertThat(link.await(0)).isZero();
        assertThat(calls).containsExactly("poll");
        arrivesAt = "poll";
        assertThat(link.await(0)).isEqualTo(1);
    }
}
