package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.DatagramEnd;
import dev.outboard.fabric.contract.VerbsEnd;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every field of a work request and of a queue pair that a packet carries, as the bytes of a
/// captured packet: written down by hand, so that two sides with the same mistake are found out.
class FieldsOnTheWireTest {
    private static final int SEND_PSN = 0x123456;
    private static final int RECEIVE_PSN = 0xabcdef;
    private static final int TRAFFIC_CLASS = 0x68;
    private static final int PEER_RNR_TIMER = 9;
    private static final int PEER_QUEUE_KEY = 0x01234567;

    @TempDir private java.nio.file.Path directory;

    private Wire wire;
    private Device farDevice;
    private VerbsEnd near;
    private VerbsEnd far;

    @BeforeEach
    void open() {
        wire = new Wire(directory.resolve("near.pcapng"));
        farDevice = RoceLoopback.open();
        near = new VerbsEnd(wire.device());
        far = new VerbsEnd(farDevice);
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
        wire.close();
        farDevice.close();
    }

    // ---- reliable connections -------------------------------------------------------------------

    @Test
    @Requirement({"ROCE-PKT-1", "ROCE-PKT-2", "ROCE-PKT-4", "ROCE-PKT-6", "ROCE-RC-7"})
    void sends() {
        connect();
        far.postReceive(1);
        far.postReceive(2);
        send(new SendRequest().solicited(true), 5);
        send(new SendRequest().sendWithImmediate(0x01020304), 8);

        assertThat(wire.sent())
                .containsExactly(
                        "04f0ffff" + "00" + of(far) + "80123456" + "1011121314" + "000000",
                        "0540ffff" + "00" + of(far) + "80123457" + "01020304" + "1011121314151617");
        assertThat(wire.received())
                .containsExactly(
                        "1140ffff" + "00" + of(near) + "00123456" + "1f000001",
                        "1140ffff" + "00" + of(near) + "00123457" + "1f000002");
        assertThat(wire.sentHeaders())
                .allMatch(header -> header.startsWith("4568"))
                .allMatch(header -> header.startsWith("12b712b7", 2 * 20));
    }

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-RC-23"})
    void writes() {
        connect();
        far.postReceive(1);
        long to = far.region().address() + 0x123;
        send(new SendRequest().write(to, far.region().remoteKey()), 6);
        send(new SendRequest().writeWithImmediate(to, far.region().remoteKey(), 0xa1b2c3d4), 4);

        String target = "%016x%08x".formatted(to, far.region().remoteKey());
        assertThat(wire.sent())
                .containsExactly(
                        "0a60ffff"
                                + "00"
                                + of(far)
                                + "80123456"
                                + target
                                + "00000006"
                                + "101112131415"
                                + "0000",
                        "0b40ffff"
                                + "00"
                                + of(far)
                                + "80123457"
                                + target
                                + "00000004"
                                + "a1b2c3d4"
                                + "10111213");
    }

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-RC-1", "ROCE-RC-2"})
    void aLongWrite() {
        connect();
        long to = far.region().address();
        send(new SendRequest().write(to, far.region().remoteKey()), 2501);

        String target = "%016x%08x".formatted(to, far.region().remoteKey());
        List<String> sent = wire.sent();
        assertThat(sent).hasSize(3);
        assertThat(sent.get(0))
                .startsWith("0640ffff" + "00" + of(far) + "00123456" + target + "000009c5" + "1011")
                .hasSize(2 * (12 + 16 + 1024));
        assertThat(sent.get(1))
                .startsWith("0740ffff" + "00" + of(far) + "00123457" + "1011")
                .hasSize(2 * (12 + 1024));
        assertThat(sent.get(2))
                .startsWith("0870ffff" + "00" + of(far) + "80123458" + "1011")
                .endsWith("d4" + "000000")
                .hasSize(2 * (12 + 2501 - 2048 + 3));
    }

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-RC-7"})
    void reads() {
        connect();
        fill(far, 5, 0x20);
        long from = far.region().address();
        send(new SendRequest().read(from, far.region().remoteKey()), 5);

        assertThat(wire.sent())
                .containsExactly(
                        "0c40ffff"
                                + "00"
                                + of(far)
                                + "80123456"
                                + "%016x%08x".formatted(from, far.region().remoteKey())
                                + "00000005");
        assertThat(wire.received())
                .containsExactly(
                        "1070ffff"
                                + "00"
                                + of(near)
                                + "00123456"
                                + "1f000001"
                                + "2021222324"
                                + "000000");
    }

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-RC-25"})
    void atomics() {
        connect();
        long at = far.region().address() + 16;
        int key = far.region().remoteKey();
        far.region().segment().set(ValueLayout.JAVA_LONG, 16, 0x1122334455667788L);
        send(
                new SendRequest().compareAndSwap(at, key, 0x1122334455667788L, 0x0102030405060708L),
                8);
        send(new SendRequest().fetchAndAdd(at, key, 0x1000000000000002L), 8);

        assertThat(wire.sent())
                .containsExactly(
                        "1340ffff"
                                + "00"
                                + of(far)
                                + "80123456"
                                + "%016x%08x".formatted(at, key)
                                + "0102030405060708"
                                + "1122334455667788",
                        "1440ffff"
                                + "00"
                                + of(far)
                                + "80123457"
                                + "%016x%08x".formatted(at, key)
                                + "1000000000000002"
                                + "0000000000000000");
        assertThat(wire.received())
                .containsExactly(
                        "1240ffff" + "00" + of(near) + "00123456" + "1f000001" + "1122334455667788",
                        "1240ffff"
                                + "00"
                                + of(near)
                                + "00123457"
                                + "1f000002"
                                + "0102030405060708");
        assertThat(far.region().segment().get(ValueLayout.JAVA_LONG, 16))
                .isEqualTo(0x110203040506070aL);
    }

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-RC-24"})
    void theKeyToInvalidate() {
        connect();
        far.postReceive(1);
        // Nobody has this key, so that the peer refuses the message.
        post(new SendRequest().sendWithInvalidate(0x5a6b7c8d), 3);
        near.completion();

        assertThat(wire.sent().getFirst())
                .isEqualTo("1750ffff" + "00" + of(far) + "80123456" + "5a6b7c8d" + "101112" + "00");
    }

