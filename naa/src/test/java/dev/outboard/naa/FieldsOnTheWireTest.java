package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every field that the API of a client sets and that a message carries, as the bytes of a captured
/// packet: written down by hand, so that two sides with the same mistake are found out.
class FieldsOnTheWireTest {
    private static final int FUNCTION = 0x42;

    @TempDir private Path directory;

    private ServerUnderTest server;
    private List<CapturedPacket> client = List.of();
    private List<CapturedPacket> node = List.of();

    private MemorySegment both;
    private MemorySegment in;
    private MemorySegment once;
    private MemorySegment out;

    // ---- upstream-2026 --------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-MRSP-20", "NAA-MRSP-6", "NAA-FLAG-3", "NAA-ADDR-3", "NAA-ADDR-5"})
    void aRequestOfToday() {
        run(this::today, NaaClient::invoke);

        assertThat(hex(client.get(0)))
                .isEqualTo(
                        "01060000"
                                // Flags, requested address; address, key and size here.
                                + ("0c" + "aabbccddee1000" + of(both) + node.get(1).writeKeyHex())
                                + "00000064"
                                + ("04" + "00000000002000" + of(in) + key(1) + "0000012c")
                                + ("06" + "00000000003000" + of(once) + key(2) + "00000010")
                                + ("08" + "00000000004000" + of(out) + node.get(2).writeKeyHex())
                                + "00000020"
                                // Internal ones: no address and no key of this side.
                                + ("01" + "00000000005000" + "0000000000000000" + "00000000")
                                + "00000020"
                                + ("01" + "00000000000000" + "0000000000000000" + "00000000")
                                + "00001388");
    }

    @Test
    @Requirement({"NAA-MRSP-20", "NAA-MRSP-7", "NAA-ADDR-7"})
    void anAdvertisement() {
        run(this::today, NaaClient::invoke);

        // What it advertises is where the client's WRITEs then go.
        assertThat(hex(node.get(0)))
                .startsWith(
                        "02040000"
                                + (client.get(1).writeTargetHex() + "00000064")
                                + (client.get(2).writeTargetHex() + "0000012c")
                                + (client.get(3).writeTargetHex() + "00000010"))
                .endsWith("00000020")
                .hasSize(2 * (4 + 4 * 16));
    }

    @Test
    @Requirement({"NAA-XFER-1", "NAA-XFER-2", "NAA-XFER-5", "NAA-XFER-8", "NAA-XFER-11"})
    void callsOfToday() {
        run(
                this::today,
                client -> {
                    client.setUserImmediate((byte) 0xaa, (byte) 0xbb, (byte) 0xcc);
                    client.invoke();
                    client.setUserImmediate((byte) 1, (byte) 2, (byte) 3);
                    client.setBytesToSend(0, 7);
                    client.invoke();
                });

        assertThat(client.stream().skip(1).map(FieldsOnTheWireTest::lengthAndImmediate))
                .containsExactly("100", "300", "16 ccbbaac2", "7", "300 030201c2");
        assertThat(client.get(4).writeTargetHex()).isEqualTo(client.get(1).writeTargetHex());
        assertThat(client.get(4).payloadHex()).isEqualTo("00010203040506");
    }

    @Test
    @Requirement({"NAA-RET-1", "NAA-RET-3", "NAA-RET-4", "NAA-RET-7"})
    void answersOfToday() {
        run(this::today, NaaClient::invoke);

        assertThat(node.stream().skip(1).map(FieldsOnTheWireTest::lengthAndImmediate))
                .containsExactly("100", "32 00000000");
        assertThat(node.get(1).writeAddressHex()).isEqualTo(of(both));
        assertThat(node.get(2).writeAddressHex()).isEqualTo(of(out));
    }

    @Test
    @Requirement({"NAA-RET-6", "NAA-RET-7", "NAA-XFER-16"})
    void whatGoesWrongToday() {
        run(
                builder -> builder.functionCode(5).region(RegionSpec.inputOutput(both)),
                client -> {
                    assertThatThrownBy(client::invoke).isInstanceOf(RpcException.class);
                    client.signalHostError();
                });

        assertThat(lengthAndImmediate(node.get(1))).isEqualTo("0 00003300");
        assertThat(node.get(1).writeAddressHex()).isEqualTo(of(both));
        assertThat(lengthAndImmediate(client.get(2))).isEqualTo("0 00000000");
        assertThat(client.get(2).writeTargetHex()).isEqualTo(client.get(1).writeTargetHex());
    }

    @Test
    @Requirement({"NAA-MRSP-20", "NAA-MRSP-22"})
    void aRefusal() {
        run(
                builder -> {
                    builder.maxRegions(255);
                    for (int i = 0; i < 33; i++) {
                        builder.region(RegionSpec.input(both));
                    }
                },
                _ -> {});

        assertThat(node.stream().map(FieldsOnTheWireTest::hex)).containsExactly("00030000");
    }

    private void today(NaaClientBuilder builder) {
        builder.functionCode(FUNCTION)
                .region(RegionSpec.inputOutput(both).at(0xaabbccddee1000L))
                .region(RegionSpec.input(in))
                .region(RegionSpec.singleSend(once))
                .region(RegionSpec.output(out))
                .internal(InternalRegion.of(32).at(0x5000))
                .internal(InternalRegion.of(5000));
    }

