package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Requirement;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Who begins: the client, with everything, and it does not try things out.
class InitiativeTest {
    @TempDir private Path directory;

    /// Before each step the server has all the time that a whole session of another client takes.
    @Test
    @Requirement({"NAA-SCOPE-4a", "NAA-SCOPE-4b", "NAA-SCOPE-4c", "NAA-SCOPE-4d"})
    void theServerDoesNothingUntilTheClientDoes() {
        Path capture = directory.resolve("client.pcapng");
        try (Device serverDevice = SessionSuite.roce();
                Device clientDevice = capturing(capture);
                Device otherDevice = SessionSuite.roce();
                ServerUnderTest server =
                        new ServerUnderTest(serverDevice, clientDevice, options())) {
            try (NaaClient client =
                    server.client().region(RegionSpec.inputOutput(server.memory(10, 0))).build()) {
                letOthersCall(server, otherDevice);
                client.connect();
                letOthersCall(server, otherDevice);
                client.registerRegions();
                client.runMrsp();
                letOthersCall(server, otherDevice);
                client.invoke();
                letOthersCall(server, otherDevice);
            }
        }
        assertThat(messages(capture))
                .containsExactly(
                        "client REQ",
                        "server REP",
                        "client RTU",
                        "client SEND",
                        "server SEND",
                        "client WRITE_WITH_IMMEDIATE",
                        "server WRITE_WITH_IMMEDIATE",
                        "client DREQ",
                        "server DREP");
    }

    /// Whatever the server speaks, the client connects once and asks once, with the same words; a
    /// server that does not understand them is not asked in others.
    @ParameterizedTest
    @EnumSource
    @Requirement("NAA-SCOPE-9")
    void aClientSpeaksTheDialectItWasGivenAndNoOther(Dialect dialect) {
        List<String> toItsOwn = requestsTo(ServerOptions.builder().dialect(dialect), dialect, true);
        assertThat(toItsOwn).startsWith("client REQ", "client RTU").hasSize(4);
        assertThat(requestsTo(ServerOptions.builder().anyDialect(), dialect, true))
                .isEqualTo(toItsOwn);
        for (Dialect other : Dialect.values()) {
            if (other != dialect) {
                assertThat(requestsTo(ServerOptions.builder().dialect(other), dialect, false))
                        .isEqualTo(toItsOwn.subList(0, 3));
            }
        }
    }

    /// What a client of `dialect` sends to a server with these options: connection management, the
    /// flags and sizes of its request for regions, and its call.
    private List<String> requestsTo(
            ServerOptions.Builder options, Dialect dialect, boolean understood) {
        Path capture = directory.resolve("requests.pcapng");
        try (Device serverDevice = SessionSuite.roce();
                Device clientDevice = capturing(capture);
                ServerUnderTest server = new ServerUnderTest(serverDevice, clientDevice, options)) {
            NaaClientBuilder builder =
                    server.client()
                            .dialect(dialect)
                            .region(RegionSpec.inputOutput(server.memory(8, 0)));
            if (understood) {
                try (NaaClient client = builder.open()) {
                    assertThat(client.dialect()).isEqualTo(dialect);
                    client.invoke();
                }
            } else {
                assertThatExceptionOfType(MrspException.class).isThrownBy(builder::open);
            }
        }
        return own(capture).stream()
                .filter(frame -> frame.outbound())
                .filter(frame -> frame.opcode() != CapturedPacket.WRITE_ONLY)
                // Which side disconnects first after a refusal is a matter of time.
                .filter(frame -> !frame.isCm() || !frame.cmName().startsWith("DRE"))
                .map(frame ->
                        frame.opcode() == CapturedPacket.SEND_ONLY
                                ? "client asks for " + flagsAndSizes(frame)
                                : describe(frame))
                .toList();
    }

    /// Of a request for regions: the flags and the size of each.
    private static String flagsAndSizes(CapturedPacket request) {
        String message = request.payloadHex();
        StringBuilder all = new StringBuilder();
        for (int at = 2 * 4; at < message.length(); at += 2 * 24) {
            String size = message.substring(at + 2 * 20, at + 2 * 24);
            all.append(message, at, at + 2).append(':').append(size).append(' ');
        }
        return all.toString();
    }

    private static ServerOptions.Builder options() {
        return ServerOptions.builder().maxConnections(4);
    }

    private static Device capturing(Path capture) {
        return RoceLoopback.capturing(capture);
    }

    private static void letOthersCall(ServerUnderTest server, Device device) {
        try (NaaClient other =
                NaaClient.builder(server.host, server.server.port())
                        .device(device)
                        .region(RegionSpec.inputOutput(server.memory(10, 0)))
                        .open()) {
            assertThat(other.invoke().isSuccess()).isTrue();
        }
    }

    private static List<String> messages(Path capture) {
        return own(capture).stream().map(InitiativeTest::describe).toList();
    }

    /// Without acknowledgements and probes, and without what a busy machine makes the sides repeat.
    private static List<CapturedPacket> own(Path capture) {
        Set<String> seen = new HashSet<>();
        return CapturedPacket.readAll(capture).stream()
                .filter(frame -> frame.opcode() != CapturedPacket.ACKNOWLEDGE && !frame.isProbe())
                .filter(frame -> !frame.isCm() || !frame.cmName().equals("MRA"))
                .filter(frame ->
                        seen.add(
                                frame.outbound()
                                        + " "
                                        + (frame.isCm() ? frame.cmName() : "" + frame.psn())))
                .toList();
    }

    private static String describe(CapturedPacket frame) {
        String who = frame.outbound() ? "client " : "server ";
        return who
                + switch (frame.opcode()) {
                    case CapturedPacket.SEND_ONLY -> "SEND";
                    case CapturedPacket.WRITE_ONLY -> "WRITE";
                    case CapturedPacket.WRITE_ONLY_WITH_IMMEDIATE -> "WRITE_WITH_IMMEDIATE";
                    case CapturedPacket.UD_SEND_ONLY -> frame.cmName();
                    default -> "opcode %02x".formatted(frame.opcode());
                };
    }
}
