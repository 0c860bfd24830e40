package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The suite over RoCEv2 packets on loopback.
class RpcOverRoceTest extends RpcSuite {
    private static final long RESULT_BYTES = 64;

    @Override
    Device open() {
        return roce();
    }

    @Test
    @Requirement({"NAA-CONN-12", "NAA-CONN-13"})
    void findsADeviceByItselfOrTakesTheLocalAddress() {
        serve(ServerOptions.builder());
        String local = clientDevice.address().getHostAddress();
        clientDevice.close();
        for (String name : List.of("", local)) {
            NaaClientBuilder builder =
                    NaaClient.builder(server.host, server.server.port())
                            .local(name)
                            .region(RegionSpec.inputOutput(server.memory(10, 0)));
            try (NaaClient client = builder.open()) {
                assertThat(client.invoke().isSuccess()).isTrue();
                String seen =
                        server.server
                                .connections()
                                .getFirst()
                                .peerAddress()
                                .getAddress()
                                .getHostAddress();
                assertThat(seen).startsWith("127.").matches(a -> name.isEmpty() || a.equals(name));
            }
            Eventually.until(() -> server.server.connections().isEmpty());
        }
    }

    @Test
    void aPolledRpcAllocatesNothingButItsResult() {
        serve(
                ServerOptions.builder(),
                RoutineSpec.of(CUSTOM, "custom", _ -> ReturnCode.SUCCESS).asShort());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .spin(ServerOptions.POLLED)
                        .region(RegionSpec.inputOutput(server.memory(64, 0)))
                        .open()) {
            long least = Long.MAX_VALUE;
            // The JDK's calls of native code allocate until they are compiled the second time,
            // which
            // a busy machine does late.
            for (int round = 0; round < 1000 && least > RESULT_BYTES; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 500; i++) {
                    client.invoke();
                }
                least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / 500);
            }
            assertThat(least).as("bytes per RPC").isLessThanOrEqualTo(RESULT_BYTES);
        }
    }
}