    // ---- ap1-2023 -------------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-FLAG-2", "NAA-ADDR-4", "NAA-ADDR-5", "NAA-META-1", "NAA-META-2"})
    void aRequestOfTheFirstPhase() {
        run(
                this::firstPhase,
                client -> {
                    client.setReturnRegion(1);
                    client.invoke();
                });

        String request = hex(client.get(0));
        assertThat(request).hasSize(2 * (4 + 4 * 24));
        assertThat(request.substring(0, 8)).isEqualTo("01040000");
        // The metadata region, whose address the caller does not know.
        assertThat(request.substring(8, 24)).isEqualTo("0000000000000000");
        assertThat(request.substring(48, 56)).isEqualTo("00000008");
        assertThat(request.substring(56))
                .startsWith("00" + "00000000000000" + of(in))
                .contains("0000012c" + "00" + "00000000007000" + of(out))
                .endsWith(
                        "00000020"
                                + "01"
                                + "0abcdef0123456"
                                + "000abcdef0123456"
                                + "00000000"
                                + "00000040");
        assertThat(client.get(1).payloadHex()).isEqualTo(of(out));
    }

    @Test
    @Requirement({"NAA-XFER-2", "NAA-XFER-4", "NAA-RET-2", "NAA-RET-7", "NAA-META-4"})
    void callsAndAnswersOfTheFirstPhase() {
        run(
                this::firstPhase,
                client -> {
                    client.setReturnRegion(0);
                    client.invoke();
                    client.setReturnRegion(1);
                    client.invoke();
                });

        assertThat(client.stream().skip(1).map(FieldsOnTheWireTest::lengthAndImmediate))
                .containsExactly("8", "300", "32 000000c8", "8", "300", "32 000000c8");
        assertThat(node.stream().skip(1).map(FieldsOnTheWireTest::lengthAndImmediate))
                .containsExactly("300 00000000", "32 00000000");
        assertThat(node.get(1).writeAddressHex()).isEqualTo(of(in));
        assertThat(node.get(2).writeAddressHex()).isEqualTo(of(out));
    }

    @Test
    @Requirement({"NAA-RET-6", "NAA-RET-7"})
    void anErrorCodeOfTheFirstPhase() {
        run(
                builder ->
                        builder.dialect(Dialect.AP1_2023)
                                .functionCode(5)
                                .region(RegionSpec.inputOutput(both)),
                client -> assertThatThrownBy(client::invoke).isInstanceOf(RpcException.class));

        assertThat(lengthAndImmediate(node.get(1))).isEqualTo("0 00000033");
    }

    private void firstPhase(NaaClientBuilder builder) {
        builder.dialect(Dialect.AP1_2023)
                .functionCode(200)
                .region(RegionSpec.unmarked(in))
                .region(RegionSpec.unmarked(out).at(0x7000))
                .internal(InternalRegion.of(64).at(0x0abcdef0123456L));
    }

    // ---- running and reading --------------------------------------------------------------------

    /// Runs a session and keeps what each side asked of the other: messages and WRITEs.
    private void run(Consumer<NaaClientBuilder> regions, Consumer<NaaClient> calls) {
        Path capture = directory.resolve("client.pcapng");
        try (Device serverDevice = SessionSuite.roce();
                Device clientDevice = RoceLoopback.capturing(capture)) {
            server =
                    new ServerUnderTest(
                            serverDevice,
                            clientDevice,
                            ServerOptions.builder().anyDialect(),
                            RoutineSpec.of(FUNCTION, "nothing", _ -> ReturnCode.SUCCESS),
                            RoutineSpec.of(200, "nothing-more", _ -> ReturnCode.SUCCESS),
                            RoutineSpec.of(5, "failing", _ -> 0x33));
            try {
                both = server.memory(100, 0);
                in = server.memory(300, 0);
                once = server.memory(16, 0);
                out = server.memory(32, 0);
                NaaClientBuilder builder = server.client();
                regions.accept(builder);
                call(builder, calls);
            } finally {
                server.close();
            }
        }
        Set<String> seen = new HashSet<>();
        List<CapturedPacket> requests =
                CapturedPacket.readAll(capture).stream()
                        .filter(frame -> frame.isRequest() && !frame.isProbe())
                        .filter(frame -> seen.add(frame.outbound() + " " + frame.psn()))
                        .toList();
        client = requests.stream().filter(CapturedPacket::outbound).toList();
        node = requests.stream().filter(frame -> !frame.outbound()).toList();
    }

    private static void call(NaaClientBuilder builder, Consumer<NaaClient> calls) {
        try (NaaClient client = builder.open()) {
            calls.accept(client);
        } catch (MrspException e) {
            assertThat(e.code()).isEqualTo(MrspException.TOO_MANY_REGIONS);
        }
    }

    /// The key of entry `index` of the client's request: any but 0, since no packet shows it again.
    private String key(int index) {
        String key = hex(client.get(0)).substring(8 + 48 * index + 32, 8 + 48 * index + 40);
        assertThat(key).isNotEqualTo("00000000");
        return key;
    }

    private static String of(MemorySegment memory) {
        return "%016x".formatted(memory.address());
    }

    private static String hex(CapturedPacket message) {
        assertThat(message.opcode()).isEqualTo(CapturedPacket.SEND_ONLY);
        return message.payloadHex();
    }

    private static String lengthAndImmediate(CapturedPacket write) {
        return write.opcode() == CapturedPacket.WRITE_ONLY
                ? "%d".formatted(write.writeLength())
                : "%d %08x".formatted(write.writeLength(), write.immediate());
    }
}
