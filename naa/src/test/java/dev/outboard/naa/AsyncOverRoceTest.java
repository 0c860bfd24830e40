package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The suite over RoCEv2 packets on loopback, and the device that clients share.
class AsyncOverRoceTest extends AsyncSuite {
    @Override
    Device open() {
        return roce();
    }

    @Test
    void clientsWithoutADeviceShareOne() {
        serve(ServerOptions.builder().maxConnections(4));
        try (Device device = open();
                ServerUnderTest other =
                        new ServerUnderTest(device, clientDevice, ServerOptions.builder())) {
            List<NaaClient> clients =
                    Stream.of(server, server, other)
                            .map(to ->
                                    NaaClient.builder(to.host, to.server.port())
                                            .region(RegionSpec.inputOutput(to.memory(10, 0)))
                                            .open())
                            .toList();
            clients.forEach(NaaClient::invoke);
            assertThat(
                            Stream.of(server, other)
                                    .flatMap(to -> to.server.connections().stream())
                                    .map(context -> context.peerAddress().getAddress()))
                    .hasSize(3)
                    .containsOnly(other.server.connections().getFirst().peerAddress().getAddress());
            clients.getFirst().close();
            assertThat(clients.getLast().invoke().isSuccess()).isTrue();
            clients.forEach(NaaClient::close);
        }
    }
}
