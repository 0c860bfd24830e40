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
    void namesAnOutputThatIsADirectory() {
        String because = "cannot write " + directory + ": it is a directory";

        assertFailure(because, call("--out", "32:" + directory));
        assertFailure(because, call("--in", file, "--capture", directory.toString()));
    }

    @Test
    void namesAFileThatTwoRegionsWouldBeWrittenTo() {
        Path result = directory.resolve("result.bin");
        String because = " would be written twice: the second result would replace the first";

        assertFailure(result + because, call("--out", "32:" + result, "--out", "16:" + result));
        assertFailure(file + because, call("--inout", file, "--inout", file));
        assertFailure(
                directory + "/./hello.txt" + because,
                call("--inout", file, "--out", "8:" + directory + "/./hello.txt"));
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

    @Test
    void whatIsSaidAboutARegionNeedsOneThatFits() {
        assertFailure(
                "--once belongs to a region that is sent, --in or --inout, not to --out 8:c",
                call("--out", "8:c", "--once"));
        assertFailure(
                "--send belongs to a region that is sent, --in or --inout, not to --internal 8 B",
                call("--in", file, "--internal", "8", "--send", "4"));
        assertFailure(
                "--send 6 of " + file + ", which has 5 bytes; valid: 0 to 5",
                call("--in", file, "--send", "6"));
        assertUsage(
                "missing required argument(s): (--in=FILE | --out=SIZE:FILE | --inout=FILE |"
                        + " --internal=SIZE) (see 'outboard naa call --help')",
                call("--send", "6"));
        assertUsage(
                "give at least one region with --in, --out or --inout"
                        + " (see 'outboard naa call --help')",
                call("--internal", "6"));
    }

    @Test
    void namesWhatIsNoNaaAddress() {
        assertUsage(
                "invalid value for option '--at': 'here' is not an NAA address; write for example"
                        + " 0x1000 or 4096 (see 'outboard naa call --help')",
                call("--in", file, "--at", "here"));
        assertUsage(
                "invalid value for option '--at': NAA address 0x100000000000000 does not fit 56"
                        + " bits; valid: 0 to 0xffffffffffffff (see 'outboard naa call --help')",
                call("--in", file, "--at", "0x100000000000000"));
    }

    @Test
    void namesWhatAreNotThreeBytes() {
        for (String text : new String[] {"1,2", "1,2,256", "1,2,x", "", "1,2,3,4", "-1,0,0"}) {
            assertUsage(
                    "invalid value for option '--user-bytes': '"
                            + text
                            + "' is not three bytes; write each as 0 to 255 or 0x00 to 0xff, for"
                            + " example 1,0,0xff (see 'outboard naa call --help')",
                    call("--in", file, "--user-bytes", text));
        }
    }

    @Test
    void namesWhatTheOlderDialectDoesNotHave() {
        assertFailure(
                "ap1-2023 cannot carry user bytes; --user-bytes needs upstream-2026",
                call("--inout", file, "--dialect", "ap1-2023", "--user-bytes", "1,2,3"));
        assertFailure(
                "ap1-2023 sends every region whole with every RPC; --once needs upstream-2026",
                call("--inout", file, "--once", "--dialect", "ap1-2023"));
        assertFailure(
                "ap1-2023 sends every region whole with every RPC; --send needs upstream-2026",
                call("--inout", file, "--send", "1", "--dialect", "ap1-2023"));
    }

    @Test
    void namesWhatIsNoNumber() {
        assertUsage(
                "invalid value for option '--repeat': 'often' is not a whole number"
                        + " (see 'outboard naa call --help')",
                call("--in", file, "--repeat", "often"));
    }

    @Test
    void repeatsAtLeastOnce() {
        assertUsage(
                "--repeat is 0; valid: 1 or more (see 'outboard naa call --help')",
                call("--in", file, "--repeat", "0"));
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
