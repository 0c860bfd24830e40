package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Connections made by address, on every provider.
abstract class ConnectionByAddressContract {
    private static final int CONNECTIONS = 2;

    private final ConnectionNotes atServer = new ConnectionNotes();
    private final ConnectionNotes atClient = new ConnectionNotes();
    private RdmaEnd server;
    private RdmaEnd client;
    private int port;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    /// An address that nobody has.
    abstract RdmaAddress unreachable();

    @BeforeEach
    void listen() {
        server = new RdmaEnd(device());
        client = new RdmaEnd(device());
        server.rdma.maxNumConnections(CONNECTIONS).onConnection(atServer).start();
        client.rdma.maxNumConnections(CONNECTIONS + 1).onConnection(atClient).start();
        port = server.rdma.listen(0);
        atServer.answer = RdmaConnection::accept;
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private RdmaAddress address() {
        return server.address(port);
    }

    private void progressUntil(BooleanSupplier condition) {
        client.progressUntil(() -> {
            server.engine.progress();
            return condition.getAsBoolean();
        });
    }

    private RdmaConnection connect() {
        int before = atClient.established.size();
        int beforeThere = atServer.established.size();
        RdmaConnection connection = client.rdma.connectTo(address(), "ours");
        progressUntil(() ->
                atClient.established.size() > before && atServer.established.size() > beforeThere);
        assertThat(atClient.established).contains(connection);
        return connection;
    }

    @Test
    @Requirement({"DRDMA-CM-2", "DRDMA-CM-7", "DRDMA-CM-8"})
    void messagesFlowBothWaysFromTheEstablishedCallbackOn() {
        RdmaConnection ours = client.rdma.connectTo(address(), "user data");
        assertThat(ours.allocSend(null).submit()).isEqualTo(DocaError.NOT_CONNECTED);
        progressUntil(() -> atClient.established.size() + atServer.established.size() == 2);
        assertThat(atServer.requested).isEqualTo(atServer.established);
        assertThat(atClient.established).containsExactly(ours);
        RdmaConnection theirs = atServer.established.getFirst();
        exchange(client, ours, server, theirs);
        exchange(server, theirs, client, ours);
        assertThat(atClient.failed).isEmpty();
    }

    @Test
    @Requirement({"DRDMA-CM-5", "DRDMA-CONN-11"})
    void connectingReturnsAtOnceAndTheConnectionKnowsItsPeer() {
        RdmaConnection ours = client.rdma.connectTo(address(), "user data");
        assertThat(ours.state()).isEqualTo(RdmaState.INIT);
        assertThat(atClient.established).as("before it progresses").isEmpty();
        progressUntil(() -> atClient.established.size() + atServer.established.size() == 2);
        assertThat(ours.userData()).isEqualTo("user data");
        assertThat(ours.peerAddress()).contains(address());
        RdmaConnection theirs = atServer.established.getFirst();
        assertThat(theirs.peerAddress().orElseThrow().address())
                .isEqualTo(client.dev.protectionDomain().device().address());
    }

    /// A message from one end to the other, which is to see which connection it came from.
    private static void exchange(RdmaEnd from, RdmaConnection out, RdmaEnd to, RdmaConnection in) {
        ReceiveTask receive = to.rdma.allocReceive(to.room(64, 8));
        receive.submitOrThrow();
        SendTask send = out.allocSend(from.data(0, (byte) 5));
        assertThat(from.run(send)).isEqualTo(DocaError.SUCCESS);
        assertThat(to.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(receive.connection()).isSameAs(in);
        assertThat(to.bytes(64, 1)).containsExactly(5);
        receive.dst().release();
        receive.free();
        send.src().release();
        send.free();
    }

    @Test
    @Requirement("DRDMA-CM-3")
    void theReplyCarriesPrivateDataUpToTheLimitWhole() {
        byte[] most = new byte[196];
        Arrays.fill(most, (byte) 7);
        atServer.answer =
                connection -> {
                    assertThatExceptionOfType(DocaException.class)
                            .isThrownBy(() -> connection.accept(new byte[197]))
                            .satisfies(
                                    e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE));
                    connection.accept(most);
                };

        RdmaConnection ours = connect();

        assertThat(ours.privateData()).isEqualTo(most);
        assertThat(server.engine.callbackFailures()).isZero();
    }

    @Test
    @Requirement("DRDMA-CM-3")
    void aRequestCanBeAnsweredAfterItsCallback() {
        atServer.answer = _ -> {};
        client.rdma.connectTo(address(), null);
        progressUntil(() -> !atServer.requested.isEmpty());
        RdmaConnection theirs = atServer.requested.getFirst();

        theirs.accept((byte) 1, (byte) 2);
        progressUntil(() -> !atClient.established.isEmpty());

        assertThat(atClient.established.getFirst().privateData()).startsWith(1, 2);
        assertRefused(DocaError.BAD_STATE, theirs::reject);
        assertRefused(DocaError.BAD_STATE, theirs::accept);
    }

    @Test
    @Requirement({"DRDMA-CM-3", "DRDMA-CM-7", "DFLT-46"})
    void aRejectedAttemptFailsOnceAndLeavesNothingBehind() {
        atServer.answer = RdmaConnection::reject;
        RdmaConnection ours = client.rdma.connectTo(address(), null);

        progressUntil(() -> !atClient.failed.isEmpty());
        progressUntil(() -> !client.engine.progress() && !server.engine.progress());

        assertThat(atClient.failed).containsExactly(ours);
        assertThat(atClient.errors).containsExactly(DocaError.CONNECTION_ABORTED);
        assertThat(atClient.established).isEmpty();
        assertThat(atClient.disconnected).isEmpty();
        assertThat(atServer.failed).isEmpty();
        assertThat(client.rdma.state()).isEqualTo(CtxState.RUNNING);
        atServer.answer = RdmaConnection::accept;
        connect();
        connect();
        assertThat(server.rdma.refusedRequests()).isZero();
    }

    @Test
    @Requirement("DFLT-45")
    void anAttemptFailsWhereNobodyListens() {
        server.rdma.stopListen(port);
        client.rdma.connectTo(address(), null);

        progressUntil(() -> !atClient.failed.isEmpty());

        assertThat(atClient.errors).containsExactly(DocaError.CONNECTION_ABORTED);
        assertThat(client.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement("DFLT-45")
    void anAttemptFailsWhereNobodyAnswers() {
        try (RdmaEnd hasty = new RdmaEnd(device())) {
            hasty.rdma
                    .connectionRequestTimeout(Duration.ofSeconds(1))
                    .onConnection(atClient)
                    .start();
            hasty.rdma.connectTo(unreachable(), null);

            hasty.progressUntil(() -> !atClient.failed.isEmpty());

            assertThat(atClient.errors).containsExactly(DocaError.TIME_OUT);
            assertThat(hasty.rdma.state()).isEqualTo(CtxState.RUNNING);
        }
    }

    @Test
    @Requirement("DRDMA-CM-4")
    void connectionsOutliveTheListener() {
        RdmaConnection ours = connect();

        server.rdma.stopListen(port);
        client.rdma.connectTo(address(), null);
        progressUntil(() -> !atClient.failed.isEmpty());

        exchange(client, ours, server, atServer.established.getFirst());
        assertThat(atServer.requested).hasSize(1);
        assertRefused(DocaError.NOT_FOUND, () -> server.rdma.stopListen(port));
    }

    @Test
    @Requirement("DRDMA-CM-13")
    void aRequestForWhichTheDeviceHasNoQueuePairIsRejectedAndCounted() {
        server.withAllQueuePairsTaken(() -> {
            client.rdma.connectTo(address(), null);
            progressUntil(() -> !atClient.failed.isEmpty());
        });

        assertThat(atServer.requested).isEmpty();
        assertThat(server.rdma.refusedRequests()).isEqualTo(1);
        assertThat(atClient.explanations)
                .containsExactly(
                        "rejected by the peer: full: its device has no room for a connection");
        connect();
    }

    @Test
    @Requirement("DRDMA-CM-13")
    void aRequestBeyondTheLimitIsRejectedAndCounted() {
        connect();
        connect();

        client.rdma.connectTo(address(), null);
        progressUntil(() -> !atClient.failed.isEmpty());

        assertThat(atServer.requested).hasSize(CONNECTIONS);
        assertThat(server.rdma.refusedRequests()).isEqualTo(1);
        assertThat(atClient.explanations)
                .containsExactly("rejected by the peer: full: all of its 2 connections are in use");
    }

    @Test
    @Requirement("DRDMA-CM-2")
    void aPortThatIsNoneIsRefused() {
        assertRefused(
                DocaError.INVALID_VALUE, () -> server.rdma.listen(70_000), "70000", "0 to 65535");
        assertRefused(DocaError.INVALID_VALUE, () -> server.rdma.listen(-1), "-1");
    }

    @Test
    @Requirement("DRDMA-CONN-7")
    void anAttemptBeyondTheLimitIsRefused() {
        atServer.answer = _ -> {};
        for (int i = 0; i <= CONNECTIONS; i++) {
            client.rdma.connectTo(address(), null);
        }

        assertRefused(DocaError.FULL, () -> client.rdma.connectTo(address(), null));
    }

    @Test
    @Requirement({"DRDMA-CM-7", "DRDMA-CM-9", "DFLT-47"})
    void disconnectingFlushesTheTasksOfThatConnectionOnBothSides() {
        RdmaConnection ending = connect();
        RdmaConnection living = connect();
        SendTask unheard = ending.allocSend(null);
        SendTask unheardThere = atServer.established.getFirst().allocSend(null);
        assertThat(unheard.submit()).isEqualTo(DocaError.SUCCESS);
        assertThat(unheardThere.submit()).isEqualTo(DocaError.SUCCESS);

        ending.disconnect();
        ending.disconnect();
        progressUntil(() -> atClient.disconnected.size() + atServer.disconnected.size() == 2);
        progressUntil(() -> !client.engine.progress() && !server.engine.progress());

        assertThat(client.done).containsExactly(unheard);
        assertFlushed(unheard);
        assertThat(server.done).containsExactly(unheardThere);
        assertFlushed(unheardThere);
        client.done.clear();
        server.done.clear();
        assertThat(atClient.disconnected).containsExactly(ending);
        assertThat(atServer.disconnected).containsExactly(atServer.established.getFirst());
        assertThat(client.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertThat(server.rdma.state()).isEqualTo(CtxState.RUNNING);
        exchange(client, living, server, atServer.established.getLast());
    }

    private static void assertFlushed(RdmaTask task) {
        assertThat(task.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(task.failure())
                .contains(FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED));
    }

    @Test
    @Requirement({"DRDMA-CM-7", "DRDMA-CM-10"})
    void stoppingEndsConnectionsAndAttempts() {
        RdmaConnection established = connect();
        atServer.answer = _ -> {};
        RdmaConnection attempt = client.rdma.connectTo(address(), null);
        progressUntil(() -> atServer.requested.size() == 2);

        client.rdma.stop();
        progressUntil(
                () -> client.rdma.state() == CtxState.IDLE && !atServer.disconnected.isEmpty());

        assertThat(atClient.disconnected).containsExactly(established);
        assertThat(atClient.failed).containsExactly(attempt);
        assertThat(atClient.errors).containsExactly(DocaError.BAD_STATE);
        assertThat(atServer.disconnected).containsExactly(atServer.established.getFirst());
        assertThat(server.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DRDMA-CM-2", "DRDMA-CM-5", "DRDMA-CM-6a", "DRDMA-STATE-2b"})
    void addressesServeARunningContextWithAHandlerOnly() {
        assertThat(server.rdma.connectionMode()).isEqualTo(ConnectionMode.OPEN);
        assertRefused(DocaError.BAD_STATE, () -> server.rdma.onConnection(atClient));
        try (RdmaEnd idle = new RdmaEnd(device())) {
            idle.rdma.onConnection(new ConnectionNotes());
            assertThat(idle.rdma.connectionMode()).isEqualTo(ConnectionMode.OPEN);
            assertRefused(DocaError.BAD_STATE, () -> idle.rdma.listen(0));
            assertRefused(DocaError.BAD_STATE, () -> idle.rdma.connectTo(address(), null));
        }
        try (RdmaEnd deaf = new RdmaEnd(device())) {
            deaf.rdma.connectionMode(ConnectionMode.OPEN).start();
            assertRefused(DocaError.NOT_PERMITTED, () -> deaf.rdma.listen(0));
        }
    }

    @Test
    @Requirement("DRDMA-PERM-1")
    void aPeerMayDoOverAConnectionWhatItsContextPermits() {
        try (RdmaEnd strict = new RdmaEnd(device())) {
            ConnectionNotes notes = new ConnectionNotes();
            notes.answer = RdmaConnection::accept;
            strict.rdma.permissions(AccessFlag.RDMA_READ).onConnection(notes).start();
            RdmaAddress there = strict.address(strict.rdma.listen(0));
            RdmaConnection ours = client.rdma.connectTo(there, null);
            client.progressUntil(() -> {
                strict.engine.progress();
                return !notes.established.isEmpty() && !atClient.established.isEmpty();
            });
            client.remote = RemoteMmap.fromExport(client.dev, strict.mmap.exportRdma(strict.dev));

            ReadTask read = ours.allocRead(client.remoteData(0, 4), client.room(0, 4));
            WriteTask write = ours.allocWrite(client.data(8, (byte) 1), client.remoteRoom(0, 4));

            assertThat(client.run(read)).isEqualTo(DocaError.SUCCESS);
            assertThat(client.run(write)).isEqualTo(DocaError.IO_FAILED);
            assertThat(write.failure())
                    .contains(
                            FailureCause.Transport.of(
                                    CompletionStatus.REMOTE_INVALID_REQUEST_ERROR));
            assertThat(strict.bytes(0, 1)).containsExactly(0);
            read.src().release();
            read.dst().release();
            write.src().release();
            write.dst().release();
        }
    }

    @Test
    @Requirement({"DRDMA-PERM-1", "DRDMA-CM-8"})
    void aClientThatDoesNotProgressPermitsNoMoreThanItsContext() {
        try (RdmaEnd strict = new RdmaEnd(device())) {
            ConnectionNotes notes = new ConnectionNotes();
            strict.rdma.permissions(AccessFlag.RDMA_READ).onConnection(notes).start();
            strict.rdma.connectTo(address(), null);
            strict.progressUntil(() -> {
                server.engine.progress();
                return !atServer.requested.isEmpty();
            });

            server.progressUntil(() -> !atServer.established.isEmpty());

            RdmaConnection theirs = atServer.established.getFirst();
            server.remote = RemoteMmap.fromExport(server.dev, strict.mmap.exportRdma(strict.dev));
            WriteTask write = theirs.allocWrite(server.data(0, (byte) 1), server.remoteRoom(0, 4));
            assertThat(notes.established).isEmpty();
            assertThat(server.run(write)).isEqualTo(DocaError.IO_FAILED);
            assertThat(write.failure())
                    .contains(
                            FailureCause.Transport.of(
                                    CompletionStatus.REMOTE_INVALID_REQUEST_ERROR));
            assertThat(strict.bytes(0, 1)).containsExactly(0);
        }
    }

    @Test
    @Requirement({"DRDMA-PROP-6", "DRDMA-PROP-12"})
    void aConnectionTakesTheMtuAndTheRetriesOfWhoAsksForIt() {
        try (RdmaEnd own = new RdmaEnd(device());
                RdmaEnd patient = new RdmaEnd(device())) {
            ConnectionNotes there = new ConnectionNotes();
            there.answer = RdmaConnection::accept;
            patient.rdma.rnrRetryCount(7).onConnection(there).start();
            ConnectionNotes here = new ConnectionNotes();
            own.rdma.mtu(256).rnrRetryCount(0).onConnection(here).start();
            RdmaConnection connection =
                    own.rdma.connectTo(patient.address(patient.rdma.listen(0)), null);
            own.progressUntil(() -> {
                patient.engine.progress();
                return !here.established.isEmpty() && !there.established.isEmpty();
            });
            ReceiveTask receive = patient.rdma.allocReceive(patient.room(0, 2048));
            receive.submitOrThrow();
            long before = sentPackets(own);
            SendTask send = connection.allocSend(own.dataAt(0, 2048));

            assertThat(own.run(send)).isEqualTo(DocaError.SUCCESS);

            assertThat(sentPackets(own) - before).as("packets").isGreaterThanOrEqualTo(8);
            assertThat(patient.next()).isSameAs(receive);
            assertThat(own.run(send)).as("without a receive").isEqualTo(DocaError.IO_FAILED);
            assertThat(send.failure())
                    .contains(FailureCause.Transport.of(CompletionStatus.RNR_RETRY_EXCEEDED));
        }
    }

    private static long sentPackets(RdmaEnd end) {
        return end.dev.protectionDomain().device().counters().get("sent.packets");
    }
}
