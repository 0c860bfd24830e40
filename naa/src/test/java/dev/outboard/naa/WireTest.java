package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.protocol.MrspCodec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a session puts on the wire, read from a capture at the client.
class WireTest {
    @TempDir private Path directory;

    private int port;
    private InternalRegion internal = InternalRegion.of(10);

    @Test
    @Requirement({"NAA-CONN-2", "NAA-DISC-1", "NAA-SCOPE-2"})
    void connectsAndDisconnectsWithTheMessagesOfConnectionManagement() {
        List<CapturedPacket> cm =
                run(Dialect.UPSTREAM_2026, 2).stream().filter(CapturedPacket::isCm).toList();
        assertThat(cm)
                .extracting(frame -> (frame.outbound() ? "client " : "server ") + frame.cmName())
                .containsExactly(
                        "client REQ", "server REP", "client RTU", "client DREQ", "server DREP");
    }

    @ParameterizedTest
    @CsvSource({"AP1_2023, 1", "UPSTREAM_2026, 7"})
    @Requirement({"NAA-CONN-4", "NAA-CONN-6"})
    void proposesTheParametersOfTheDialect(Dialect dialect, int retries) {
        CapturedPacket request = run(dialect, 1).getFirst();
        assertThat(request.cmName()).isEqualTo("REQ");
        assertThat(request.cmLong(8)).as("service ID").isEqualTo(0x0000000001060000L + port);
        assertThat(request.cm(35)).as("responder resources").isEqualTo(1);
        assertThat(request.cm(39)).as("initiator depth").isEqualTo(1);
        assertThat(request.cm(43) & 1).as("flow control").isZero();
        assertThat(request.cm(47) & 7).as("retry count").isEqualTo(retries);
        assertThat(request.cm(51) >> 3 & 1).as("shared receive queue").isZero();
        assertThat(request.cm(50) & 7).as("RNR retry count").isEqualTo(6);
        assertThat(request.cm(140)).as("version of the private data").isZero();
        assertThat(request.cm(141)).as("IP version").isEqualTo(0x40);
        assertThat(IntStream.range(140 + 36, 140 + 92).map(request::cm)).containsOnly(0);
    }

    @Test
    @Requirement({"NAA-MRSP-1", "NAA-MRSP-3", "NAA-XFER-3", "NAA-SCOPE-6", "NAA-RET-1"})
    void usesSendsAndWritesOnlyAndSolicitsEventsWhereThePeerSleeps() {
        List<String> requests =
                run(Dialect.UPSTREAM_2026, 2).stream()
                        .filter(CapturedPacket::isRequest)
                        .map(WireTest::describe)
                        .toList();
        assertThat(requests)
                .containsExactly(
                        "client SEND solicited",
                        "server SEND solicited",
                        "client WRITE 100",
                        "client WRITE_WITH_IMMEDIATE 200 00000081 solicited",
                        "server WRITE 100",
                        "server WRITE_WITH_IMMEDIATE 200 00000000 solicited");
    }

    @Test
    @Requirement({"NAA-XFER-1", "NAA-XFER-4", "NAA-RET-2", "NAA-META-1", "NAA-META-9b"})
    void ap1WritesMetadataFirstAndGetsOneRegionBack() {
        List<String> writes =
                run(Dialect.AP1_2023, 2).stream()
                        .filter(CapturedPacket::isRequest)
                        .map(WireTest::describe)
                        .skip(2)
                        .toList();
        assertThat(writes)
                .containsExactly(
                        "client WRITE 8",
                        "client WRITE 100",
                        "client WRITE_WITH_IMMEDIATE 200 00000001 solicited",
                        "server WRITE_WITH_IMMEDIATE 200 00000000 solicited");
    }

    @ParameterizedTest
    @CsvSource({"AP1_2023, 00000001", "UPSTREAM_2026, 00000100"})
    @Requirement({"NAA-RET-6", "NAA-RET-7"})
    void anErrorCodeTravelsAloneInTheImmediateValue(Dialect dialect, String immediate) {
        List<CapturedPacket> frames = run(dialect, 1, 99);
        assertThat(
                        frames.stream()
                                .filter(CapturedPacket::isRequest)
                                .map(WireTest::describe)
                                .toList())
                .last()
                .isEqualTo("server WRITE_WITH_IMMEDIATE 0 " + immediate + " solicited");
    }

