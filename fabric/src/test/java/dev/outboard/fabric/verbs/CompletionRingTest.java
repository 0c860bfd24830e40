package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CompletionRingTest {
    private static final int CAPACITY = 3;
    private static final int NUMBER = 17;

    private final Completion polled = new Completion();
    private int added;
    private int overruns;

    private final CompletionRing ring =
            new CompletionRing(
                    CAPACITY,
                    new CompletionRing.Notification() {
                        @Override
                        public void completionAdded(CompletionRing told) {
                            assertThat(told).isSameAs(ring());
                            added++;
                        }

                        @Override
                        public void overrun() {
                            overruns++;
                        }
                    });

    private CompletionRing ring() {
        return ring;
    }

    /// For many rounds, so that positions go round the slots.
    @Test
    void handsOutWhatWasPublishedInOrder() {
        assertThat(ring.capacity()).isEqualTo(CAPACITY);
        long in = 0;
        long out = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i <= round % CAPACITY; i++) {
                publish(in++, false);
            }
            while (out < in) {
                assertThat(ring.isEmpty()).isFalse();
                assertThat(ring.poll(polled)).isTrue();
                assertThat(polled.id()).isEqualTo(out++);
                assertThat(polled.queuePairNumber()).isEqualTo(NUMBER);
            }
            assertThat(ring.isEmpty()).isTrue();
            assertThat(ring.poll(polled)).isFalse();
        }
    }

    @Test
    void hasNoPlaceOnceItIsFull() {
        for (int i = 0; i < CAPACITY; i++) {
            publish(i, false);
        }
        assertThat(ring.free()).isNull();

        ring.poll(polled);
        assertThat(ring.free()).isNotNull();
    }

    @Test
    void tellsOfTheFirstLossOnly() {
        ring.overrun();
        ring.overrun();

        assertThat(overruns).isEqualTo(1);
    }

    @Test
    void tellsNobodyWhoDidNotAsk() {
        publish(1, true);

        assertThat(added).isZero();
    }

    @Test
    void tellsOfTheNextCompletionOnce() {
        ring.arm(false);
        assertThat(added).isZero();
        publish(1, false);
        publish(2, false);

        assertThat(added).isEqualTo(1);
    }

    @Test
    void tellsOfTheNextSolicitedCompletionOnce() {
        ring.arm(true);
        publish(1, false);
        assertThat(added).isZero();
        publish(2, true);
        ring.poll(polled);
        publish(3, true);

        assertThat(added).isEqualTo(1);
    }

    @Test
    void whoWantsAnyCompletionIsToldOfASolicitedOneToo() {
        ring.arm(false);
        publish(1, true);

        assertThat(added).isEqualTo(1);
    }

    @Test
    void aSinkGetsEachCompletionAsItIsPublished() {
        List<Long> taken = new ArrayList<>();
        CompletionRing handing = new CompletionRing(each -> taken.add(each.id()), told -> added++);
        for (long id = 0; id < 5; id++) {
            publish(handing, id, true);
            assertThat(taken).hasSize((int) id + 1).endsWith(id);
        }

        assertThat(handing.handsOver()).isTrue();
        assertThat(handing.capacity()).isZero();
        assertThat(handing.isEmpty()).isTrue();
        assertThat(handing.poll(polled)).isFalse();
        assertThat(added).isZero();
        assertThat(ring.handsOver()).isFalse();
    }

    @Test
    void whoWaitsIsToldWhenTheSinkHasHadACompletion() {
        List<Integer> takenWhenTold = new ArrayList<>();
        List<Long> taken = new ArrayList<>();
        CompletionRing handing =
                new CompletionRing(
                        each -> taken.add(each.id()), told -> takenWhenTold.add(taken.size()));
        handing.arm(false);
        publish(handing, 1, false);
        publish(handing, 2, false);

        assertThat(takenWhenTold).containsExactly(1);
        assertThat(taken).containsExactly(1L, 2L);
    }

    @Test
    void nobodyElseTakesWhatASinkIsGiven() {
        List<Long> taken = new ArrayList<>();
        CompletionRing[] handing = new CompletionRing[1];
        handing[0] =
                new CompletionRing(
                        each -> {
                            assertThat(handing[0].poll(polled)).isFalse();
                            taken.add(each.id());
                        },
                        told -> {});
        for (long id = 0; id < 5; id++) {
            publish(handing[0], id, false);
        }

        assertThat(taken).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void aSinkThatFailsGetsTheNextOne() {
        List<Throwable> failures = new ArrayList<>();
        CompletionRing handing =
                new CompletionRing(
                        each -> {
                            if (each.id() == 0) {
                                throw new IllegalStateException("no");
                            }
                            throw new AssertionError("never");
                        },
                        new CompletionRing.Notification() {
                            @Override
                            public void completionAdded(CompletionRing told) {}

                            @Override
                            public void sinkFailed(Throwable failure) {
                                failures.add(failure);
                            }
                        });
        publish(handing, 0, false);
        publish(handing, 1, false);

        assertThat(failures).extracting(Throwable::getMessage).containsExactly("no", "never");
        assertThat(handing.isEmpty()).isTrue();
    }

    private void publish(long id, boolean solicited) {
        publish(ring, id, solicited);
    }

    private static void publish(CompletionRing to, long id, boolean solicited) {
        Objects.requireNonNull(to.free())
                .set(id, CompletionStatus.SUCCESS, CompletionOpcode.SEND, NUMBER, 0);
        to.publish(solicited);
    }
}
