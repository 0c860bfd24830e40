package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.ResidentMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// What the clients of a server leave behind in the memory of its process.
@EnabledOnOs(OS.LINUX)
class ResidentMemoryTest extends SessionSuite {
    private static final long MEBIBYTE = 1 << 20;
    private static final long REGION = 30 * MEBIBYTE;
    private static final int CLIENTS = 8;

    @Override
    Device open() {
        return roce();
    }

    /// All clients send the same memory, so that only the server's copies count.
    private List<NaaClient> open(MemorySegment memory, int count) {
        List<NaaClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            NaaClient client =
                    server.client()
                            .functionCode(ServerUnderTest.NOTHING)
                            .region(RegionSpec.input(memory))
                            .open();
            assertThat(client.invoke().isSuccess()).isTrue();
            clients.add(client);
        }
        return clients;
    }

    private void leave(List<NaaClient> clients) {
        clients.forEach(NaaClient::close);
        awaitNoConnections();
        assertThat(server.server.counters()).containsEntry("memory.bytes", 0L);
    }

    @Test
    void theMemoryOfClientsThatHaveLeftGoesBackToTheSystem() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.arena.allocate(REGION);
        memory.fill((byte) 1);
        leave(open(memory, 2));
        long before = ResidentMemory.bytesBesideHeap();

        List<NaaClient> clients = open(memory, CLIENTS);
        assertThat(server.server.counters()).containsEntry("memory.bytes", CLIENTS * REGION);
        long during = ResidentMemory.bytesBesideHeap();
        assertThat(during - before).as("with clients").isGreaterThan(CLIENTS * REGION * 3 / 4);
        leave(clients);

        assertThat(ResidentMemory.bytesBesideHeap() - before)
                .as("after clients")
                .isLessThan(CLIENTS * REGION / 4);
    }
}
