package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.Completions;
import dev.outboard.fabric.contract.ConnectedPair;
import dev.outboard.fabric.sim.SimNetwork;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Connection management on a network that the test cuts and whose packets it reads.
class WatchedConnectionTest {
    private static final int PORT = 7474;
    private static final int ETIMEDOUT = 110;
    private static final int OPCODE_UD_SEND_ONLY = 0x64;
    private static final int BTH_PSN = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Device clientDevice;
    private Device serverDevice;
    private SimNetwork network;

    @BeforeEach
    void open() {
        clientDevice = Fabric.open("sim://watched/10.0.0.1?seed=5");
        serverDevice = Fabric.open("sim://watched/10.0.0.2");
        network = SimNetwork.of(clientDevice);
    }

    @AfterEach
    void close() {
        clientDevice.close();
        serverDevice.close();
    }

    /// Unbounded, the peer that accepted repeats its answer for seconds.
    @Test
    void acceptingEndsAtItsLimitToo() {
        ConnectionChannel serverChannel = serverDevice.createConnectionChannel();
        serverChannel.createId().listen(PORT, 1);
        try (ConnectedPair.End client =
                new ConnectedPair.End(clientDevice, clientDevice.createConnectionChannel())) {
            client.request(new InetSocketAddress(serverDevice.address(), PORT));
            ConnectionId request = serverChannel.next(PATIENCE).orElseThrow().id();
            try (ConnectedPair.End server =
                    new ConnectedPair.End(serverDevice, serverChannel, request)) {
                network.cut(clientDevice.address(), serverDevice.address());
                Duration limit = Duration.ofMillis(5);
                request.limitAttempt(limit);
                long start = network.nowNanos();
                request.accept(ConnectionParameters.defaults());

                ConnectionEvent end = server.awaitEvent();

                assertThat(end.type()).isEqualTo(ConnectionEvent.Type.UNREACHABLE);
                assertThat(end.status()).isEqualTo(ETIMEDOUT);
                assertThat(network.nowNanos() - start).isEqualTo(limit.toNanos());
            }
        }
    }

    /// What still is on its way to a queue pair that had the number before shall not look new.
    @Test
    void theFirstPacketNumberOfADatagramServiceIsRandom() {
        List<Integer> numbers = new ArrayList<>();
        network.filter(frame -> {
            ByteBuffer packet = ByteBuffer.wrap(frame.bytes());
            if (packet.get(0) == OPCODE_UD_SEND_ONLY) {
                numbers.add(packet.getInt(BTH_PSN) & 0xFF_FFFF);
            }
            return true;
        });
        for (int i = 0; i < 3; i++) {
            sendOneDatagram();
        }
        assertThat(numbers).hasSize(3).doesNotHaveDuplicates();
    }

    private void sendOneDatagram() {
        try (ConnectionChannel channel = clientDevice.createConnectionChannel();
                ProtectionDomain domain = clientDevice.allocateProtectionDomain();
                CompletionQueue queue = clientDevice.createCompletionQueue(1);
                ConnectionId id = channel.createId(PortSpace.UDP);
                AddressHandle handle =
                        domain.createAddressHandle(AddressVector.to(serverDevice.address()))) {
            QueuePair pair =
                    id.createQueuePair(
                            domain,
                            QueuePairAttributes.of(queue, 1, 1)
                                    .withType(QueuePairType.UNRELIABLE_DATAGRAM));
            pair.post(new SendRequest().to(handle, 77, 1).noPayload());
            Completions.await(queue);
        }
    }
}