    /// Of the receiver's `minRnrTimer`, and of the number of the packet that is refused.
    @Test
    @Requirement({"ROCE-RC-15", "ROCE-RC-16"})
    void theWaitForAReceive() {
        connect();
        post(new SendRequest(), 4);
        wire.awaitReceived(1);
        far.postReceive(1);
        near.completion();

        assertThat(wire.received().getFirst())
                .isEqualTo("1140ffff" + "00" + of(near) + "00123456" + "29000000");
    }

    @Test
    @Requirement({"ROCE-RC-18", "ROCE-RC-19"})
    void aRefusal() {
        connect();
        send(new SendRequest().write(far.region().address(), far.region().remoteKey()), 4);
        post(new SendRequest().write(far.region().address(), far.region().remoteKey() ^ 1), 4);
        assertThat(near.completion().status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);

        assertThat(wire.received())
                .containsExactly(
                        "1140ffff" + "00" + of(near) + "00123456" + "1f000001",
                        "1140ffff" + "00" + of(near) + "00123457" + "62000001");
    }

    private void connect() {
        near.create();
        far.create();
        VerbsEnd.initialize(near.queuePair()::modify);
        VerbsEnd.initialize(far.queuePair()::modify);
        readyToReceive(near, far, RECEIVE_PSN, 14);
        readyToReceive(far, near, SEND_PSN, PEER_RNR_TIMER);
        VerbsEnd.readyToSend(near.queuePair()::modify, SEND_PSN);
        VerbsEnd.readyToSend(far.queuePair()::modify, RECEIVE_PSN);
    }

    private static void readyToReceive(VerbsEnd end, VerbsEnd peer, int psn, int rnrTimer) {
        end.queuePair()
                .modify(
                        QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                                .addressVector(
                                        new AddressVector(
                                                peer.device().address(), TRAFFIC_CLASS, 0))
                                .destinationNumber(peer.queuePair().number())
                                .pathMtu(1024)
                                .receivePsn(psn)
                                .maxDestinationReadAtomic(1)
                                .minRnrTimer(rnrTimer));
    }

    private void post(SendRequest request, int length) {
        fill(near, length, 0x10);
        near.post(request.payload(near.region(), 0, length));
    }

    private void send(SendRequest request, int length) {
        post(request, length);
        assertThat(near.completion().status()).isEqualTo(CompletionStatus.SUCCESS);
    }

    private static void fill(VerbsEnd end, int length, int first) {
        for (int i = 0; i < length; i++) {
            end.region().segment().set(ValueLayout.JAVA_BYTE, i, (byte) (first + i));
        }
    }

    private static String of(VerbsEnd end) {
        return "%06x".formatted(end.queuePair().number());
    }

    // ---- datagrams ------------------------------------------------------------------------------

    @Test
    @Requirement({"ROCE-PKT-3", "ROCE-UD-1"})
    void datagrams() {
        try (DatagramEnd from = new DatagramEnd(wire.device());
                DatagramEnd to = new DatagramEnd(farDevice);
                AddressHandle handle =
                        from.domain()
                                .createAddressHandle(
                                        new AddressVector(farDevice.address(), TRAFFIC_CLASS, 0))) {
            Consumer<SendRequest> post =
                    request -> {
                        from.post(
                                request.to(handle, to.queuePair().number(), PEER_QUEUE_KEY)
                                        .payload(from.region(), 0, 2));
                        from.awaitCompletion();
                    };
            post.accept(new SendRequest());
            post.accept(new SendRequest().sendWithImmediate(0x0a0b0c0d).solicited(true));

            String deth = "01234567" + "00" + "%06x".formatted(from.queuePair().number());
            String destination = "%06x".formatted(to.queuePair().number());
            assertThat(wire.sent())
                    .containsExactly(
                            "6460ffff" + "00" + destination + "00000007" + deth + "00000000",
                            "65e0ffff"
                                    + "00"
                                    + destination
                                    + "00000008"
                                    + deth
                                    + "0a0b0c0d"
                                    + "00000000");
            assertThat(wire.sentHeaders()).allMatch(header -> header.startsWith("4568"));
        }
    }
}
