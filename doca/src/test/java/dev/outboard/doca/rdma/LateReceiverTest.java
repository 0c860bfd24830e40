package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.TestDevices;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.testkit.Requirement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A message that comes before there is a receive for it, over the RoCE provider.
class LateReceiverTest {
    /// Refusals after which the receive comes; the waits between them are 54 ms at least.
    private static final int REFUSALS = 5;

    private static final long LATENESS_NANOS = Duration.ofMillis(54).toNanos();

    private static final int RNR_NAK = 0x20;

    @TempDir private Path directory;
    private RdmaEnd ours;
    private RdmaEnd theirs;
    private Path capture;

    @BeforeEach
    void open() {
        capture = directory.resolve("theirs.pcapng");
        ours = new RdmaEnd(TestDevices.loopback());
        theirs = new RdmaEnd(DocaDevInfo.of(RoceLoopback.URI + "&capture=" + capture));
    }

    @AfterEach
    void close() {
        ours.close();
        theirs.close();
    }

    private SendTask send() {
        RdmaEnd.connect(ours, theirs);
        SendTask send = ours.peer.allocSend(ours.data(0, (byte) 7));
        send.submitOrThrow();
        return send;
    }

    /// What it has sent are refusals: the peer knows its queue pair from what was carried there.
    private static long sentPackets(RdmaEnd end) {
        return end.dev.protectionDomain().device().counters().get("sent.packets");
    }

    @Test
    @Requirement("DRDMA-CONN-5")
    void aLateReceiverGetsTheMessageByDefault() {
        long start = System.nanoTime();
        SendTask send = send();
        ours.progressUntil(() ->
                !send.isInFlight()
                        || (sentPackets(theirs) >= REFUSALS
                                && System.nanoTime() - start > LATENESS_NANOS));
        theirs.rdma.allocReceive(theirs.room(0, 1)).submitOrThrow();
        ours.progressUntil(() -> !send.isInFlight());

        assertThat(send.status()).as("%s", send.failure()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.next().status()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.bytes(0, 1)).containsExactly(7);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement("DRDMA-PROP-12")
    void theNumberOfRetriesBoundsTheRefusals() {
        ours.rdma.rnrRetryCount(2);

        assertThat(refusalsUntilItFails()).startsWith(12);
    }

    @Test
    void theFirstRefusalOnTheWireCarriesTheTimerThatWasSet() {
        theirs.rdma.minRnrTimer(1);

        assertThat(List.of(1, 5, 9, 13, 17, 21, 25, 29, 0)).startsWith(refusalsUntilItFails());
    }

    @Test
    void byDefaultAReceiveMayBeAlmostASecondLate() {
        assertThat(theirs.rdma.minRnrTimer()).isEqualTo(12);
        assertThat(ours.rdma.rnrRetryCount()).isEqualTo(6);
        assertThat(List.of(12, 16, 20, 24, 28, 0)).startsWith(refusalsUntilItFails());
    }

    /// The timer codes that a message gets for which no receive ever comes. A machine that is slow
    /// to answer gets copies of it, and answers them alike.
    private Integer[] refusalsUntilItFails() {
        SendTask send = send();
        ours.progressUntil(() -> !send.isInFlight());
        assertThat(send.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(send.failure())
                .contains(FailureCause.Transport.of(CompletionStatus.RNR_RETRY_EXCEEDED));
        theirs.close();
        return refusals().stream().distinct().toArray(Integer[]::new);
    }

    /// The timer codes of the receiver-not-ready NAKs in the capture, in order.
    private List<Integer> refusals() {
        return CapturedPacket.readAll(capture).stream()
                .filter(packet -> packet.opcode() == CapturedPacket.ACKNOWLEDGE)
                .map(CapturedPacket::syndrome)
                .filter(syndrome -> (syndrome & 0xe0) == RNR_NAK)
                .map(syndrome -> syndrome & 0x1f)
                .toList();
    }

    @Test
    void theTimerIsCheckedWhenItIsSet() {
        assertThat(ours.rdma.minRnrTimer(0).minRnrTimer()).isZero();
        assertThat(ours.rdma.minRnrTimer(31).minRnrTimer()).isEqualTo(31);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> ours.rdma.minRnrTimer(32),
                "timer code is 32",
                "0 to 31");
        assertRefused(DocaError.INVALID_VALUE, () -> ours.rdma.minRnrTimer(-1));
        ours.rdma.start();
        assertRefused(DocaError.BAD_STATE, () -> ours.rdma.minRnrTimer(1), "IDLE");
    }
}
