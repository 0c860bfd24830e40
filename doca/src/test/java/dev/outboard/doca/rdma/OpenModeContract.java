package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A context with several connections, on every provider.
abstract class OpenModeContract {
    private static final int CONNECTIONS = 3;

    private final ConnectionNotes notes = new ConnectionNotes();
    private final List<RdmaConnection> toPeers = new ArrayList<>();
    private final List<RdmaEnd> peers = new ArrayList<>();
    private RdmaEnd hub;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void start() {
        hub = new RdmaEnd(device());
        hub.rdma.maxNumConnections(CONNECTIONS).onConnection(notes).start();
    }

    @AfterEach
    void close() {
        hub.close();
        peers.forEach(RdmaEnd::close);
    }

    /// A peer with one connection to the hub, which may do over it what `permissions` say.
    private RdmaEnd join(AccessFlag... permissions) {
        RdmaEnd peer = new RdmaEnd(device());
        peers.add(peer);
        peer.rdma.maxNumConnections(2).permissions(permissions).start();
        peer.peer = peer.rdma.export();
        RdmaConnection toPeer = hub.rdma.export();
        toPeers.add(toPeer);
        toPeer.connect(peer.peer.details());
        peer.peer.connect(toPeer.details());
        peer.remote = RemoteMmap.fromExport(peer.dev, hub.mmap.exportRdma(hub.dev));
        return peer;
    }

    private WriteTask writeTo(RdmaConnection connection, RemoteMmap memory) {
        return connection.allocWrite(hub.data(0, (byte) 1), hub.inventory.byAddress(memory, 0, 8));
    }

    private static void release(WriteTask write) {
        write.src().release();
        write.dst().release();
        write.free();
    }

    @Test
    @Requirement({"DRDMA-CONN-7", "DRDMA-CONN-11", "DRDMA-PROP-11", "DRDMA-PROP-14"})
    void eachExportIsAConnectionWithAnIdAndUserDataOfItsOwn() {
        assertThat(hub.rdma.connectionMode()).isEqualTo(ConnectionMode.OPEN);
        assertThat(hub.rdma.maxNumConnections()).isEqualTo(CONNECTIONS);
        for (int i = 0; i < CONNECTIONS; i++) {
            join();
            toPeers.get(i).userData(i);
        }
        assertThat(toPeers).extracting(RdmaConnection::id).doesNotHaveDuplicates();
        assertThat(toPeers).extracting(RdmaConnection::userData).containsExactly(0, 1, 2);
        assertThat(toPeers).extracting(RdmaConnection::peerAddress).allMatch(Optional::isEmpty);
    }

    @Test
    @Requirement({"DRDMA-CONN-10", "DRDMA-CONN-12", "DRDMA-CONN-13"})
    void aReceiveNamesTheConnectionOfItsMessageWhichTakesTheAnswer() {
        for (int i = 0; i < CONNECTIONS; i++) {
            join();
            toPeers.get(i).userData(i);
        }
        for (int i = CONNECTIONS - 1; i >= 0; i--) {
            ReceiveTask receive = hub.rdma.allocReceive(hub.room(100L * i, 8));
            receive.submitOrThrow();
            RdmaEnd peer = peers.get(i);
            SendTask question = peer.peer.allocSend(peer.data(0, (byte) i));
            assertThat(peer.run(question)).isEqualTo(DocaError.SUCCESS);
            assertThat(hub.next()).isSameAs(receive);
            assertThat(receive.connection()).isSameAs(toPeers.get(i));
            assertThat(receive.connection().userData()).isEqualTo(i);

            ReceiveTask heard = peer.rdma.allocReceive(null);
            heard.submitOrThrow();
            SendImmTask answer = receive.connection().allocSendImm(null, Be32.ofHost(70 + i));
            assertThat(hub.run(answer)).isEqualTo(DocaError.SUCCESS);
            assertThat(peer.next()).isSameAs(heard);
            assertThat(heard.immediateHost()).isEqualTo(70 + i);
            receive.dst().release();
            question.src().release();
        }
    }

