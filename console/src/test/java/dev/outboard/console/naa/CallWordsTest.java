package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `outboard naa call` and `serve` say when it needs no node to know that something is wrong.
class CallWordsTest {
    @TempDir private Path directory;
    private String file = "";

    @BeforeEach
    void writeAFile() throws IOException {
        file = Files.writeString(directory.resolve("hello.txt"), "hello").toString();
    }

    @Test
    void namesAnUnknownWord() {
        assertUsage(
                "unknown command 'cal', did you mean 'call'? (see 'outboard naa --help')",
                "naa",
                "cal");
        assertUsage(
                "unknown option '--functoin', did you mean '--function'?"
                        + " (see 'outboard naa call --help')",
                "naa",
                "call",
                "127.0.0.1",
                "--function",
                "1",
                "--functoin",
                "3");
    }

    @Test
    void asksForARegion() {
        assertUsage(
                "give at least one region with --in, --out or --inout"
                        + " (see 'outboard naa call --help')",
                call());
    }

    @Test
    void namesWhatIsNoSize() {
        assertUsage(
                "invalid value for option '--out': '4 apples' is not a size; write bytes as 64,"
                        + " 4KiB, 1MiB or 1GiB (see 'outboard naa call --help')",
                call("--out", "4 apples:result.bin"));
        assertUsage(
                "invalid value for option '--out': 'result.bin' is not SIZE:FILE; write for example"
                        + " 4KiB:result.bin (see 'outboard naa call --help')",
                call("--out", "result.bin"));
        assertUsage(
                "invalid value for option '--max-memory': 'lots' is not a size; write bytes"
                        + " as 64, 4KiB, 1MiB or 1GiB (see 'outboard naa serve --help')",
                "naa",
                "serve",
                "--max-memory",
                "lots");
    }

    @Test
    void namesWhatIsNoAddress() {
        assertThat(
                        Execution.ofOutboard(
                                        "naa",
                                        "call",
                                        "127.0.0.1:x",
                                        "--function",
                                        "1",
                                        "--in",
                                        file)
                                .err())
                .contains("'127.0.0.1:x' is not an address; write 127.0.0.2, node7:12345 or");
    }

    @Test
    void namesWhatIsNoDialect() {
        assertThat(Execution.ofOutboard(call("--in", file, "--dialect", "english")).err())
                .contains("'english' is not a dialect; there are [ap1-2023, upstream-2026]");
    }

    @Test
    void namesAMissingFile() {
        assertFailure(
                "no such file or directory: " + directory + "/nothing.bin",
                call("--in", directory + "/nothing.bin"));
        assertFailure(
                directory + " is not a regular file; give one with the content",
                call("--in", directory.toString()));
    }

    @Test
    void namesAMissingOutputDirectory() {
        Path missing = directory.resolve("missing");
        String because = ": there is no directory " + missing;
        Path result = missing.resolve("result.bin");
        Path packets = missing.resolve("packets.pcapng");

        assertFailure("cannot write " + result + because, call("--out", "32:" + result));
        assertFailure(
                "cannot write " + packets + because,
                call("--in", file, "--capture", packets.toString()));
    }

    @Test
    void namesARegionThatIsTooLarge() {
        assertFailure(
                "a region of 3 GiB (result.bin) is too large: upstream-2026 has regions of up to"
                        + " 2 GiB",
                call("--out", "3GiB:result.bin"));
        assertFailure(
                "a region of 2 GiB (result.bin) is too large: ap1-2023 has regions of up to 1 GiB",
                call("--out", "2GiB:result.bin", "--dialect", "ap1-2023"));
    }

    @Test
    void namesAFunctionCodeThatTheDialectDoesNotHave() {
        assertFailure(
                "function code is 128; valid in upstream-2026: 1 to 127",
                "naa",
                "call",
                "127.0.0.1",
                "--function",
                "128",
                "--in",
                file);
    }

    @Test
    void namesAMalformedFault() {
        assertFailure(
                "faults: 'loss=much': expected a percentage such as 1% or 0.5%",
                call("--in", file, "--fault", "loss=much"));
    }

    @Test
    void namesAnUnknownHost() {
        assertThat(
                        Execution.ofOutboard(
                                "naa",
                                "call",
                                "no.such.host.invalid",
                                "--function",
                                "1",
                                "--in",
                                file))
                .satisfies(run -> {
                    assertThat(run.exitCode()).isEqualTo(1);
                    assertThat(run.err()).startsWith("outboard: unknown host no.such.host.invalid");
                });
    }

    @Test
    void ap1ReturnsOneRegion() {
        assertFailure(
                "ap1-2023 returns exactly one region; give one --out or --inout, not 0",
                call("--in", file, "--dialect", "ap1-2023"));
    }

    private static String[] call(String... options) {
        String[] words = new String[options.length + 5];
        System.arraycopy(
                new String[] {"naa", "call", "127.0.0.1", "--function", "1"}, 0, words, 0, 5);
        System.arraycopy(options, 0, words, 5, options.length);
        return words;
    }

    private static void assertUsage(String line, String... words) {
        assertOneLine(2, line, words);
    }

    private static void assertFailure(String line, String... words) {
        assertOneLine(1, line, words);
    }

    private static void assertOneLine(int exitCode, String line, String... words) {
        Execution run = Execution.ofOutboard(words);
        assertThat(run.err()).isEqualTo("outboard: " + line + System.lineSeparator());
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
    }
}
