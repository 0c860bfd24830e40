package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node in a process of its own, called from this one.
class ServeAndCallTest {
    @TempDir private Path directory;
    private static OutboardProcess node;

    @BeforeAll
    static void startANode() {
        node = OutboardProcess.node("--max-memory", "64MiB");
    }

    @AfterAll
    static void stopTheNode() {
        node.close();
    }

    @Test
    void hashesAFile() throws IOException {
        Path abc = Files.writeString(directory.resolve("abc.txt"), "abc");
        Path digest = directory.resolve("digest.bin");

        Execution run = call("12", "--in", abc.toString(), "--out", "32:" + digest);

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(digest)))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(run.out())
                .contains("function 12 at " + node.address(), "0x00 (success)")
                .contains("address and route", "connect", "region setup", "send", "whole RPC");
    }

    @Test
    void namesTheFileThatTheResultDoesNotFitInto() throws IOException {
        Path abc = Files.writeString(directory.resolve("abc.txt"), "abc");

        Execution run = call("12", "--in", abc.toString(), "--out", "32:/dev/full");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo(
                        "outboard: the call has succeeded, but its result cannot be written to"
                                + " /dev/full: No space left on device\n");
    }

    /// A shell that may not write so far stands for a disk without room.
    @Test
    void keepsTheRestOfAFileThatItCannotWriteBack() throws IOException {
        byte[] bytes = new byte[2_000_000];
        Path file = Files.write(directory.resolve("bytes.bin"), bytes);
        List<String> words =
                new ArrayList<>(List.of("sh", "-c", "ulimit -f 1000; exec \"$@\"", "sh"));
        words.addAll(OutboardProcess.command());
        words.addAll(List.of("naa", "call", node.address(), "--function", "1"));
        words.addAll(List.of("--inout", file.toString()));

        try (OutboardProcess process = OutboardProcess.ofProgram(new ProcessBuilder(words))) {
            Execution run = process.awaitEnd();

            assertThat(run.exitCode()).as(run.toString()).isEqualTo(1);
            assertThat(run.err()).contains("cannot be written to " + file + ": File too large");
        }
        assertThat(Files.size(file)).isEqualTo(bytes.length);
        assertThat(Files.readAllBytes(file)).startsWith(1).endsWith(0);
    }

    @Test
    void aResultIsAllThatItsFileHoldsAfterwards() throws IOException {
        Path abc = Files.writeString(directory.resolve("abc.txt"), "abc");
        Path digest = Files.write(directory.resolve("digest.bin"), new byte[100]);

        Execution run = call("12", "--in", abc.toString(), "--out", "32:" + digest);

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(digest).hasSize(32);
    }

    @Test
    void writesBackWhatItSentAndRepeats() throws IOException {
        byte[] bytes = new byte[300_001];
        new SplittableRandom(1).nextBytes(bytes);
        Path file = Files.write(directory.resolve("bytes.bin"), bytes);

        Execution run = call("1", "--inout", file.toString(), "--repeat", "5", "--stats");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        byte[] result = Files.readAllBytes(file);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (bytes[i] + 5);
        }
        assertThat(Arrays.mismatch(result, bytes)).isEqualTo(-1);
        assertThat(run.out()).contains("5 times").containsPattern("\n  rpcs +5\n");
    }

    @Test
    void speaksTheOlderDialect() throws IOException {
        Path file = Files.write(directory.resolve("bytes.bin"), new byte[] {1, 2, (byte) 255});

        Execution run = call("1", "--inout", file.toString(), "--dialect", "ap1-2023");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(Files.readAllBytes(file)).containsExactly(2, 3, 0);
    }

    @Test
    @Requirement("NAA-LIM-6")
    void hashesNothing() throws IOException {
        Path empty = Files.createFile(directory.resolve("empty"));
        Path digest = directory.resolve("digest.bin");

        Execution run = call("12", "--in", empty.toString(), "--out", "32:" + digest);

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(HexFormat.of().formatHex(Files.readAllBytes(digest)))
                .startsWith("e3b0c44298fc1c149afbf4c8996fb924");
    }

    @Test
    void carriesAsManyRegionsAsTheProtocolCanCount() throws IOException {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 255; i++) {
            Path file = Files.write(directory.resolve("region" + i), new byte[] {(byte) i});
            words.addAll(List.of("--inout", file.toString()));
        }

        Execution run = call("1", words.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.toString()).isZero();
        for (int i = 0; i < 255; i++) {
            assertThat(Files.readAllBytes(directory.resolve("region" + i)))
                    .containsExactly((byte) (i + 1));
        }
    }

    @Test
    void saysThatThereIsNoSuchFunction() throws IOException {
        assertFailure(
                "the node at %s has no routine with function code 99; 'outboard naa routines' lists those of 'outboard naa serve'"
                        .formatted(node.address()),
                call("99", "--in", someFile()));
    }

    @Test
    void saysWhatTheRoutineWants() throws IOException {
        assertFailure(
                "function 10 at %s ended with code 0x20 (error of the routine); if it is vector-add of 'outboard naa serve': the three regions must have the same size, a multiple of 4 bytes (see 'outboard naa routines')"
                        .formatted(node.address()),
                call("10", "--in", someFile(), "--in", someFile(), "--out", "8:result"));
    }

    @Test
    void saysThatTheNodeHasNoMemory() throws IOException {
        assertFailure(
                "the node at %s has no memory for these regions; make them smaller, or start the node with a larger --max-memory"
                        .formatted(node.address()),
                call("3", "--in", someFile(), "--out", "65MiB:result"));
    }

    @Test
    void saysThatNobodyListensOnThePort() throws IOException {
        Execution run = callAt(node.host() + ":9", "3", "--in", someFile());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("outboard: connecting to " + node.host() + ":9: rejected")
                .contains("nobody listens on this port");
    }

    @Test
    void saysThatTheNodeCannotBeReached() throws IOException {
        Execution run = callAt("127.0.0.233:9", "3", "--in", someFile(), "--timeout", "500ms");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("outboard: connecting to 127.0.0.233:9: no connection within 500 ms");
    }

    @Test
    void saysThatTheAddressIsTaken() throws IOException {
        String taken =
                node.host()
                        + " is in use: another Outboard process, or the kernel's rdma_rxe, has its"
                        + " UDP port 4791; choose another local address, for example --bind"
                        + " 127.0.0.2";

        assertFailure(taken, Execution.ofOutboard("naa", "serve", "--bind", node.host()));
        assertFailure(taken, call("3", "--in", someFile(), "--bind", node.host()));
    }

    @Test
    void saysThatTheAddressIsNotOfThisMachine() {
        Execution run = Execution.ofOutboard("naa", "serve", "--bind", "192.0.2.1");

        assertFailure(
                "cannot bind 192.0.2.1:4791: EADDRNOTAVAIL. It is not an address of this machine;"
                        + " `ip address` lists those that are",
                run);
    }

    @Test
    void aFailureShowsItsOriginWhenAskedTo() throws IOException {
        Execution run = call("99", "--in", someFile(), "--verbose");

        assertThat(run.err()).contains("RpcException").contains("\tat ");
    }

    private String someFile() throws IOException {
        return Files.writeString(directory.resolve("some.txt"), "hello").toString();
    }

    private static Execution call(String function, String... options) {
        return callAt(node.address(), function, options);
    }

    private static Execution callAt(String address, String function, String... options) {
        List<String> words = new ArrayList<>(List.of("naa", "call", address, "--function"));
        words.add(function);
        words.addAll(List.of(options));
        return Execution.ofOutboard(words.toArray(String[]::new));
    }

    private static void assertFailure(String line, Execution run) {
        assertThat(run.err()).isEqualTo("outboard: " + line + System.lineSeparator());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
    }
}