    @Test
    @Requirement({"DRDMA-CONN-7", "DFLT-43"})
    void exportBeyondTheLimitIsFullUntilAConnectionLeaves() {
        RdmaConnection first = hub.rdma.export();
        SendTask early = first.allocSend();
        assertRefused(
                DocaError.NOT_CONNECTED,
                early::submitOrThrow,
                "connection 0",
                "is INIT",
                "connect");
        early.free();
        for (int i = 1; i < CONNECTIONS; i++) {
            hub.rdma.export();
        }
        assertRefused(DocaError.FULL, hub.rdma::export);
        assertThat(hub.rdma.state()).isEqualTo(CtxState.RUNNING);

        first.disconnect();
        hub.progressUntil(() -> first.state() == RdmaState.RESET);

        assertThat(hub.rdma.export().state()).isEqualTo(RdmaState.INIT);
        assertThat(notes.disconnected).isEmpty();
    }

    @Test
    @Requirement({
        "DRDMA-STATE-1",
        "DRDMA-STATE-3",
        "DRDMA-STATE-4",
        "DRDMA-STATE-5",
        "DRDMA-STATE-7"
    })
    void theStateOfTheCommunicationFollowsTheContextAndItsConnections() {
        RdmaEnd peer = new RdmaEnd(device());
        peers.add(peer);
        assertThat(peer.rdma.rdmaState()).isEqualTo(RdmaState.RESET);
        assertThat(hub.rdma.rdmaState()).isEqualTo(RdmaState.INIT);
        assertThat(RdmaState.values())
                .containsExactly(
                        RdmaState.RESET, RdmaState.INIT, RdmaState.CONNECTED, RdmaState.ERROR);

        join();
        assertThat(hub.rdma.rdmaState()).isEqualTo(RdmaState.CONNECTED);
        assertThat(toPeers.getFirst().state()).isEqualTo(RdmaState.CONNECTED);

        hub.rdma.stop();
        assertThat(hub.rdma.rdmaState()).isEqualTo(RdmaState.RESET);
        hub.progressUntil(() -> hub.rdma.state() == CtxState.IDLE);
        assertThat(hub.rdma.rdmaState()).isEqualTo(RdmaState.RESET);
    }

