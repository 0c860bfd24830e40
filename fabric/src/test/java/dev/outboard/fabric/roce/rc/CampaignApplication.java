package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.roce.rc.PlannedMessage.Flaw;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.Counters;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/// The application of one end of a campaign: posts the planned requests at random times and checks
/// every completion against the plan (roce.md 3.9).
final class CampaignApplication implements SimulatedEndpoint.Application {
    private static final long MAX_PAUSE_NANOS = 200_000;
    private static final long MAX_LATE_NANOS = 4_000_000;
    private static final int MAX_POSTS_PER_TURN = 8;

    private final SplittableRandom random;
    private final Traffic outgoing;
    private final Traffic incoming;
    private final int capacity;
    private final boolean postsReceivesLate;
    private final long receivePause;
    private final boolean separateCompletions;
    private final Completion completion = new Completion();
    private final ReceiveRequest receiveRequest = new ReceiveRequest();

    /// Posted and, as far as the completions tell, not finished.
    private final ArrayDeque<PlannedMessage> outstanding = new ArrayDeque<>();

    private RcQueuePair queuePair;
    private CompletionRing sendCompletions;
    private CompletionRing receiveCompletions;
    private CampaignMemory memory;
    private CampaignApplication peer;
    private CampaignPoster poster;

    private int posted;
    private int succeeded;
    private int receivesPosted;
    private int receivesCompleted;
    private int arrived;
    private boolean isOver;
    private boolean isNotified;
    private CompletionStatus sendFailure = CompletionStatus.SUCCESS;
    private CompletionStatus receiveFailure = CompletionStatus.SUCCESS;
    private long sendAtNanos;
    private long receiveAtNanos;

    CampaignApplication(
            SplittableRandom random,
            Traffic outgoing,
            Traffic incoming,
            CampaignSettings settings,
            int end) {
        this.random = random;
        this.outgoing = outgoing;
        this.incoming = incoming;
        capacity = settings.queueCapacities()[end];
        postsReceivesLate = settings.postsReceivesLate()[end];
        receivePause = postsReceivesLate ? MAX_LATE_NANOS : MAX_PAUSE_NANOS;
        separateCompletions = settings.separateCompletions();
    }

    /// Takes hold of everything; posts the first receives, as before a connection.
    void start(
            SimulatedEndpoint endpoint,
            CampaignMemory newMemory,
            CampaignMemory peerMemory,
            CampaignApplication newPeer) {
        queuePair = endpoint.queuePair;
        sendCompletions = endpoint.sendCompletions;
        receiveCompletions = endpoint.receiveCompletions;
        memory = newMemory;
        peer = newPeer;
        poster = new CampaignPoster(newMemory, peerMemory);
        if (!postsReceivesLate) {
            postReceives(Integer.MAX_VALUE);
        }
    }

    CompletionStatus sendFailure() {
        return sendFailure;
    }

    CompletionStatus receiveFailure() {
        return receiveFailure;
    }

    /// Everything that will complete has.
    boolean isDone() {
        return isSendingDone()
                && (hasFailed()
                        || receivesCompleted == incoming.receives.size()
                        || peer.isSilent());
    }

    boolean hasFailed() {
        return queuePair.state() == QueuePairState.ERROR;
    }

    /// Everything planned was sent, and the peer has acknowledged it.
    boolean hasSentAll() {
        return posted == outgoing.messages.size()
                && outstanding.isEmpty()
                && sendFailure == CompletionStatus.SUCCESS;
    }

    boolean hasReceivedAll() {
        return receivesCompleted == incoming.receives.size()
                && receiveFailure == CompletionStatus.SUCCESS;
    }

    @Override
    public String toString() {
        return queuePair.state()
                + ", sent "
                + posted
                + " of "
                + outgoing.messages.size()
                + " (outstanding "
                + outstanding
                + ", "
                + sendFailure
                + "), received "
                + receivesCompleted
                + " of "
                + receivesPosted
                + " of "
                + incoming.receives.size()
                + " ("
                + receiveFailure
                + ")";
    }

    /// The machine died.
    void die() {
        isOver = true;
    }

    @Override
    public void completionAdded(CompletionRing ring) {
        isNotified = true;
    }

    @Override
    public long deadlineNanos() {
        if (isNotified) {
            return 0;
        }
        if (isOver || hasFailed()) {
            return SimulatedNetwork.NEVER;
        }
        return Math.min(
                posted < outgoing.messages.size() ? sendAtNanos : SimulatedNetwork.NEVER,
                receivesPosted < incoming.receives.size()
                        ? receiveAtNanos
                        : SimulatedNetwork.NEVER);
    }

