package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// What happens at each limit of a server: what the client gets, what the log says, what is
/// counted, and that the next client is served.
class LimitsTest extends SessionSuite {
    private static final Duration SHORT_TIME = Duration.ofMillis(50);

    /// A client that does its best takes less, on a busy machine too.
    private static final Duration ENOUGH_TIME = Duration.ofMillis(500);

    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();

    @Override
    Device open() {
        return fabric.device();
    }

    private void assertRefused(int code, NaaClientBuilder client, String why, String counter) {
        assertThat(catchThrowableOfType(MrspException.class, client::open).code()).isEqualTo(code);
        assertThat(server.awaitEvent("failed")).contains("refused the client: " + why);
        assertCounted(counter);
    }

    private void assertCounted(String counter) {
        Eventually.until(() -> server.server.counters().get(counter) == 1);
    }

    private void assertServesTheNext() {
        try (NaaClient good = client(10).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-MULTI-2a", "NAA-MULTI-3"})
    void connections() {
        serve(ServerOptions.builder().maxConnections(1));
        try (NaaClient _ = client(10).open()) {
            assertThat(catchThrowableOfType(NaaConnectException.class, client(10)::open))
                    .hasMessageContaining("all 1 connections are in use");
            assertThat(server.awaitEvent("rejected"))
                    .isEqualTo("rejected: all 1 connections are in use");
            assertCounted("rejected.full");
        }
        awaitNoConnections();
        assertServesTheNext();
    }

    @Test
    @Requirement({"NAA-MULTI-2b", "NAA-MULTI-3"})
    void connectionsByDefault() {
        serve(ServerOptions.builder().evictAfter(Duration.ZERO));
        List<NaaClient> clients = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            clients.add(client(1).open());
        }
        assertThat(catchThrowableOfType(NaaConnectException.class, client(1)::open))
                .hasMessageContaining("all 64 connections are in use");
        assertThat(clients).allMatch(client -> client.invoke().isSuccess());
        clients.forEach(NaaClient::close);
        awaitNoConnections();
    }

    @Test
    @Requirement("NAA-ROB-4")
    void anAdmissionThatFailsAdmitsNobodyAndHarmsNoOneElse() {
        boolean[] broken = {true};
        serve(
                ServerOptions.builder()
                        .admission((_, _) -> {
                            if (broken[0]) {
                                throw new IllegalStateException("no directory");
                            }
                            return true;
                        }));
        assertThat(catchThrowableOfType(NaaConnectException.class, client(10)::open))
                .hasMessageContaining("127.0.0.2 is not allowed here");
        assertThat(server.awaitEvent("failed")).isEqualTo("failed: no directory");
        assertCounted("rejected.not-allowed");
        broken[0] = false;
        assertServesTheNext();
    }

    @Test
    @Requirement({"NAA-LIM-5", "NAA-MRSP-22"})
    void regions() {
        serve(ServerOptions.builder().maxRegions(1));
        assertRefused(
                MrspException.TOO_MANY_REGIONS,
                client(10).internal(InternalRegion.of(1)),
                "2 regions; the limit is 1",
                "refused.regions");
        assertServesTheNext();
    }

    @Test
    @Requirement("NAA-LIM-5")
    void bytesOfAClient() {
        serve(ServerOptions.builder().maxConnectionBytes(100));
        assertRefused(
                MrspException.NO_MEMORY,
                client(90).internal(InternalRegion.of(11)),
                "101 bytes; the limit of a client is 100",
                "refused.client-bytes");
        assertServesTheNext();
    }

    @Test
    @Requirement("NAA-LIM-5")
    void bytesOfAllClients() {
        serve(ServerOptions.builder().maxConnections(3).maxTotalBytes(100));
        try (NaaClient _ = client(60).open()) {
            assertThat(server.server.counters()).containsEntry("memory.bytes", 60L);
            assertRefused(
                    MrspException.NO_MEMORY,
                    client(41),
                    "not enough memory for 1 regions of 41 bytes; all clients together get 100",
                    "refused.total-bytes");
            assertServesTheNext();
        }
        awaitNoConnections();
        assertThat(server.server.counters()).containsEntry("memory.bytes", 0L);
    }

    @Test
    @Requirement({"NAA-ADDR-6", "NAA-ADDR-2"})
    void addressesOfTheNaa() {
        serve(ServerOptions.builder().memory(new NaaMemory(0x2000, 2)));
        assertRefused(
                MrspException.INVALID_ADDRESS,
                server.client().region(RegionSpec.input(server.memory(1, 0)).at(0x2000)),
                "NAA address 0x2000; the memory ends at 0x2000",
                "refused.address");
        MrspException crossing =
                catchThrowableOfType(
                        MrspException.class,
                        server.client().region(RegionSpec.input(server.memory(2, 0)).at(0xfff))
                                ::open);
        assertThat(crossing.code()).isEqualTo(MrspException.NO_MEMORY);
        assertServesTheNext();
    }

    @Test
    @Requirement({"NAA-ADDR-6", "NAA-MULTI-6", "NAA-INT-4"})
    void regionsThatOverlapShareTheirBytesWithinAClientOnly() {
        serve(
                ServerOptions.builder().maxConnections(2),
                rpc -> {
                    rpc.internals().getFirst().memory().fill((byte) 9);
                    return ReturnCode.SUCCESS;
                });
        MemorySegment shared = server.memory(4, 0);
        MemorySegment other = server.memory(4, 0);
        try (NaaClient bystander =
                        server.client()
                                .functionCode(ServerUnderTest.NOTHING)
                                .region(RegionSpec.inputOutput(other).at(0x5000))
                                .open();
                NaaClient client =
                        server.client()
                                .functionCode(CUSTOM)
                                .region(RegionSpec.inputOutput(shared).at(0x5000))
                                .internal(InternalRegion.of(2).at(0x5002))
                                .open()) {
            client.invoke();
            bystander.invoke();
        }
        assertThat(shared.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 1, 9, 9);
        assertThat(other.mismatch(server.memory(4, 0))).isEqualTo(-1);
    }

    @Test
    @Requirement({"NAA-MULTI-4", "NAA-CONN-16"})
    void timeToSetUp() {
        serve(ServerOptions.builder().maxConnections(1).setupLimit(ENOUGH_TIME));
        try (NaaClient slow = client(10).build()) {
            slow.connect();
            assertThat(server.awaitEvent("failed"))
                    .contains("the client did not ask for regions within PT0.5S");
            assertCounted("limit.setup-time");
            awaitNoConnections();
            assertServesTheNext();
        }
    }

    @Test
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2"})
    void timeToFinishTheHandshake() {
        serve(ServerOptions.builder().maxConnections(1).setupLimit(ENOUGH_TIME));
        failToFinishAHandshake();
        assertThat(server.awaitEvent("rejected"))
                .isEqualTo("rejected: did not finish its handshake");
        assertCounted("rejected.half-open");
        fabric.heal();
        assertServesTheNext();
    }

    private void failToFinishAHandshake() {
        // The request for a connection arrives, its answer does not.
        fabric.passFirstOf(clientDevice);
        NaaClientBuilder client = client(10).connectLimit(SHORT_TIME);
        assertThat(catchThrowableOfType(NaaTimeoutException.class, client::open))
                .hasMessageContaining("no connection within 50 ms");
    }

    @Test
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2"})
    void aHandshakeThatIsHalfOpenMakesRoomWhenOthersWantItsPlace() {
        serve(ServerOptions.builder().maxConnections(1).setupLimit(Duration.ofHours(1)));
        failToFinishAHandshake();
        fabric.heal();
        Eventually.until(() -> {
            try (NaaClient good = client(10).open()) {
                return good.invoke().isSuccess();
            } catch (NaaConnectException _) {
                return false;
            }
        });
        assertCounted("rejected.half-open");
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void timeWithoutAnRpc() {
        serve(ServerOptions.builder().maxConnections(1).idleLimit(ENOUGH_TIME));
        try (NaaClient idle = client(10).open()) {
            idle.invoke();
            assertThat(server.awaitEvent("failed"))
                    .contains("the client made no RPC within PT0.5S");
            assertCounted("limit.idle-time");
            awaitNoConnections();
            assertServesTheNext();
        }
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void timeToTakeAnAnswer() {
        serve(
                ServerOptions.builder().maxConnections(1).transferLimit(SHORT_TIME),
                _ -> {
                    fabric.cut();
                    return ReturnCode.SUCCESS;
                });
        try (NaaClient client =
                client(10)
                        .functionCode(CUSTOM)
                        .timeout(Duration.ofMillis(200))
                        .closeLimit(SHORT_TIME)
                        .open()) {
            assertThat(catchThrowableOfType(NaaException.class, client::invoke)).isNotNull();
            assertThat(server.awaitEvent("failed"))
                    .contains("the client did not take an answer within PT0.05S");
            assertCounted("limit.transfer-time");
        }
        awaitNoConnections();
        fabric.heal();
        assertServesTheNext();
    }
}