    @Test
    @Requirement({"DRDMA-FAIL-8", "DRDMA-PERM-1", "DRDMA-PERM-2"})
    void anErrorEndsItsConnectionAndNoOther() {
        RdmaEnd strict = join();
        RdmaEnd liberal = join(AccessFlag.RDMA_WRITE);
        ReceiveTask receive = hub.rdma.allocReceive(null);
        receive.submitOrThrow();
        RemoteMmap strictMemory =
                RemoteMmap.fromExport(hub.dev, strict.mmap.exportRdma(strict.dev));
        RemoteMmap liberalMemory =
                RemoteMmap.fromExport(hub.dev, liberal.mmap.exportRdma(liberal.dev));
        WriteTask refused = writeTo(toPeers.getFirst(), strictMemory);
        WriteTask behind = writeTo(toPeers.getFirst(), strictMemory);
        assertThat(refused.trySubmit()).isEqualTo(DocaError.SUCCESS);
        assertThat(behind.trySubmit()).isEqualTo(DocaError.SUCCESS);

        assertThat(hub.next()).isSameAs(refused);
        assertThat(hub.next()).isSameAs(behind);
        hub.progressUntil(() -> !notes.disconnected.isEmpty());

        assertThat(refused.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(refused.failure())
                .contains(FailureCause.Transport.of(CompletionStatus.REMOTE_INVALID_REQUEST_ERROR));
        assertThat(behind.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(notes.disconnected).containsExactly(toPeers.getFirst());
        assertThat(refused.submit()).isEqualTo(DocaError.NOT_CONNECTED);
        WriteTask permitted = writeTo(toPeers.getLast(), liberalMemory);
        assertThat(hub.run(permitted)).isEqualTo(DocaError.SUCCESS);
        assertThat(hub.rdma.state()).isEqualTo(CtxState.RUNNING);
        assertThat(hub.rdma.stopCause()).isEmpty();
        assertThat(hub.rdma.inFlightTasks()).isEqualTo(1);

        List.of(refused, behind, permitted).forEach(OpenModeContract::release);
        strictMemory.close();
        liberalMemory.close();
    }

    @Test
    @Requirement("DRDMA-CONN-13")
    void receivesStayWhenTheLastConnectionLeaves() {
        join();
        ReceiveTask receive = hub.rdma.allocReceive(null);
        receive.submitOrThrow();

        toPeers.getFirst().disconnect();
        hub.progressUntil(() -> !notes.disconnected.isEmpty());
        hub.progressUntil(() -> !hub.engine.progress());

        assertThat(hub.done).isEmpty();
        assertThat(hub.rdma.inFlightTasks()).isEqualTo(1);
        takes(receive);
    }

    private void receivesAgain(ReceiveTask receive) {
        receive.submitOrThrow();
        takes(receive);
    }

    /// A new connection fills it.
    private void takes(ReceiveTask receive) {
        RdmaEnd peer = join();
        SendTask send = peer.peer.allocSend(null);
        assertThat(peer.run(send)).isEqualTo(DocaError.SUCCESS);
        assertThat(hub.next()).isSameAs(receive);
        assertThat(receive.connection()).isSameAs(toPeers.getLast());
    }

    @Test
    @Requirement("DRDMA-CONN-12")
    void aTaskNeedsAnEstablishedConnectionOfItsContext() {
        RdmaEnd peer = join();
        SendTask send = hub.rdma.export().allocSend(null);
        assertThat(send.submit()).isEqualTo(DocaError.NOT_CONNECTED);

        send.connection(peer.peer);

        assertThat(send.submit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(send.failure())
                .contains(FailureCause.Validation.of(ValidationRule.FOREIGN_CONNECTION));
    }

    @Test
    @Requirement({"DRDMA-CONN-4", "DRDMA-CONN-6", "DFLT-42"})
    void aConnectionIsConnectedOnceAndWhileRunning() {
        RdmaEnd peer = join();
        byte[] details = toPeers.getFirst().details();
        assertRefused(DocaError.BAD_STATE, () -> peer.peer.connect(details));
        RdmaConnection unused = peer.rdma.export();

        peer.rdma.stop();

        assertRefused(DocaError.BAD_STATE, () -> unused.connect(details));
        assertRefused(DocaError.BAD_STATE, peer.rdma::export);
    }

    @Test
    @Requirement({"DRDMA-CONN-8", "DRDMA-CM-10"})
    void connectionsDoNotSurviveAStop() {
        RdmaEnd peer = join();
        RdmaConnection dead = toPeers.getFirst();
        hub.rdma.stop();
        hub.progressUntil(() -> hub.rdma.state() == CtxState.IDLE);
        hub.rdma.start();

        assertThat(notes.disconnected).containsExactly(dead);
        assertThat(dead.state()).isEqualTo(RdmaState.RESET);
        assertRefused(DocaError.BAD_STATE, () -> dead.connect(peer.peer.details()));
        assertThat(dead.allocSend(null).submit()).isEqualTo(DocaError.NOT_CONNECTED);
        receivesAgain(hub.rdma.allocReceive(null));
    }

    @Test
    @Requirement("DRDMA-PERM-4")
    void theMemoryOfALocalBufferNeedsTheDeviceOfTheContext() {
        RdmaEnd peer = join();
        Buf foreign = peer.data(0, (byte) 1);
        SendTask send = toPeers.getFirst().allocSend(foreign);

        assertThat(send.trySubmit()).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(hub.run(send)).isEqualTo(DocaError.INVALID_VALUE);

        assertThat(send.failure())
                .contains(FailureCause.Validation.of(ValidationRule.FOREIGN_DEVICE));
        assertThat(hub.rdma.state()).isEqualTo(CtxState.RUNNING);
        foreign.release();
    }
}
