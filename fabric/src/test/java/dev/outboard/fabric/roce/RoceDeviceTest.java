package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RoceDeviceTest {
    private static final int IP_AND_UDP = 28;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Device device = Fabric.open("roce://auto?peer=127.0.0.1");

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    @Requirement({"ROCE-CM-15a", "ROCE-CM-15c"})
    void everyDeviceHasItsOwnGuidAndNumbers() {
        try (Device other = Fabric.open("roce://auto?peer=127.0.0.1")) {
            assertThat(other.guid()).isNotEqualTo(device.guid());
            assertThat(firstNumber(other)).isNotEqualTo(firstNumber(device));
        }
    }

    private static int firstNumber(Device of) {
        CompletionQueue queue = of.createCompletionQueue(1);
        return of.allocateProtectionDomain()
                .createQueuePair(QueuePairAttributes.of(queue, 1, 1))
                .number();
    }

    @Test
    @Requirement("ROCE-PKT-5")
    void countsWhatItDropsByReason() throws IOException {
        byte[] ack = udpPayload("rc_ack");
        send(new byte[] {1, 2, 3});
        send(new byte[17]);
        send(changed(ack, 1, 0x01));
        send(changed(ack, 0, 0x1B));
        send(changed(ack, 5, 0, 0, 0));
        send(ack);

        awaitCount(PacketFlaw.TOO_SHORT, 1);
        awaitCount(PacketFlaw.NOT_MULTIPLE_OF_4, 1);
        awaitCount(PacketFlaw.BAD_TRANSPORT_VERSION, 1);
        awaitCount(PacketFlaw.UNKNOWN_OPCODE, 1);
        awaitCount(PacketFlaw.QPN_ZERO, 1);
        awaitCount(PacketFlaw.BAD_ICRC, 1);
    }

    /// Nobody has the address: unbounded, the attempt takes about ten seconds.
    @Test
    void anAttemptToConnectEndsAtItsLimit() {
        try (ConnectionChannel channel = device.createConnectionChannel();
                CompletionQueue queue = device.createCompletionQueue(4)) {
            ConnectionId id = channel.createId();
            var silent = new InetSocketAddress("127.77.66.55", 4242);
            long start = System.nanoTime();
            id.limitAttempt(Duration.ofMillis(200));
            id.resolveAddress(silent, Duration.ofSeconds(10));
            id.resolveRoute(Duration.ofSeconds(10));
            ProtectionDomain domain = device.allocateProtectionDomain();
            id.createQueuePair(domain, QueuePairAttributes.of(queue, 1, 1));
            id.connect(ConnectionParameters.defaults());

            ConnectionEvent end = lastOf(channel);

            assertThat(end.type())
                    .as(end.explanation())
                    .isEqualTo(ConnectionEvent.Type.UNREACHABLE);
            assertThat(end.explanation()).contains("1 connection requests within the limit");
            assertThat(System.nanoTime() - start).isBetween(200_000_000L, 9_000_000_000L);
            id.close();
            domain.close();
        }
    }

    @Test
    void aLimitThatHasPassedEndsTheAttemptAtItsNextStep() {
        try (ConnectionChannel channel = device.createConnectionChannel()) {
            ConnectionId id = channel.createId();
            id.limitAttempt(Duration.ofNanos(1));

            id.resolveAddress(new InetSocketAddress("127.77.66.55", 4242), PATIENCE);

            ConnectionEvent end = channel.next(PATIENCE).orElseThrow();
            assertThat(end.type()).isEqualTo(ConnectionEvent.Type.ADDRESS_ERROR);
            assertThat(end.explanation()).contains("limit of this attempt");
            assertThatThrownBy(() -> id.limitAttempt(Duration.ZERO))
                    .hasMessageContaining("is PT0S; valid: more than nothing");
        }
    }

    @Test
    void aTakenAddressNamesTheRemedy() {
        String taken = "roce://" + device.address().getHostAddress();
        assertThatThrownBy(() -> Fabric.open(taken))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(FabricException.Reason.ADDRESS_IN_USE))
                .hasMessageContaining("another loopback address");
    }

    @Test
    void anUnknownOptionIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> Fabric.open("roce://127.0.0.1?captur=x"))
                .hasMessageContaining("captur")
                .hasMessageContaining("capture");
    }

    @Test
    void anUnknownSchemeIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> Fabric.open("ibv://mlx5_0")).hasMessageContaining("[roce, sim]");
    }

    @Test
    void awaitEndsAtItsDeadline() {
        CompletionQueue queue = device.createCompletionQueue(1);
        queue.requestNotification(false);
        assertThat(queue.await(TimeUnit.MILLISECONDS.toNanos(5))).isFalse();
        assertThat(queue.poll(new Completion())).isFalse();
    }

    @Test
    void closingTheDeviceEndsAWait() {
        CompletionQueue queue = device.createCompletionQueue(1);
        queue.requestNotification(false);
        CompletableFuture<Boolean> waiting =
                CompletableFuture.supplyAsync(() -> queue.await(TimeUnit.HOURS.toNanos(1)));
        device.close();
        assertThat(waiting).succeedsWithin(PATIENCE).isEqualTo(false);
    }

    @Test
    void closingTwiceIsHarmless() {
        device.close();
        device.close();
    }

    @Test
    void addressesThatCannotBeADeviceAreRefused() {
        assertThatThrownBy(() -> Fabric.open("roce://0.0.0.0"))
                .hasMessageContaining("name one address");
        assertThatThrownBy(() -> Fabric.open("roce://192.0.2.1"))
                .hasMessageContaining("not an address of this machine");
    }

    private void awaitCount(PacketFlaw reason, long count) {
        String name = "discarded." + reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (device.counters().get(name) < count && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(device.counters()).containsEntry(name, count);
    }

    private void send(byte[] payload) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.send(
                    ByteBuffer.wrap(payload),
                    new InetSocketAddress(device.address(), Path.DESTINATION_PORT));
        }
    }

    /// The packet from the BTH on, without IP and UDP headers.
    private static byte[] udpPayload(String name) {
        byte[] packet = Golden.packet(name);
        return Arrays.copyOfRange(packet, IP_AND_UDP, packet.length);
    }

    private static byte[] changed(byte[] packet, int at, int... bytes) {
        byte[] copy = packet.clone();
        for (int i = 0; i < bytes.length; i++) {
            copy[at + i] = (byte) bytes[i];
        }
        return copy;
    }

    /// Passes over what went well on the way.
    private static ConnectionEvent lastOf(ConnectionChannel channel) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        while (event.type() == ConnectionEvent.Type.ADDRESS_RESOLVED
                || event.type() == ConnectionEvent.Type.ROUTE_RESOLVED) {
            event = channel.next(PATIENCE).orElseThrow();
        }
        return event;
    }
}
