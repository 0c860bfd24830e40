package dev.outboard.naa.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.Device;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.InterposedDevice;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.SimulatedFabric;
import dev.outboard.naa.protocol.ClientFixture;
import dev.outboard.naa.server.NaaListener;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A server whose name stands for several addresses.
class ClientConnectionTest {
    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();
    private final InterposedDevice between = new InterposedDevice();
    private final Device device = between.over(fabric.device());
    private final SharedDevice shared = SharedDevice.of(device);

    @ParameterizedTest
    @EnumSource(
            value = ConnectionEvent.Type.class,
            names = {"ADDRESS_ERROR", "ROUTE_ERROR", "UNREACHABLE"})
    @Requirement("NAA-CONN-13")
    void triesTheNextAddress(ConnectionEvent.Type failure) throws Exception {
        List<InetAddress> addresses = List.of(InetAddress.getByName("127.0.0.9"), device.address());
        between.broken.put(addresses.getFirst(), failure);
        try (NaaListener listener = NaaListener.bind(device, 0, ServerOptions.builder().build())) {
            ClientFixture client =
                    new ClientFixture(
                            Dialect.UPSTREAM_2026, RegionSpec.input(Arena.ofAuto().allocate(1)));
            ClientConnection connection =
                    new ClientConnection(
                            NaaClient.builder("server", listener.port()),
                            client.machine,
                            shared,
                            4,
                            addresses);
            connection.resolveNext();
            Eventually.until(() -> {
                connection.pump();
                listener.pollAndHandleConnectionEvent(Duration.ZERO);
                return client.machine.state() == NaaState.CONNECTED;
            });
            connection.releaseQueues();
            connection.close();
            shared.release();
        }
    }

    @Test
    @Requirement("NAA-CONN-8")
    void failsWithTheReasonOfTheLastAddress() throws Exception {
        List<InetAddress> addresses = List.of(InetAddress.getByName("127.0.0.9"), device.address());
        between.broken.put(addresses.get(0), ConnectionEvent.Type.ADDRESS_ERROR);
        between.broken.put(addresses.get(1), ConnectionEvent.Type.ROUTE_ERROR);
        ClientFixture client = ClientFixture.simple();
        ClientConnection connection =
                new ClientConnection(
                        NaaClient.builder("server", 1), client.machine, shared, 4, addresses);
        connection.resolveNext();
        Eventually.until(() -> {
            connection.pump();
            return client.machine.state() == NaaState.ERROR;
        });
        assertThat(client.failure(NaaConnectException.class).reason())
                .isEqualTo(NaaConnectException.Reason.ROUTE_RESOLUTION);
        connection.releaseQueues();
        connection.close();
        shared.release();
    }
}
