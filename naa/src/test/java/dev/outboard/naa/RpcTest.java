package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Whole RPCs over a fabric inside this process.
class RpcTest {
    private final FakeFabric fabric = new FakeFabric();
    private final Session session =
            new Session(fabric.device(), fabric.device(), ServerOptions.builder());

    @AfterEach
    void nothingStaysOpen() {
        session.close();
        assertThat(fabric.open).hasValue(0);
    }

    @Test
    @Requirement({"NAA-RPC-1", "NAA-RPC-5", "NAA-API-4"})
    void servesRpcAfterRpcOnOneConnection() {
        MemorySegment memory = session.memory(100, 0);
        try (NaaClient client =
                session.client()
                        .functionCode(Session.INCREMENT)
                        .region(RegionSpec.inputOutput(memory))
                        .open()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.invoke().totalBytesReceived()).isEqualTo(100);
            }
            assertThat(client.rpcCount()).isEqualTo(5);
        }
        assertThat(memory.mismatch(session.memory(100, 5))).isEqualTo(-1);
    }
}
