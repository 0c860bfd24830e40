package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every provider of the fabric does alike with datagrams. A provider's test extends this and
/// opens its devices.
public abstract class DatagramContract {
    private static final int GRH = DatagramEnd.ROUTE_HEADER;
    private static final int KEY = DatagramEnd.QUEUE_KEY;

    private Device nearDevice;
    private Device farDevice;
    private DatagramEnd near;
    private DatagramEnd far;
    private AddressHandle toFar;

    /// Opens a device that reaches, and is reached by, the other devices opened here. It may be the
    /// same one each time.
    protected abstract Device open();

    @BeforeEach
    void start() {
        nearDevice = open();
        farDevice = open();
        near = new DatagramEnd(nearDevice);
        far = new DatagramEnd(farDevice);
        toFar = near.handleTo(farDevice);
    }

    @AfterEach
    void close() {
        toFar.close();
        near.close();
        far.close();
        nearDevice.close();
        farDevice.close();
    }

    private SendRequest send(int length) {
        return new SendRequest()
                .send()
                .to(toFar, far.queuePair().number(), KEY)
                .payload(near.region(), 0, length);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 255, 256, 257, 1024, 4096})
    @Requirement({"ROCE-UD-1", "ROCE-UD-2"})
    void datagramsGoBothWays(int length) {
        near.fill(0, length, length);
        far.postReceive(3, 8192, GRH + length);
        near.post(send(length).id(1).sendWithImmediate(0xDEADBEEF));
        assertThat(near.awaitCompletion().status()).isEqualTo(CompletionStatus.SUCCESS);
        Completion received = far.awaitCompletion();

        assertThat(received.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(received.id()).isEqualTo(3);
        assertThat(received.byteCount()).isEqualTo(GRH + length);
        assertThat(received.immediate()).isEqualTo(0xDEADBEEF);
        assertThat(received.sourceQueuePairNumber()).isEqualTo(near.queuePair().number());
        assertThat(far.bytes(8192 + GRH, length)).isEqualTo(near.bytes(0, length));

        near.postReceive(4, 8192, GRH + length);
        try (AddressHandle back = far.domain().createAddressHandle(received, far.region(), 8192)) {
            assertThat(back.vector().destination()).isEqualTo(nearDevice.address());
            far.post(
                    new SendRequest()
                            .to(back, received.sourceQueuePairNumber(), KEY)
                            .payload(far.region(), 8192 + GRH, length));
            assertThat(far.awaitCompletion().opcode()).isEqualTo(CompletionOpcode.SEND);
        }
        assertThat(near.awaitCompletion().id()).isEqualTo(4);
        assertThat(near.bytes(8192 + GRH, length)).isEqualTo(near.bytes(0, length));
    }

    @Test
    void manySendsCompleteInOrderAndTheLastWriteToTheBufferIsSafe() {
        for (int i = 0; i < 100; i++) {
            far.postReceive(i, 8192 + 400L * i, 400);
        }
        for (int i = 0; i < 100; i++) {
            near.fill(0, 350, i);
            near.post(send(350).id(i));
            assertThat(near.awaitCompletion().id()).isEqualTo(i);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(far.awaitCompletion().id()).isEqualTo(i);
            near.fill(0, 350, i);
            assertThat(far.bytes(8192 + 400L * i + GRH, 350)).isEqualTo(near.bytes(0, 350));
        }
    }

    @Test
    @Requirement("ROCE-UD-1")
    void aForeignKeyIsDroppedAndCounted() {
        far.postReceive(1, 0, 100);
        near.post(send(5).to(toFar, far.queuePair().number(), KEY + 1));
        near.post(send(6));

        assertThat(far.awaitCompletion().byteCount()).isEqualTo(GRH + 6);
        assertThat(far.queuePair().counters()).containsEntry("bad-queue-key-dropped", 1L);
        assertThat(farDevice.counters()).containsEntry("discarded.bad-queue-key", 1L);
    }

    @Test
    @Requirement("ROCE-UD-3")
    void withoutAReceiveADatagramIsDroppedAndCounted() {
        near.post(send(5));
        assertThat(near.awaitCompletion().status()).isEqualTo(CompletionStatus.SUCCESS);
        Completions.awaitWithout(
                far.completions(),
                () -> farDevice.counters().getOrDefault("discarded.no-receive", 0L) > 0);
        assertThat(far.queuePair().counters()).containsEntry("no-receive-dropped", 1L);
    }

    @Test
    @Requirement("ROCE-UD-3")
    void aDatagramLongerThanThePortsMtuIsRefused() {
        int tooLong = nearDevice.limits().pathMtuBytes() + 1;
        assertThatThrownBy(() -> near.queuePair().post(send(tooLong)))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining(tooLong + " bytes");
    }

    @Test
    void aReceiveTooShortIsALengthError() {
        far.postReceive(1, 0, GRH + 4);
        near.post(send(5));
        assertThat(far.awaitCompletion().status()).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
        assertThat(far.queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void aFailedSendStopsTheSendQueueUntilItIsModified() {
        MemoryRegion gone = near.domain().register(near.region().segment(), Access.LOCAL_WRITE);
        gone.close();
        near.post(send(0).payload(gone, 0, 8));
        assertThat(near.awaitCompletion().status())
                .isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
        assertThat(near.queuePair().state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
        near.post(send(5));
        assertThat(near.awaitCompletion().status())
                .isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);

        near.queuePair().modify(QueuePairChange.to(QueuePairState.READY_TO_SEND));
        far.postReceive(2, 0, 100);
        near.post(send(5));
        assertThat(near.awaitCompletion().status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(far.awaitCompletion().id()).isEqualTo(2);
    }

    @Test
    void receivesOfASharedQueueServeDatagramsToo() {
        QueuePairAttributes attributes = QueuePairAttributes.of(far.completions(), 4, 4);
        try (SharedReceiveQueue shared = far.domain().createSharedReceiveQueue(8, 1);
                QueuePair sharing =
                        far.domain()
                                .createQueuePair(
                                        attributes
                                                .withType(QueuePairType.UNRELIABLE_DATAGRAM)
                                                .withSharedReceiveQueue(shared))) {
            sharing.modify(QueuePairChange.to(QueuePairState.INIT).queueKey(KEY));
            sharing.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE));
            assertThat(shared.post(new ReceiveRequest().id(8).buffer(far.region(), 0, 100)))
                    .isTrue();
            near.post(send(5).to(toFar, sharing.number(), KEY));

            Completion received = far.awaitCompletion();
            assertThat(received.id()).isEqualTo(8);
            assertThat(received.queuePairNumber()).isEqualTo(sharing.number());
        }
    }

    @Test
    void aHandleLeadsOnlyWhereTheDeviceCanSend() {
        InetAddress foreign =
                InetAddress.ofLiteral(
                        nearDevice.address().getAddress().length == 4 ? "fd00::1" : "10.0.0.1");
        for (InetAddress unusable :
                new InetAddress[] {foreign, InetAddress.ofLiteral("224.0.0.1")}) {
            assertThatThrownBy(() -> near.domain().createAddressHandle(AddressVector.to(unusable)))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining(unusable.getHostAddress());
        }
        assertThatThrownBy(
                        () -> near.domain().createAddressHandle(new Completion(), near.region(), 0))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("no route header");
    }

    @Test
    void aDomainWithAnOpenHandleCannotBeClosed() {
        ProtectionDomain domain = nearDevice.allocateProtectionDomain();
        AddressHandle handle = domain.createAddressHandle(AddressVector.to(farDevice.address()));
        assertThatThrownBy(domain::close)
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("1 address handles");
        handle.close();
        handle.close();
        domain.close();
    }
}