    @ParameterizedTest
    @CsvSource({"AP1_2023, 0xabcde", "UPSTREAM_2026, 0"})
    @Requirement({"NAA-ADDR-5", "NAA-INT-3", "NAA-ADDR-2", "NAA-MRSP-6"})
    void announcesAnInternalRegionWithItsAddressAndNoKey(Dialect dialect, String published) {
        internal = InternalRegion.of(77).at(0xabcde);
        MemorySegment message =
                run(dialect, 1).stream()
                        .filter(CapturedPacket::isRequest)
                        .findFirst()
                        .orElseThrow()
                        .sendPayload();
        AdvertiseRequest request = (AdvertiseRequest) MrspCodec.decode(message);
        assertThat(request.entries().getLast())
                .isEqualTo(
                        new MrspMessage.Entry(
                                RegionFlags.INTERNAL, 0xabcde, Long.decode(published), 0, 77));
    }

    @Test
    @Requirement({"NAA-MRSP-4", "NAA-XFER-18"})
    void theServerAcknowledgesBeforeItAnswers() {
        int acknowledged = 0;
        int sent = 0;
        for (CapturedPacket frame : run(Dialect.UPSTREAM_2026, 3)) {
            if (frame.outbound() && frame.isRequest()) {
                sent = frame.psn();
            } else if (!frame.outbound() && frame.opcode() == CapturedPacket.ACKNOWLEDGE) {
                assertThat(frame.syndrome()).isLessThan(32);
                acknowledged = frame.psn();
            } else if (!frame.outbound() && frame.isRequest()) {
                assertThat(acknowledged).as("before " + describe(frame)).isEqualTo(sent);
            }
        }
    }

    private List<CapturedPacket> run(Dialect dialect, int regions) {
        return run(dialect, regions, ServerUnderTest.INCREMENT);
    }

    /// Runs one session with one RPC.
    private List<CapturedPacket> run(Dialect dialect, int regions, int functionCode) {
        Path capture = directory.resolve("client.pcapng");
        try (Device serverDevice = SessionSuite.roce();
                Device clientDevice =
                        // As a client on somebody else's fabric.
                        RoceLoopback.open("acknowledge=first&capture=" + capture);
                ServerUnderTest server =
                        new ServerUnderTest(
                                serverDevice, clientDevice, ServerOptions.builder().anyDialect())) {
            port = server.server.port();
            NaaClientBuilder builder = server.client().dialect(dialect).functionCode(functionCode);
            for (int i = 1; i <= regions; i++) {
                builder.region(RegionSpec.inputOutput(server.memory(100L * i, 0)));
            }
            try (NaaClient client = builder.internal(internal).build()) {
                client.connect();
                client.registerRegions();
                client.runMrsp();
                if (dialect == Dialect.AP1_2023) {
                    client.setReturnRegion(regions - 1);
                }
                client.startRpc();
                Eventually.until(
                        () -> client.pollCompletions() >= 0 && client.result().isPresent());
            }
        }
        return withoutRepetitions(CapturedPacket.readAll(capture));
    }

    /// A busy machine may answer so late that packets are sent again, and the server says that it
    /// is going to (MRA).
    private static List<CapturedPacket> withoutRepetitions(List<CapturedPacket> frames) {
        Set<String> seen = new HashSet<>();
        return frames.stream()
                .filter(frame -> !frame.isCm() || !frame.cmName().equals("MRA"))
                .filter(frame ->
                        frame.opcode() == CapturedPacket.ACKNOWLEDGE
                                || seen.add(frame.outbound() + " " + nameOrPsn(frame)))
                .toList();
    }

    private static Object nameOrPsn(CapturedPacket frame) {
        return frame.isCm() ? frame.cmName() : frame.psn();
    }

    private static String describe(CapturedPacket frame) {
        String who = frame.outbound() ? "client " : "server ";
        String solicited = frame.solicited() ? " solicited" : "";
        return who
                + switch (frame.opcode()) {
                    case CapturedPacket.SEND_ONLY -> "SEND" + solicited;
                    case CapturedPacket.WRITE_ONLY -> "WRITE " + frame.writeLength() + solicited;
                    case CapturedPacket.WRITE_ONLY_WITH_IMMEDIATE ->
                            "WRITE_WITH_IMMEDIATE %d %08x%s"
                                    .formatted(frame.writeLength(), frame.immediate(), solicited);
                    default -> "opcode %02x".formatted(frame.opcode());
                };
    }
}
