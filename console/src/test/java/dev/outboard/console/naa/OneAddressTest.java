package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A program that uses NAAICE and DOCA on one address.
class OneAddressTest {
    private static final int INCREMENT = 1;

    private final String server = RoceLoopback.freeAddress();

    private NaaServer serve() {
        return NaaServer.start(
                "roce://" + server, 0, RoutineCatalog.ROUTINES, ServerOptions.builder().build());
    }

    /// A client has a queue pair of the device.
    private static void assertCalls(NaaClientBuilder client, Device device) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment region = arena.allocate(8);
            try (NaaClient caller =
                    client.functionCode(INCREMENT).region(RegionSpec.inputOutput(region)).open()) {
                assertThat(device.counters()).containsEntry("open.queue-pairs", 1L);
                assertThat(caller.invoke().isSuccess()).isTrue();
            }
            assertThat(region.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
            assertThat(device.isOpen()).as("the client is not its only user").isTrue();
        }
    }

    private NaaClientBuilder client(NaaServer node) {
        return NaaClient.builder(server, node.port());
    }

    /// Both take the device that reaches loopback, without naming it.
    @Test
    void naaiceAndDocaUseOneDeviceOnLoopback() {
        try (NaaServer node = serve();
                DocaDev listed = DocaDev.open(DocaDevInfo.find(""))) {
            assertCalls(client(node), listed.protectionDomain().device());
        }
    }

    @Test
    void naaiceUsesTheAddressThatDocaHasDrawn() {
        try (NaaServer node = serve();
                DocaDev drawn = DocaDev.open(DocaDevInfo.of(RoceLoopback.URI))) {
            assertCalls(
                    client(node).local(drawn.address().getHostAddress()),
                    drawn.protectionDomain().device());
        }
    }

    /// As a routine does that calls another accelerator from the address of its node.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void naaiceAndDocaUseTheDeviceOfACommand(boolean isDrawn) {
        DeviceOptions options = new DeviceOptions();
        try (NaaServer node = serve();
                Devices.Share share =
                        isDrawn
                                ? options.openTowards(server)
                                : options.open(RoceLoopback.freeAddress())) {
            Device device = share.device();
            assertCalls(client(node).local(device.address().getHostAddress()), device);
            try (DocaDev beside = DocaDev.open(DocaDevInfo.of(device.name()))) {
                assertThat(beside.protectionDomain().device()).isSameAs(device);
            }
        }
    }

    @Test
    void naaiceAndDocaUseOneAddressTogether() {
        String client = RoceLoopback.freeAddress();
        try (NaaServer node = serve();
                DocaDev besideServer = DocaDev.open(DocaDevInfo.of("roce://" + server));
                DocaDev beforeClient = DocaDev.open(DocaDevInfo.of("roce://" + client))) {
            assertCalls(client(node).local(client), beforeClient.protectionDomain().device());
            assertThat(besideServer.address().getHostAddress()).isEqualTo(server);
        }
        Fabric.open("roce://" + server).close();
        Fabric.open("roce://" + client).close();
    }
}