    @Override
    public void turn(long nowNanos) {
        if (pollCompletions() > 0) {
            // Room in a queue that was full.
            sendAtNanos = Math.min(sendAtNanos, nowNanos + random.nextLong(MAX_PAUSE_NANOS));
            receiveAtNanos = Math.min(receiveAtNanos, nowNanos + random.nextLong(receivePause));
        }
        if (isOver || hasFailed()) {
            return;
        }
        if (nowNanos >= receiveAtNanos) {
            receiveAtNanos = nowNanos + random.nextLong(receivePause);
            postReceives(random.nextInt(1, MAX_POSTS_PER_TURN));
        }
        if (nowNanos >= sendAtNanos) {
            sendAtNanos = nowNanos + random.nextLong(MAX_PAUSE_NANOS);
            postSends(random.nextInt(1, MAX_POSTS_PER_TURN));
        }
    }

    /// Fails the queue pair, if nothing else did, and accounts for every request and every byte.
    void finish() {
        isOver = true;
        queuePair.fail();
        pollCompletions();
        // Everything was flushed: what has no completion succeeded in silence before.
        while (!outstanding.isEmpty()) {
            assertThat(sendFailure)
                    .as("%s is missing", outstanding)
                    .isEqualTo(CompletionStatus.SUCCESS);
            succeededInSilence(outstanding.remove());
        }
        assertThat(receivesCompleted).as("receives without completion").isEqualTo(receivesPosted);
    }

    /// After both ends finished.
    void checkMemory() {
        for (int i = arrived; i < peer.posted; i++) {
            PlannedMessage message = incoming.messages.get(i);
            if (message.flaw() == Flaw.NONE || message.flaw() == Flaw.TOO_LONG) {
                memory.allow(message, incoming);
            }
        }
        for (PlannedMessage message : outgoing.messages.subList(succeeded, posted)) {
            if (message.isRead()) {
                memory.allowBrought(message);
            }
        }
        memory.checkWords(incoming, peer.succeeded, peer.posted);
        memory.assertUntouched();
    }

    private boolean isSendingDone() {
        return hasFailed()
                ? outstanding.stream().noneMatch(PlannedMessage::signaled)
                : isOver || (posted == outgoing.messages.size() && outstanding.isEmpty());
    }

    /// Nothing more will come from it.
    private boolean isSilent() {
        return isOver || hasFailed();
    }

    private int pollCompletions() {
        int count = 0;
        isNotified = false;
        sendCompletions.arm(false);
        receiveCompletions.arm(false);
        for (; sendCompletions.poll(completion); count++) {
            if (separateCompletions || completion.id() >= 0) {
                onSendCompletion();
            } else {
                onReceiveCompletion();
            }
        }
        for (; separateCompletions && receiveCompletions.poll(completion); count++) {
            onReceiveCompletion();
        }
        return count;
    }

    private void onSendCompletion() {
        assertThat(completion.queuePairNumber()).isEqualTo(queuePair.number());
        assertThat(
                        sendFailure == CompletionStatus.SUCCESS
                                || completion.status() == CompletionStatus.WORK_REQUEST_FLUSHED)
                .as("%s after %s", completion, sendFailure)
                .isTrue();
        while (sendFailure == CompletionStatus.SUCCESS
                && !outstanding.isEmpty()
                && outstanding.element().index() != completion.id()) {
            succeededInSilence(outstanding.remove());
        }
        assertThat(outstanding).as("%s for nothing outstanding", completion).isNotEmpty();
        PlannedMessage message = outstanding.remove();
        assertThat(completion.id()).as("completions in order").isEqualTo(message.index());
        if (completion.status() == CompletionStatus.SUCCESS) {
            assertThat(message.signaled()).as("completion of %s", message).isTrue();
            assertThat(completion.opcode()).isEqualTo(opcodeOf(message));
            succeeded(message);
        } else if (sendFailure == CompletionStatus.SUCCESS) {
            sendFailure = completion.status();
            checkFailure(message);
        }
    }

    private static CompletionOpcode opcodeOf(PlannedMessage message) {
        return switch (message.operation()) {
            case RDMA_READ -> CompletionOpcode.RDMA_READ;
            case COMPARE_AND_SWAP -> CompletionOpcode.COMPARE_AND_SWAP;
            case FETCH_AND_ADD -> CompletionOpcode.FETCH_AND_ADD;
            default -> message.isWrite() ? CompletionOpcode.RDMA_WRITE : CompletionOpcode.SEND;
        };
    }

    private void succeededInSilence(PlannedMessage message) {
        assertThat(message.signaled()).as("no completion for %s", message).isFalse();
        succeeded(message);
    }

    private void succeeded(PlannedMessage message) {
        assertThat(message.flaw()).as("%s succeeds", message).isEqualTo(Flaw.NONE);
        succeeded = message.index() + 1;
        peer.arrivedUpTo(message.index());
        if (message.isAnsweredWithData()) {
            memory.takeBrought(message);
            if (message.isRead()) {
                peer.memory.scribbleShelf(message);
            }
        } else {
            memory.scribbleSource(message);
        }
    }

