package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/// A program that uses NAAICE and DOCA on one address.
class OneAddressTest {
    private static final int INCREMENT = 1;

    @Test
    void naaiceAndDocaUseOneAddressTogether() {
        String server = RoceLoopback.freeAddress();
        String client = RoceLoopback.freeAddress();
        try (Arena arena = Arena.ofShared();
                NaaServer node =
                        NaaServer.start(
                                "roce://" + server,
                                0,
                                RoutineCatalog.ROUTINES,
                                ServerOptions.builder().build());
                DocaDev besideServer = DocaDev.open(DocaDevInfo.of("roce://" + server));
                DocaDev beforeClient = DocaDev.open(DocaDevInfo.of("roce://" + client))) {
            MemorySegment region = arena.allocate(8);
            try (NaaClient caller =
                    NaaClient.builder(server, node.port())
                            .local(client)
                            .functionCode(INCREMENT)
                            .region(RegionSpec.inputOutput(region))
                            .open()) {
                assertThat(caller.invoke().isSuccess()).isTrue();
            }
            assertThat(region.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
            assertThat(besideServer.address().getHostAddress()).isEqualTo(server);
            assertThat(beforeClient.protectionDomain().device().isOpen())
                    .as("the client is not its only user")
                    .isTrue();
        }
        Fabric.open("roce://" + server).close();
        Fabric.open("roce://" + client).close();
    }
}
