package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `outboard naa call` says about regions beyond their content, as the routine of a node in
/// another process sees it: the routine writes down in its last region what it was given.
class CallOptionsTest {
    private static final int TOLD = 4096;

    @TempDir private static Path jars;
    private static OutboardProcess node;

    @TempDir private Path directory;

    @BeforeAll
    static void startANode() throws IOException {
        String source =
                """
                import dev.outboard.naa.server.*;
                import java.lang.foreign.*;
                import java.util.List;

                public final class Tell implements RoutineProvider {
                    @Override
                    public List<RoutineSpec> routines() {
                        return List.of(RoutineSpec.of(42, "tell", Tell::run));
                    }

                    private static int run(RpcContext rpc) {
                        StringBuilder told = new StringBuilder();
                        for (int i = 0; i < 3; i++) {
                            told.append("user byte %d\\n".formatted(rpc.userByte(i)));
                        }
                        rpc.parameters().forEach(region -> told.append(tell("region", region)));
                        rpc.internals().forEach(region -> {
                            told.append(tell("internal", region));
                            MemorySegment calls = region.memory();
                            byte count = calls.get(ValueLayout.JAVA_BYTE, 0);
                            told.append("calls before %d\\n".formatted(count));
                            calls.set(ValueLayout.JAVA_BYTE, 0, (byte) (count + 1));
                        });
                        MemorySegment out = rpc.parameters().getLast().memory();
                        out.fill((byte) 0);
                        out.setString(0, told.toString());
                        return 0;
                    }

                    private static String tell(String what, RoutineRegion region) {
                        byte[] start = region.memory()
                                .asSlice(0, Math.min(4, region.size()))
                                .toArray(ValueLayout.JAVA_BYTE);
                        return "%s at %x of %d flags %x starts %s\\n".formatted(
                                what, region.naaAddress(), region.size(), region.flags(),
                                java.util.HexFormat.of().formatHex(start));
                    }
                }
                """;
        Path jar = RoutineJar.of("Tell", source, jars.resolve("tell.jar"));
        node = OutboardProcess.node("--routines", jar.toString());
    }

    @AfterAll
    static void stopTheNode() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    @Requirement({"NAA-XFER-8", "NAA-XFER-10"})
    void sendsTheBeginningOfARegion() throws IOException {
        assertThat(told("--in", file("a", 8), "--send", "2"))
                .contains("region at 0 of 8 flags 4 starts 01010000");
        assertThat(told("--in", file("a", 8), "--send", "0"))
                .contains("region at 0 of 8 flags 4 starts 00000000");
    }

    @Test
    @Requirement({"NAA-ADDR-2", "NAA-ADDR-3"})
    void asksForAddresses() throws IOException {
        assertThat(
                        told(
                                "--in",
                                file("a", 8),
                                "--at",
                                "0x7000",
                                "--in",
                                file("b", 8),
                                "--internal",
                                "16",
                                "--at",
                                "65536"))
                .contains(
                        "region at 7000 of 8 flags 4 starts 01010101",
                        "region at 0 of 8 flags 4 starts 01010101",
                        "internal at 10000 of 16 flags 1 starts 00000000");
    }

    @Test
    @Requirement({"NAA-INT-1", "NAA-INT-4", "NAA-XFER-11"})
    void givesTheRoutineMemoryAndThreeBytes() throws IOException {
        assertThat(
                        told(
                                "--in",
                                file("a", 8),
                                "--internal",
                                "1KiB",
                                "--user-bytes",
                                "1,2,0xff",
                                "--repeat",
                                "3"))
                .containsSubsequence("user byte 1", "user byte 2", "user byte 255")
                .contains("calls before 2")
                .anyMatch(line -> line.startsWith("internal at 0 of 1024 flags 1"));
    }

    @Test
    @Requirement({"NAA-FLAG-3", "NAA-FLAG-4", "NAA-XFER-5"})
    void sendsARegionOnce() throws IOException {
        String[] once = {"--in", file("a", 1000), "--once", "--repeat", "3", "--stats"};
        Execution run = call(once);
        assertThat(lines()).contains("region at 0 of 1000 flags 6 starts 01010101");
        assertThat(run.out()).containsPattern("\n  bytes.sent +1000\n");
        assertThat(run.out()).containsPattern("\nsend .* 0 B\n");

        Execution always = call("--in", file("a", 1000), "--repeat", "3", "--stats");
        assertThat(lines()).contains("region at 0 of 1000 flags 4 starts 01010101");
        assertThat(always.out()).containsPattern("\n  bytes.sent +3000\n");
        assertThat(always.out()).containsPattern("\nsend .* 1000 B ");
    }

    @Test
    void eachRegionHasItsOwn() throws IOException {
        assertThat(
                        told(
                                "--in",
                                file("a", 8),
                                "--once",
                                "--send",
                                "1",
                                "--inout",
                                file("b", 8),
                                "--send",
                                "3",
                                "--at",
                                "0x9000"))
                .contains(
                        "region at 0 of 8 flags 6 starts 01000000",
                        "region at 9000 of 8 flags c starts 01010100");
    }

    @Test
    void theOlderDialectHasInternalRegionsAndAddressesToo() throws IOException {
        assertThat(
                        told(
                                "--in",
                                file("a", 8),
                                "--at",
                                "0x5000",
                                "--internal",
                                "16",
                                "--at",
                                "0x6000",
                                "--dialect",
                                "ap1-2023"))
                .contains(
                        "region at 5000 of 8 flags 0 starts 01010101",
                        "internal at 6000 of 16 flags 1 starts 00000000");
    }

    @Test
    void aNodeOfTheOtherDialectIsAGuessThatIsSaid() throws IOException {
        try (OutboardProcess older = OutboardProcess.node("--dialect", "ap1-2023")) {
            Execution run =
                    Execution.ofOutboard(
                            "naa",
                            "call",
                            older.address(),
                            "--function",
                            "1",
                            "--inout",
                            file("a", 8));

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .contains("refused the regions with code 0xff")
                    .endsWith(
                            "; if the node speaks another dialect than upstream-2026, say so with --dialect"
                                    + System.lineSeparator());
        }
    }

    /// What the routine was given in a call with these options.
    private List<String> told(String... options) throws IOException {
        call(options);
        return lines();
    }

    private Execution call(String... options) {
        List<String> words =
                new ArrayList<>(List.of("naa", "call", node.address(), "--function", "42"));
        words.addAll(List.of(options));
        words.addAll(List.of("--out", TOLD + ":" + directory.resolve("told.txt")));
        Execution run = Execution.ofOutboard(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.toString()).isZero();
        return run;
    }

    private List<String> lines() throws IOException {
        String text = Files.readString(directory.resolve("told.txt"), StandardCharsets.UTF_8);
        return text.substring(0, text.indexOf(0)).lines().toList();
    }

    /// A file of ones.
    private String file(String name, int length) throws IOException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        return Files.write(directory.resolve(name), bytes).toString();
    }
}