    private void checkFailure(PlannedMessage message) {
        Counters<QueuePairCounter> counters = queuePair.counters();
        RcConnection connection = queuePair.connection();
        switch (sendFailure) {
            case RETRY_EXCEEDED ->
                    assertThat(
                                    counters.get(QueuePairCounter.TIMEOUTS)
                                            + counters.get(QueuePairCounter.RESPONSES_LOST)
                                            + counters.get(QueuePairCounter.SEQUENCE_NAKS_RECEIVED))
                            .isGreaterThan(connection.retryCount());
            case RNR_RETRY_EXCEEDED -> {
                assertThat(message.takesReceive()).isTrue();
                assertThat(connection.rnrRetryCount()).isLessThan(7);
                assertThat(counters.get(QueuePairCounter.RNR_NAKS_RECEIVED))
                        .isGreaterThan(connection.rnrRetryCount());
            }
            case WORK_REQUEST_FLUSHED ->
                    assertThat(
                                    isOver
                                            || receiveFailure != CompletionStatus.SUCCESS
                                            || refusedPeer())
                            .as("a reason to flush")
                            .isTrue();
            default ->
                    assertThat(sendFailure)
                            .as("%s", message)
                            .isEqualTo(message.flaw().senderStatus);
        }
    }

    private boolean refusedPeer() {
        return queuePair.counters().get(QueuePairCounter.ERROR_NAKS_SENT) > 0;
    }

    private void onReceiveCompletion() {
        assertThat(receivesCompleted)
                .as("%s of nothing posted", completion)
                .isLessThan(receivesPosted);
        PlannedReceive receive = incoming.receives.get(receivesCompleted++);
        assertThat(completion.id()).as("receives in order").isEqualTo(receiveId(receive));
        PlannedMessage message = receive.message();
        if (completion.status() == CompletionStatus.SUCCESS) {
            assertThat(receiveFailure)
                    .as("success after failure")
                    .isEqualTo(CompletionStatus.SUCCESS);
            assertThat(message.flaw()).isEqualTo(Flaw.NONE);
            assertThat(completion.byteCount()).isEqualTo(message.length());
            assertThat(completion.hasImmediate()).isEqualTo(message.hasImmediate());
            assertThat(completion.immediate())
                    .isEqualTo(message.hasImmediate() ? message.immediate() : 0);
            assertThat(completion.opcode())
                    .isEqualTo(
                            message.isWrite()
                                    ? CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE
                                    : CompletionOpcode.RECEIVE);
            arrivedUpTo(message.index());
        } else if (receiveFailure == CompletionStatus.SUCCESS) {
            receiveFailure = completion.status();
            if (receiveFailure != CompletionStatus.WORK_REQUEST_FLUSHED) {
                assertThat(receiveFailure).isEqualTo(message.flaw().receiverStatus);
            }
        } else {
            assertThat(completion.status()).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    /// Everything the peer posted up to that message must be here, once: whatever comes later for
    /// its place changes bytes that are used for something else now.
    private void arrivedUpTo(int index) {
        assertThat(index).as("arrived before it was posted").isLessThan(peer.posted);
        for (; arrived <= index; arrived++) {
            memory.take(incoming.messages.get(arrived), incoming);
        }
    }

    private void postSends(int count) {
        for (int i = 0; i < count && posted < outgoing.messages.size(); i++) {
            PlannedMessage message = outgoing.messages.get(posted);
            if (!queuePair.post(poster.request(message))) {
                assertThat(outstanding).as("full").hasSizeGreaterThanOrEqualTo(capacity);
                if (outstanding.stream().anyMatch(PlannedMessage::signaled)) {
                    sendAtNanos = SimulatedNetwork.NEVER;
                }
                return;
            }
            posted++;
            outstanding.add(message);
            if (message.inline()) {
                memory.scribbleSource(message);
            }
        }
    }

    private void postReceives(int count) {
        for (int i = 0; i < count && receivesPosted < incoming.receives.size(); i++) {
            PlannedReceive receive = incoming.receives.get(receivesPosted);
            boolean unwritable = receive.message().flaw() == Flaw.UNWRITABLE_RECEIVE;
            receiveRequest.id(receiveId(receive)).noBuffer();
            for (int piece = 0; piece < receive.lengths().length; piece++) {
                receiveRequest.appendBuffer(
                        unwritable ? memory.readOnly : memory.receive,
                        receive.offsets()[piece],
                        receive.lengths()[piece]);
            }
            if (!queuePair.post(receiveRequest)) {
                assertThat(receivesPosted - receivesCompleted)
                        .as("full")
                        .isGreaterThanOrEqualTo(capacity);
                receiveAtNanos = SimulatedNetwork.NEVER;
                return;
            }
            receivesPosted++;
        }
    }

    /// Negative, to tell them from sends in a shared completion queue.
    private static long receiveId(PlannedReceive receive) {
        return -1L - receive.index();
    }
}
