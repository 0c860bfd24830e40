package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.fabric.CompletionStatus;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Peers that are gone without a word, and peers that are only silent, on every provider.
abstract class KeepAliveContract {
    private static final Duration INTERVAL = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ConnectionNotes notes = new ConnectionNotes();
    private RdmaEnd ours;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        ours = new RdmaEnd(device());
        ours.rdma.keepAlive(INTERVAL).timeoutCode(14).retryCount(4);
    }

    @AfterEach
    void close() {
        ours.close();
    }

    private void progressUntilGone() {
        ours.progressUntil(() -> !notes.disconnected.isEmpty());
        assertThat(notes.disconnected).containsExactly(ours.peer);
        assertThat(ours.peer.state()).isEqualTo(RdmaState.RESET);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    void aPeerByAddressThatIsKilledFreesItsPlace() {
        ours.rdma.onConnection(notes).start();
        try (PeerProcess theirs = new PeerProcess(device(), RdmaPeerProgram.LISTEN)) {
            ours.peer = ours.rdma.connectTo(theirs.address(), null);
            theirs.tell("accept");
            ours.progressUntil(() -> !notes.established.isEmpty());
            RdmaAddress gone = theirs.address();
            assertRefused(DocaError.FULL, () -> ours.rdma.connectTo(gone, null));

            theirs.kill();
            progressUntilGone();

            assertThat(ours.rdma.connectTo(gone, null).state()).isEqualTo(RdmaState.INIT);
        }
    }

    @Test
    void aPeerByDetailsThatIsKilledIsDisconnected() {
        ours.rdma.maxNumConnections(2).onConnection(notes).start();
        ours.peer = ours.rdma.export();
        try (PeerProcess theirs = new PeerProcess(device())) {
            ours.peer.connect(theirs.details());
            theirs.tell("connect " + HexFormat.of().formatHex(ours.peer.details()));
            theirs.awaitDone("connect done");

            theirs.kill();
            progressUntilGone();
        }
    }

    @Test
    void theOnlyConnectionTakesItsContextAlong() throws InterruptedException {
        try (RdmaEnd theirs = new RdmaEnd(device())) {
            RdmaEnd.connect(ours, theirs);
            theirs.dev.protectionDomain().device().close();

            while (ours.rdma.stopCause().isEmpty()) {
                ours.engine.await(PATIENCE);
                ours.engine.progress();
            }

            assertThat(ours.rdma.stopCause())
                    .contains(FailureCause.Transport.of(CompletionStatus.RETRY_EXCEEDED));
        }
    }

    /// It permits nothing, takes no part, and its receive stays.
    @Test
    void aPeerThatIsOnlySilentStays() throws InterruptedException {
        try (RdmaEnd theirs = new RdmaEnd(device())) {
            theirs.rdma.permissions();
            RdmaEnd.connect(ours, theirs);
            ReceiveTask receive = theirs.rdma.allocReceive();
            receive.submitOrThrow();
            long before = sentPackets(ours);
            long beforeThere = sentPackets(theirs);

            while (sentPackets(theirs) - beforeThere < 5) {
                ours.engine.await(PATIENCE);
                ours.engine.progress();
            }

            assertThat(sentPackets(ours) - before).as("probes").isGreaterThanOrEqualTo(5);
            assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
            assertThat(ours.done).isEmpty();
            assertThat(receive.isInFlight()).isTrue();
            assertThat(ours.run(ours.peer.allocSend())).isEqualTo(DocaError.SUCCESS);
            assertThat(theirs.next()).isSameAs(receive);
        }
    }

    @Test
    void withoutItASilentConnectionSendsNothing() {
        ours.rdma.keepAlive(Duration.ZERO);
        try (RdmaEnd theirs = new RdmaEnd(device())) {
            RdmaEnd.connect(ours, theirs);
            long before = sentPackets(ours);
            long end = System.nanoTime() + 5 * INTERVAL.toNanos();

            ours.progressUntil(() -> System.nanoTime() - end > 0);

            assertThat(sentPackets(ours)).isEqualTo(before);
        }
    }

    @Test
    void theIntervalIsCheckedWhenItIsSet() {
        assertThat(ours.rdma.keepAlive()).isEqualTo(INTERVAL);
        assertThat(ours.rdma.keepAlive(Duration.ZERO).keepAlive()).isZero();
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.keepAlive(Duration.ofNanos(1)),
                "PT0.000000001S",
                "PT0.01S");
        assertRefused(DocaError.INVALID_VALUE, () -> ours.rdma.keepAlive(Duration.ofDays(2)));
        assertRefused(DocaError.INVALID_VALUE, () -> ours.rdma.keepAlive(Duration.ofDays(-1)));
        ours.rdma.start();
        assertRefused(DocaError.BAD_STATE, () -> ours.rdma.keepAlive(INTERVAL));
    }

    private static long sentPackets(RdmaEnd end) {
        return end.dev.protectionDomain().device().counters().get("sent.packets");
    }
}
