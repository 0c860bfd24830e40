package dev.outboard.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.Placement;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class QueuePairCoreTest {
    private static final int NUMBER = 17;
    private static final QueueSizes SIZES = new QueueSizes(4, 3, 2, 0);

    private final WorkQueueMemory memory = new WorkQueueMemory();
    private final List<AsyncEvent.Type> events = new ArrayList<>();
    private int sendNotifications;
    private int receiveNotifications;
    private int overruns;
    private final CompletionRing sendCompletions =
            new CompletionRing(
                    4,
                    new CompletionRing.Notification() {
                        @Override
                        public void completionAdded(CompletionRing ring) {
                            sendNotifications++;
                        }

                        @Override
                        public void overrun() {
                            overruns++;
                        }
                    });
    private final CompletionRing receiveCompletions =
            new CompletionRing(4, ring -> receiveNotifications++);
    private final ReceiveQueue shared = new ReceiveQueue(memory.table, 4, 2);
    private final QueuePairCore core = core(Optional.empty(), false);
    private final QueuePairCore sharing = core(Optional.of(shared), false);

    private QueuePairCore core(Optional<ReceiveQueue> receives, boolean allSignaled) {
        return new QueuePairCore(
                NUMBER,
                WorkQueueMemory.DOMAIN,
                memory.table,
                sendCompletions,
                receiveCompletions,
                SIZES,
                receives,
                allSignaled,
                events::add);
    }

    @Test
    void knowsWhoseItIs() {
        assertThat(core.number()).isEqualTo(NUMBER);
        assertThat(core.domain()).isEqualTo(WorkQueueMemory.DOMAIN);
        assertThat(core.regions()).isSameAs(memory.table);
        assertThat(core.isShared()).isFalse();
        assertThat(sharing.isShared()).isTrue();
        core.raise(AsyncEvent.Type.SQ_DRAINED);
        assertThat(events).containsExactly(AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    void takesAsManyRequestsAsWereAskedFor() {
        for (int i = 0; i < SIZES.sends(); i++) {
            assertThat(core.post(new SendRequest())).isTrue();
        }
        assertThat(core.post(new SendRequest())).isFalse();
        for (int i = 0; i < SIZES.receives(); i++) {
            assertThat(core.post(new ReceiveRequest())).isTrue();
        }
        assertThat(core.post(new ReceiveRequest())).isFalse();
    }

    /// What is not signaled completes silently, unless it fails.
    @Test
    void sendsCompleteInOrder() {
        send(core, 1, true);
        send(core, 2, false);
        send(core, 3, false);
        assertThat(core.completeSend()).isTrue();
        assertThat(core.completeSend()).isTrue();
        assertThat(core.completeSend(CompletionStatus.RETRY_EXCEEDED)).isTrue();

        assertThat(polled(sendCompletions))
                .containsExactly("1 SUCCESS SEND", "3 RETRY_EXCEEDED SEND");
        assertThat(core.sends().head()).isEqualTo(3);
    }

    @Test
    void allMayBeSignaled() {
        QueuePairCore signaled = core(Optional.empty(), true);
        send(signaled, 1, false);

        assertThat(signaled.completeSend()).isTrue();
        assertThat(polled(sendCompletions)).containsExactly("1 SUCCESS SEND");
    }

    @Test
    void aFailedSendCountsAsSolicited() {
        send(core, 1, true);
        send(core, 2, true);
        sendCompletions.arm(true);
        core.completeSend();
        assertThat(sendNotifications).isZero();

        core.completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertThat(sendNotifications).isEqualTo(1);
    }

    @Test
    void aSendWithoutPlaceForItsCompletionIsDoneWithButNotTold() {
        for (int i = 0; i < 4; i++) {
            send(core, i, true);
            assertThat(core.completeSend()).isTrue();
        }
        send(core, 4, true);

        assertThat(core.completeSend()).isFalse();
        assertThat(overruns).isEqualTo(1);
        assertThat(core.sends().head()).isEqualTo(5);
    }

    @Test
    void aReceiveIsTakenUntilItCompletes() {
        assertThat(core.takeReceive()).isFalse();
        receive(core, 1);
        receive(core, 2);
        assertThat(core.takeReceive()).isTrue();
        assertThat(core.takeReceive()).isTrue();
        assertThat(core.receive().id).isEqualTo(1);

        Completion completion =
                core.endReceive(CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 99);
        assertThat(core.publishReceive(completion, false)).isTrue();
        assertThat(core.takeReceive()).isTrue();
        assertThat(core.receive().id).isEqualTo(2);
        assertThat(core.failReceive(CompletionStatus.LOCAL_LENGTH_ERROR)).isTrue();
        assertThat(core.takeReceive()).isFalse();

        assertThat(polled(receiveCompletions))
                .containsExactly("1 SUCCESS RECEIVE", "2 LOCAL_LENGTH_ERROR RECEIVE");
    }

    @Test
    void aReceiveWakesAsThePeerOrAnErrorWants() {
        for (int i = 0; i < 3; i++) {
            receive(core, i);
        }
        receiveCompletions.arm(true);
        succeed(core, false);
        assertThat(receiveNotifications).isZero();
        succeed(core, true);
        assertThat(receiveNotifications).isEqualTo(1);
        receiveCompletions.arm(true);
        core.takeReceive();
        core.failReceive(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(receiveNotifications).isEqualTo(2);
    }

    @Test
    void aReceiveWithoutPlaceForItsCompletionIsDoneWithButNotTold() {
        for (int i = 0; i < 4; i++) {
            receive(core, i);
            succeed(core, false);
        }
        receive(core, 4);
        core.takeReceive();
        Completion none = core.endReceive(CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 0);

        assertThat(none).isNull();
        assertThat(core.publishReceive(none, false)).isFalse();
        assertThat(core.takeReceive()).isFalse();
    }

    @Test
    void whoSharesAReceiveQueueTakesFromItWhenAMessageBegins() {
        QueuePairCore another = core(Optional.of(shared), false);
        shared.offer(new ReceiveRequest().id(1));
        shared.offer(new ReceiveRequest().id(2));

        assertThat(sharing.takeReceive()).isTrue();
        assertThat(another.takeReceive()).isTrue();
        assertThat(sharing.takeReceive()).isTrue();
        assertThat(sharing.receive().id).isEqualTo(1);
        assertThat(another.receive().id).isEqualTo(2);
        succeed(another, false);
        assertThat(another.takeReceive()).isFalse();
        assertThatThrownBy(() -> sharing.post(new ReceiveRequest()))
                .isInstanceOf(FabricException.class)
                .hasMessage("queue pair 17 has a shared receive queue; post the receive there");
    }

    @Test
    void aSharedReceiveThatIsDoneWithHoldsNoMemory() {
        RegisteredRegion region = memory.region(8, 0, Access.LOCAL_WRITE);
        shared.offer(new ReceiveRequest().buffer(region, 0, 8));
        sharing.takeReceive();
        ReceiveEntry taken = sharing.receive();
        succeed(sharing, false);

        assertThatThrownBy(() -> taken.store(0, region.segment(), 0, 8, NUMBER))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void flushesSendsThenReceives() {
        send(core, 1, false);
        send(core, 2, true);
        receive(core, 3);
        receive(core, 4);
        core.takeReceive();

        assertThat(core.flush()).isTrue();
        assertThat(polled(sendCompletions))
                .containsExactly("1 WORK_REQUEST_FLUSHED SEND", "2 WORK_REQUEST_FLUSHED SEND");
        assertThat(polled(receiveCompletions))
                .containsExactly(
                        "3 WORK_REQUEST_FLUSHED RECEIVE", "4 WORK_REQUEST_FLUSHED RECEIVE");
        assertThat(core.takeReceive()).isFalse();
    }

    @Test
    void flushesWhatItTookAndLeavesSharedReceives() {
        shared.offer(new ReceiveRequest().id(1));
        shared.offer(new ReceiveRequest().id(2));
        sharing.takeReceive();

        assertThat(sharing.flush()).isTrue();
        assertThat(polled(receiveCompletions)).containsExactly("1 WORK_REQUEST_FLUSHED RECEIVE");
        assertThat(shared.head().id).isEqualTo(2);
    }

    @Test
    void flushesSendsAlone() {
        send(core, 1, false);
        receive(core, 2);

        assertThat(core.flushSends()).isTrue();
        assertThat(polled(sendCompletions)).containsExactly("1 WORK_REQUEST_FLUSHED SEND");
        assertThat(receiveCompletions.isEmpty()).isTrue();
        assertThat(core.takeReceive()).isTrue();
    }

    @Test
    void tellsIfNotAllThatIsFlushedCouldBeTold() {
        send(core, 0, true);
        core.completeSend();
        for (int i = 0; i < 4; i++) {
            send(core, i, true);
        }
        assertThat(core.flushSends()).isFalse();
        assertThat(core.sends().head()).isEqualTo(core.sends().posted());
        send(core, 5, true);
        assertThat(core.flush()).isFalse();
        polled(sendCompletions);

        for (int i = 0; i < 2; i++) {
            receive(core, i);
            succeed(core, false);
        }
        for (int i = 0; i < 3; i++) {
            receive(core, i);
        }
        assertThat(core.flush()).isFalse();
        assertThat(core.takeReceive()).isFalse();
    }

    /// Or one that posts for ever would never let go.
    @Test
    void whatASinkPostsWhileItIsFlushedIsLeftToTheNextFlush() {
        List<Long> flushed = new ArrayList<>();
        QueuePairCore[] posting = new QueuePairCore[1];
        CompletionRing handing =
                new CompletionRing(
                        each -> {
                            flushed.add(each.id());
                            if (each.opcode() == CompletionOpcode.RECEIVE) {
                                posting[0].post(new ReceiveRequest().id(each.id() + 10));
                            } else {
                                send(posting[0], each.id() + 10, true);
                            }
                        },
                        ring -> {});
        posting[0] =
                new QueuePairCore(
                        NUMBER,
                        WorkQueueMemory.DOMAIN,
                        memory.table,
                        handing,
                        handing,
                        SIZES,
                        Optional.empty(),
                        false,
                        events::add);
        send(posting[0], 1, true);
        send(posting[0], 2, true);
        receive(posting[0], 3);
        receive(posting[0], 4);

        assertThat(posting[0].flush()).isTrue();
        assertThat(flushed).containsExactly(1L, 2L, 3L, 4L);
        posting[0].flush();
        assertThat(flushed).containsExactly(1L, 2L, 3L, 4L, 11L, 12L, 13L, 14L);
    }

    @Test
    void whatWasWrittenCanBeSeenBeforeARequestCompletes() {
        List<String> order = new ArrayList<>();
        Placement placement =
                new Placement() {
                    @Override
                    public void place(
                            Target target,
                            long offset,
                            MemorySegment source,
                            long position,
                            int length) {
                        throw new AssertionError("nothing is written");
                    }

                    @Override
                    public void settle() {
                        order.add("settled");
                    }
                };
        CompletionRing handing =
                new CompletionRing(each -> order.add("completed " + each.id()), ring -> {});
        QueuePairCore relaxed =
                new QueuePairCore(
                        NUMBER,
                        WorkQueueMemory.DOMAIN,
                        new RegionTable(1, new SplittableRandom(1), placement),
                        handing,
                        handing,
                        SIZES,
                        Optional.empty(),
                        false,
                        events::add);
        send(relaxed, 1, true);
        relaxed.completeSend();

        assertThat(order).containsExactly("settled", "completed 1");
    }

    @Test
    void whatIsClearedHasNoCompletion() {
        send(core, 1, true);
        receive(core, 2);
        receive(core, 3);
        core.takeReceive();
        core.clear();

        assertThat(core.sends().head()).isEqualTo(core.sends().posted());
        assertThat(core.takeReceive()).isFalse();
        assertThat(sendCompletions.isEmpty()).isTrue();
        assertThat(receiveCompletions.isEmpty()).isTrue();
        shared.offer(new ReceiveRequest().id(1));
        shared.offer(new ReceiveRequest().id(2));
        sharing.takeReceive();
        sharing.clear();
        assertThat(shared.head().id).isEqualTo(2);
        assertThat(receiveCompletions.isEmpty()).isTrue();
    }

    private static void send(QueuePairCore to, long id, boolean signaled) {
        assertThat(to.post(new SendRequest().id(id).signaled(signaled))).isTrue();
    }

    private static void receive(QueuePairCore to, long id) {
        assertThat(to.post(new ReceiveRequest().id(id))).isTrue();
    }

    private static void succeed(QueuePairCore core, boolean solicited) {
        assertThat(core.takeReceive()).isTrue();
        core.publishReceive(
                core.endReceive(CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 0), solicited);
    }

    private static List<String> polled(CompletionRing ring) {
        List<String> all = new ArrayList<>();
        Completion completion = new Completion();
        while (ring.poll(completion)) {
            assertThat(completion.queuePairNumber()).isEqualTo(NUMBER);
            all.add(completion.id() + " " + completion.status() + " " + completion.opcode());
        }
        return all;
    }
}
