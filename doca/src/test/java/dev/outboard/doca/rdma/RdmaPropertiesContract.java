package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a context can be configured with, and what the device says it can do, on every provider.
abstract class RdmaPropertiesContract {
    private DocaDev dev;
    private Rdma rdma;
    private RdmaCapabilities capabilities;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        DocaDevInfo info = device();
        capabilities = RdmaCapabilities.of(info);
        dev = DocaDev.open(info);
        rdma = new Rdma(dev);
    }

    @AfterEach
    void close() {
        rdma.close();
        dev.close();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,2", "3,4", "1000,1024", "1024,1024"})
    @Requirement({"DRDMA-PROP-1", "DRDMA-PROP-2"})
    void queueSizesAreRoundedUpToPowersOfTwo(int set, int used) {
        assertThat(rdma.sendQueueSize(set).sendQueueSize()).isEqualTo(used);
        assertThat(rdma.recvQueueSize(set).recvQueueSize()).isEqualTo(used);
    }

    @Test
    @Requirement({"DRDMA-PROP-1", "DRDMA-PROP-2", "DRDMA-CAP-2", "DRDMA-CAP-7"})
    void queuesAreAsLongAsTheDeviceCanAtMost() {
        int sends = capabilities.maxSendQueueSize();
        int receives = capabilities.maxRecvQueueSize();
        assertThat(rdma.sendQueueSize(sends).sendQueueSize()).isEqualTo(sends);
        assertThat(rdma.recvQueueSize(receives).recvQueueSize()).isEqualTo(receives);
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.sendQueueSize(sends + 1), "at most");
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.recvQueueSize(receives + 1), "at most");
        assertThat(rdma.sendQueueSize()).as("after refusals").isEqualTo(sends);
        assertThat(rdma.recvQueueSize()).as("after refusals").isEqualTo(receives);
    }

    @Test
    @Requirement({"DRDMA-PROP-18", "DRDMA-CAP-2", "DRDMA-CAP-3", "DRDMA-CAP-7", "DFLT-55"})
    void listsAreAsLongAsTheDeviceCanAtMost() {
        int list = capabilities.maxSendBufListLen();
        int receiveList = capabilities.maxReceiveDstBufListLen(TransportType.RC);
        rdma.maxSendBufListLen(list).receiveDstBufListLen(receiveList);
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.maxSendBufListLen(list + 1));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.receiveDstBufListLen(receiveList + 1));
        assertThat(rdma.maxSendBufListLen()).as("after refusals").isEqualTo(list);
        assertThat(rdma.receiveDstBufListLen()).as("after refusals").isEqualTo(receiveList);
    }

    @Test
    @Requirement({"DRDMA-PROP-11", "DRDMA-CAP-7"})
    void thereAreAsManyConnectionsAsTheDeviceCanAtMost() {
        int connections = capabilities.maxNumConnections();
        assertThat(rdma.maxNumConnections(connections).maxNumConnections()).isEqualTo(connections);
        assertRefused(
                DocaError.NOT_SUPPORTED, () -> rdma.maxNumConnections(connections + 1), "at most");
        assertThat(rdma.maxNumConnections()).as("after a refusal").isEqualTo(connections);
        assertThat(rdma.mtu(capabilities.maxMtu()).mtu()).isEqualTo(capabilities.maxMtu());
    }

    @Test
    @Requirement({"DRDMA-CAP-7", "DCORE-TASK-16"})
    void theLongestListsCanBeUsed() {
        int list = capabilities.maxSendBufListLen();
        try (RdmaEnd one = new RdmaEnd(device());
                RdmaEnd other = new RdmaEnd(device())) {
            one.rdma.maxSendBufListLen(list);
            other.rdma.receiveDstBufListLen(list);
            RdmaEnd.connect(one, other);
            one.fill(1);
            ReceiveTask receive = other.rdma.allocReceive(other.rooms(list, 0, 3));
            receive.submitOrThrow();
            RdmaPairContract.assertSucceeds(one, one.peer.allocSend(one.datas(list, 0, 3)));
            assertThat(other.next()).isSameAs(receive);
            assertThat(receive.resultLength()).isEqualTo(3L * list);
            assertThat(other.bytes(0, 3 * list)).isEqualTo(one.bytes(0, 3 * list));
        }
    }

    @Test
    @Requirement({"DFLT-55", "DRDMA-PROP-5", "DRDMA-PROP-8", "DRDMA-CAP-6"})
    void whatTheTransportLacksIsRefused() {
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.transportType(TransportType.DC), "DC");
        assertRefused(DocaError.NOT_SUPPORTED, () -> rdma.grhEnabled(false));
        assertThat(rdma.transportType()).isEqualTo(TransportType.RC);
        assertThat(rdma.grhEnabled()).isTrue();
    }

    @Test
    @Requirement({"DFLT-55", "DRDMA-PROP-7", "DRDMA-PROP-9", "DRDMA-PROP-10"})
    void whatNamesNothingOfTheDeviceIsRefused() {
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.gidIndex(1), "GID index is 1");
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.gidIndex(-1));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.serviceLevel(16), "0 to 15");
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.serviceLevel(-1));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.permissions(AccessFlag.PCI_READ_WRITE));
    }

    @Test
    @Requirement({"DRDMA-PROP-1", "DRDMA-PROP-2", "DRDMA-PROP-11", "DRDMA-PROP-18"})
    void numbersOfNothingAreRefused() {
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.maxNumConnections(0), "at least 1");
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.sendQueueSize(0));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.recvQueueSize(-1));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.maxSendBufListLen(0));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.receiveDstBufListLen(0));
    }

    @Test
    @Requirement({"DRDMA-PROP-12", "DRDMA-PROP-13", "DRDMA-PROP-15"})
    void timesAndRepetitionsOutOfRangeAreRefused() {
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.rnrRetryCount(8), "0 to 7");
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.rnrRetryCount(-1));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.retryCount(8));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.timeoutCode(0), "1 to 31");
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.timeoutCode(32));
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.connectionRequestTimeout(Duration.ZERO));
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> rdma.connectionRequestTimeout(Duration.ofNanos(999_999)),
                "at least 1 ms");
        Duration shortest = Duration.ofMillis(1);
        assertThat(rdma.connectionRequestTimeout(shortest).connectionRequestTimeout())
                .isEqualTo(shortest);
        assertThat(rdma.state()).isEqualTo(CtxState.IDLE);
    }

    @Test
    @Requirement({"DRDMA-PROP-5", "DRDMA-PROP-8", "DRDMA-PROP-9", "DRDMA-PROP-10"})
    void whatMakesSenseIsTaken() {
        rdma.transportType(TransportType.RC).grhEnabled(true).gidIndex(0).serviceLevel(15);
        assertThat(rdma.serviceLevel()).isEqualTo(15);
        Duration second = Duration.ofSeconds(1);
        assertThat(rdma.connectionRequestTimeout(second).connectionRequestTimeout())
                .isEqualTo(second);
        rdma.rnrRetryCount(7).retryCount(0).timeoutCode(31);
        assertThat(List.of(rdma.rnrRetryCount(), rdma.retryCount(), rdma.timeoutCode()))
                .containsExactly(7, 0, 31);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 128, 1000, 1500, 4097, 8192, 9000})
    @Requirement({"DRDMA-PROP-6", "DFLT-55"})
    void otherPayloadsThanInfiniBandsAreRefused(int mtu) {
        assertRefused(DocaError.INVALID_VALUE, () -> rdma.mtu(mtu), "256, 512, 1024, 2048 or 4096");
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    @Requirement("DRDMA-PROP-6")
    void theSmallerPayloadIsUsedByBoth(int mtu) {
        try (RdmaEnd one = new RdmaEnd(device());
                RdmaEnd other = new RdmaEnd(device())) {
            one.rdma.mtu(mtu);
            assertThat(one.rdma.mtu()).isEqualTo(mtu);
            RdmaEnd.connect(one, other);
            one.fill(1);
            ReadTask read = other.peer.allocRead(other.remoteData(0, 9000), other.room(0, 9000));
            RdmaPairContract.assertSucceeds(other, read);
            assertThat(other.bytes(0, 9000)).isEqualTo(one.bytes(0, 9000));
        }
    }

    @Test
    @Requirement("DRDMA-PROP-7")
    void localPermissionsAreIgnored() {
        rdma.permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_READ);
        assertThat(rdma.permissions()).containsExactly(AccessFlag.RDMA_READ);
    }

    @Test
    @Requirement({"DRDMA-PROP-7", "DJAVA-API-7"})
    void permissionsMayBeNamedTwiceButNotBeNull() {
        rdma.permissions(AccessFlag.RDMA_READ, AccessFlag.RDMA_READ);
        assertThat(rdma.permissions()).containsExactly(AccessFlag.RDMA_READ);
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> rdma.permissions(AccessFlag.RDMA_WRITE, null),
                "flags");
        assertThat(rdma.permissions()).containsExactly(AccessFlag.RDMA_READ);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DRDMA-CAP-1", "DRDMA-CONF-3", "DCORE-DEV-6a"})
    void everyTaskIsSupported(TaskType type) {
        assertThat(capabilities.supports(type)).isTrue();
    }

    @Test
    @Requirement({"DRDMA-CAP-2", "DRDMA-CAP-3", "DRDMA-CAP-6", "DCORE-DEV-7"})
    void reliableConnectionsAreTheTransport() {
        assertThat(capabilities.supports(TransportType.RC)).isTrue();
        assertThat(capabilities.supports(TransportType.DC)).isFalse();
        assertRefused(
                DocaError.NOT_SUPPORTED,
                () -> capabilities.maxReceiveDstBufListLen(TransportType.DC));
        assertThat(TransportType.values()).containsExactly(TransportType.RC, TransportType.DC);
    }

    @Test
    @Requirement("DRDMA-CAP-2")
    void theGidTableIsRead() {
        int size = capabilities.gidTableSize();
        assertThat(capabilities.gids(0, size)).hasSize(1).isEqualTo(capabilities.gidTable());
        assertThat(capabilities.gids(size, 0)).isEmpty();
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(0, size + 1));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(-1, 1));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(1, Integer.MAX_VALUE));
        assertRefused(DocaError.INVALID_VALUE, () -> capabilities.gids(0, -1));
    }

    @Test
    @Requirement({"DRDMA-CAP-4", "DRDMA-CAP-5", "DCORE-DEV-5"})
    void capabilitiesAreAskedWithoutOpening() {
        List<RdmaCapabilities> all = new ArrayList<>();
        for (DocaDevInfo info : DocaDevInfo.list()) {
            all.add(RdmaCapabilities.of(info));
        }
        assertThat(all).isNotEmpty().allMatch(each -> each.maxMessageSize() == 1L << 31);
        assertThat(capabilities).isEqualTo(RdmaCapabilities.of(dev.info()));
        assertThat(capabilities.maxMessageSize())
                .isEqualTo(dev.protectionDomain().device().limits().maxMessageBytes());
    }

    @Test
    @Requirement("DCORE-DEV-5")
    void aDeviceThatIsNotThereHasNoCapabilities() {
        DocaDevInfo unknown = DocaDevInfo.of("none://here");
        assertRefused(DocaError.NOT_SUPPORTED, () -> RdmaCapabilities.of(unknown), "none");
    }
}
