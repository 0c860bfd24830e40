package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.blob.Blob;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Contexts with one connection, made by details carried to the peer, on every provider.
abstract class GatedConnectionContract {
    /// The low byte of the version of a blob.
    private static final int VERSION_AT = 5;

    private RdmaEnd ours;
    private RdmaEnd theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        ours = new RdmaEnd(device());
        theirs = new RdmaEnd(device());
    }

    @AfterEach
    void close() {
        ours.close();
        theirs.close();
    }

    @Test
    @Requirement({"DRDMA-CONN-1", "DRDMA-CONN-2", "DRDMA-CONN-6", "DFLT-40", "DFLT-42"})
    void aContextRunsOnceItsConnectionIsConnected() {
        assertThat(ours.rdma.connectionMode()).isEqualTo(ConnectionMode.GATED);
        assertRefused(DocaError.BAD_STATE, ours.rdma::export);
        assertThat(ours.rdma.start()).isEqualTo(CtxState.STARTING);
        theirs.rdma.start();
        RdmaConnection connection = ours.rdma.export();
        assertThat(ours.rdma.export()).isSameAs(connection);
        byte[] details = theirs.rdma.export().details();
        ours.engine.progress();
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);

        connection.connect(details);
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);

        assertRefused(DocaError.BAD_STATE, () -> connection.connect(details));
        assertRefused(DocaError.NOT_PERMITTED, connection::disconnect);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DRDMA-CONN-3", "DFLT-41", "DRDMA-CONN-9a"})
    void damagedDetailsAreRefusedAndChangeNothing() {
        ours.rdma.start();
        theirs.rdma.start();
        RdmaConnection connection = ours.rdma.export();
        byte[] good = theirs.rdma.export().details();

        assertRefused(DocaError.INVALID_VALUE, () -> connection.connect(null));
        assertRefused(DocaError.INVALID_VALUE, () -> connection.connect(new byte[0]));
        for (int length = 1; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertRefused(DocaError.CONNECTION_ABORTED, () -> connection.connect(cut));
        }
        for (int bit = 0; bit < 8 * good.length; bit++) {
            byte[] flipped = good.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused(DocaError.CONNECTION_ABORTED, () -> connection.connect(flipped));
        }

        assertThat(connection.state()).isEqualTo(RdmaState.INIT);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STARTING);
        connection.connect(good);
        assertThat(connection.state()).isEqualTo(RdmaState.CONNECTED);
    }

    /// Whole and undamaged, but of an end that this one cannot talk to.
    @Test
    void aConnectionThatHasLeftHasNoDetails() {
        ours.rdma.start();
        RdmaConnection connection = ours.rdma.export();
        ours.rdma.stop();
        assertThat(connection.state()).isEqualTo(RdmaState.RESET);
        assertRefused(DocaError.BAD_STATE, connection::details, "has ended");
    }

    @Test
    @Requirement({"DRDMA-CONN-9a", "DRDMA-CONN-9d", "DFLT-41"})
    void detailsOfAnEndOfAnotherKindAreRefused() {
        ours.rdma.start();
        theirs.rdma.start();
        RdmaConnection connection = ours.rdma.export();
        byte[] good = theirs.rdma.export().details();

        assertRefused(
                DocaError.CONNECTION_ABORTED,
                () -> connection.connect(ofVersion(2, good)),
                "version 2");
        assertRefused(
                DocaError.CONNECTION_ABORTED,
                () -> connection.connect(ofVersion(4, good)),
                "version 4");

        byte[] dynamic = withBodyByte(good, 0, TransportType.DC.ordinal());
        assertRefused(
                DocaError.CONNECTION_ABORTED,
                () -> connection.connect(dynamic),
                "transport type 1");
        byte[] withoutGrh = withBodyByte(good, 1, 0);
        assertRefused(
                DocaError.CONNECTION_ABORTED, () -> connection.connect(withoutGrh), "GRH use 0");
        assertThat(connection.state()).isEqualTo(RdmaState.INIT);
    }

    private static byte[] ofVersion(int version, byte[] details) {
        byte[] changed = details.clone();
        changed[VERSION_AT] = (byte) version;
        CRC32C checksum = new CRC32C();
        checksum.update(changed, 0, changed.length - Integer.BYTES);
        ByteBuffer.wrap(changed).putInt(changed.length - Integer.BYTES, (int) checksum.getValue());
        return changed;
    }

    private static byte[] withBodyByte(byte[] details, int at, int value) {
        ByteBuffer body = Blob.decode(Blob.Kind.CONNECTION, details);
        byte[] changed = new byte[body.remaining()];
        body.get(changed);
        changed[at] = (byte) value;
        return Blob.encode(Blob.Kind.CONNECTION, changed);
    }

    @Test
    @Requirement("DRDMA-CONN-5")
    void whatIsSentBeforeThePeerIsConnectedIsNotLost() {
        ours.rdma.start();
        theirs.rdma.start();
        RdmaConnection here = ours.rdma.export();
        RdmaConnection there = theirs.rdma.export();
        here.connect(there.details());
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);
        SendTask early = here.allocSend(ours.data(0, (byte) 9));
        assertThat(early.submit()).isEqualTo(DocaError.SUCCESS);
        ours.engine.progress();

        there.connect(here.details());
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.RUNNING);
        ReceiveTask receive = theirs.rdma.allocReceive(theirs.room(0, 4));
        receive.submitOrThrow();

        assertThat(theirs.next()).isSameAs(receive);
        assertThat(theirs.bytes(0, 1)).containsExactly(9);
        assertThat(ours.next()).isSameAs(early);
        assertThat(early.status()).isEqualTo(DocaError.SUCCESS);
        early.src().release();
        receive.dst().release();
    }

    @Test
    @Requirement({"DRDMA-STATE-6", "DRDMA-STATE-7", "DRDMA-STATE-8", "DRDMA-FAIL-5", "DFLT-61"})
    void anErrorEndsBothSidesWhichThenBeginAgain() {
        theirs.rdma.permissions(AccessFlag.LOCAL_READ_WRITE);
        RdmaEnd.connect(ours, theirs);
        WriteTask refused = ours.peer.allocWrite(ours.data(0, (byte) 1), ours.remoteRoom(0, 8));
        assertThat(ours.run(refused)).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
        assertThat(ours.rdma.rdmaState()).isEqualTo(RdmaState.ERROR);
        refused.src().release();
        refused.dst().release();
        refused.free();
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertThat(ours.rdma.rdmaState()).isEqualTo(RdmaState.RESET);

        theirs.progressUntil(() -> theirs.rdma.stopCause().isPresent());
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.IDLE);
        ours.remote.close();
        theirs.remote.close();
        RdmaEnd.connect(ours, theirs);

        ReceiveTask receive = theirs.rdma.allocReceive(null);
        receive.submitOrThrow();
        assertThat(ours.run(ours.peer.allocSend(null))).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.next()).isSameAs(receive);
    }

    @Test
    @Requirement({"DRDMA-CONN-8", "DFLT-44"})
    void theDetailsOfAnEarlierStartReachNobody() {
        theirs.rdma.start();
        byte[] old = theirs.rdma.export().details();
        theirs.rdma.stop();
        theirs.progressUntil(() -> theirs.rdma.state() == CtxState.IDLE);
        theirs.rdma.start();
        assertThat(theirs.rdma.export().details()).isNotEqualTo(old);
        ours.rdma.retryCount(1).timeoutCode(12).start();
        RdmaConnection connection = ours.rdma.export();
        connection.connect(old);
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);

        assertThat(ours.run(connection.allocSend(null))).isEqualTo(DocaError.IO_FAILED);

        assertThat(ours.rdma.state()).isEqualTo(CtxState.STOPPING);
    }
}
