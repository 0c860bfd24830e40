package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ExitCode;

class CoreCommandTest extends DpaCommandFixture {
    private static final String CRASH =
            """
              "crash": {
                "fault": "BAD_LOAD",
                "thread": "RPC",
                "unit": 3,
                "address": "0x8",
                "lengthBytes": 8,
                "detail": "",
                "place": {"file": "Ledger.java", "line": 33, "column": 0, "function": "load"},
                "latest": [
                  {"kind": "STORE", "address": "0x8000000000001000", "lengthBytes": 8},
                  {"kind": "WINDOW_WRITEBACK", "address": "0x0", "lengthBytes": 0}
                ]
              },
            """;
    private static final String CORE =
            """
            {
              "format": "outboard-dpa-core",
              "version": 1,
              "program": "ledger",
              "mode": "WEAK",
              "profile": "BF3",
              "seed": 7,
              "status": {"kind": "FATAL", "code": 4, "text": "one line\\nand another"},
            %s  "threads": [
                {"name": "RPC", "state": "RUNNING", "unit": 3},
                {"name": "receive", "state": "INACTIVE", "unit": -1}
              ],
              "memory": [
                {
                  "name": "globals",
                  "address": "0x10000000",
                  "lengthBytes": 24,
                  "pages": [
                    {"address": "0x10000000", "bytes": "0102030405060708090a0b0c0d0e0f101148690000ff7e20"}
                  ]
                },
                {"name": "heap", "address": "0x100000000", "lengthBytes": 4096, "pages": []}
              ]
            }
            """
                    .formatted(CRASH);

    @Test
    @Requirement("DPA-FXP-5b")
    void printsWhatEndedTheProcess() throws IOException {
        assertThat(JsonSchema.problems(FlexioProcess.class, "core-file.schema.json", CORE))
                .isEmpty();
        assertThat(run("core", file("core.json", CORE))).isZero();
        assertThat(out)
                .hasToString(
                        """
                        Process of app ledger, WEAK by BF3, seed 7
                        FATAL, status 4
                        Thread 'RPC' on execution unit 3: load outside all regions (code 4): 8 bytes at 0x8
                          at Ledger.java:33 (load)
                          latest operations, the oldest first:
                            STORE 8 bytes at 0x8000000000001000
                            WINDOW_WRITEBACK

                        Threads:
                          RPC      RUNNING on unit 3
                          receive  INACTIVE

                        Memory:
                          globals   0x10000000    24 bytes  pages not zero: 1
                          heap     0x100000000  4096 bytes  pages not zero: 0
                        """);
    }

    @Test
    void printsTheTextOfAnErrorThatIsNoCrash() throws IOException {
        String text = CORE.replace(CRASH, "").replace("FATAL", "USER").replace("BF3", "SEED");
        assertThat(run("core", file("core.json", text))).isZero();
        assertThat(out.toString())
                .startsWith("Process of app ledger, WEAK by SEED, seed 7\nUSER, status 4\n")
                .contains("status 4\none line\nand another\n\nThreads:\n");
    }

    @Test
    @Requirement("DPA-FXP-5b")
    void dumpsMemory() throws IOException {
        String core = file("core.json", CORE);
        String[] words = {"core", core, "--memory", "0x10000004", "--memory", "4294967300,0x11"};
        assertThat(run(words)).isZero();
        assertThat(out.toString())
                .endsWith(
                        """

                        0x10000004  05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 48 69 00  .............Hi.
                        0x10000014  00 ff 7e 20                                      ..~\s

                        0x100000004  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
                        0x100000014  00                                               .
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "0x8         | the process has no memory at 0x8; it has globals (24 bytes at 0x10000000), heap (4096 bytes at 0x100000000)",
                "0x10000018  | the process has no memory at 0x10000018",
                "x           | 'x' is no range of memory; valid is",
                "0x10,0      | '0x10,0' is no range of memory; valid is",
                "0x10,4,4    | '0x10,4,4' is no range of memory; valid is",
                "-1          | '-1' is no range of memory; valid is"
            })
    void refusesARangeThatIsNone(String range, String problem) throws IOException {
        assertThat(run("core", file("core.json", CORE), "--memory=" + range))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(problem);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "outboard-dpa-core | other        | its format is other, that of core files outboard-dpa-core",
                "'\"version\": 1'  | '\"version\": 2' | its version is 2, this command reads version 1",
                "'\"threads\"'     | '\"strands\"' | threads is missing",
                "'\"place\"'       | '\"where\"'  | place is missing",
                "BAD_LOAD          | BAD_LUCK     | line 10: ",
                "'\"seed\": 7'     | '\"seed\": x' | line 7: ",
                "'\"0x10000000\"'  | '\"10000000\"' | address is 10000000; valid is 0x and hexadecimal digits",
                "0102030405        | 010203040    | bytes are no pairs of hexadecimal digits"
            })
    void saysWhatIsWrongInAFile(String good, String bad, String problem) throws IOException {
        String core = file("core.json", CORE.replace(good, bad));
        assertThat(run("core", core)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(core + " is no core file: ").contains(problem);
    }

    @Test
    void refusesWhatIsNoCoreFile() throws IOException {
        assertThat(run("core", file("send.dpa", "litmus send"))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("send.dpa is no core file: line 1: ");
        assertThat(run("core", file("null.json", "null"))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("null.json is no core file: line 1: null");
        assertThat(run("core", file("report.json", "{\"version\": 1}"))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("report.json is no core file: line 1: its format is");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xC3, 0x28});
        assertThat(run("core", binary.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("binary is no core file: ");
        assertThat(run("core", directory.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(directory + " cannot be read: Is a directory");
        assertThat(run("core", directory.resolve("none").toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no such file: " + directory.resolve("none"));
    }
}
