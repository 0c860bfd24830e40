package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/// What cannot be built or run says where, why, and what to do.
class BadInputTest {
    @TempDir private Path directory;

    private static void refuses(Reason reason, ThrowingCallable action, String... parts) {
        Throwable thrown = catchThrowable(action);
        if (thrown instanceof TestAbortedException skipped) {
            throw skipped;
        }
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        RtlException.class,
                        e -> {
                            assertThat(e.reason()).isEqualTo(reason);
                            assertThat(e.getMessage()).contains(parts);
                        });
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private Path command(String name, String script) throws IOException {
        Path command = write(name, "#!/bin/sh\n" + script + "\n");
        return Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Requirement("CCIP-RTL-10c")
    @Test
    void aMachineWithoutVerilatorIsToldWhatToInstall() {
        refuses(
                Reason.TOOL,
                () -> RtlBuild.with(Verilator.environment("PATH", directory.toString()), directory),
                "no verilator on the PATH",
                "apt-get install verilator g++",
                "AFUs in Java need neither");
    }

    @Requirement("CCIP-RTL-10c")
    @Test
    void aVariableThatNamesNoCommandIsNamed() {
        refuses(
                Reason.TOOL,
                () ->
                        RtlBuild.with(
                                Verilator.environment("VERILATOR", "no-such-verilator"), directory),
                "VERILATOR=no-such-verilator names no command");
    }

    @Test
    void aVerilatorThatIsTooOldIsRefusedWithItsVersion() throws IOException {
        Path old = command("old-verilator", "echo 'Verilator 4.038 2020-07-11 rev v4.036'");
        refuses(
                Reason.TOOL,
                () -> RtlBuild.with(Verilator.environment("VERILATOR", old.toString()), directory),
                old + " is too old: it is Verilator 4.038",
                "5.006 or newer");
    }

    @Test
    void aVerilatorThatDoesNotRunIsNamed() throws IOException {
        Path broken = command("broken-verilator", "echo 'perl: not found' >&2; exit 127");
        refuses(
                Reason.TOOL,
                () ->
                        RtlBuild.with(
                                Verilator.environment("VERILATOR", broken.toString()), directory),
                broken.toString(),
                "perl: not found");
    }

    @Test
    void aDesignThatDoesNotCompileIsShownByFileAndLine() throws IOException {
        RtlDesign design =
                Verilator.afu(BadInputTest.class, "logic a;\nassign a = undeclared_name;\n");
        refuses(
                Reason.COMPILE,
                () -> Verilator.build().compile(design),
                "ccip_std_afu.sv:14: ",
                "undeclared_name");
    }

    @Test
    void aSyntaxErrorIsShownByFileAndLine() throws IOException {
        Path source = write("ccip_std_afu.sv", "module ccip_std_afu;\n  assign = 1;\nendmodule\n");
        refuses(
                Reason.COMPILE,
                () -> Verilator.build().compile(RtlDesign.of(source)),
                source + ":2: ",
                "syntax error");
    }

    @Test
    void aTopModuleThatIsNotThereIsNamed() throws IOException {
        Path source = write("afu.sv", "module afu(input pClk);\nendmodule\n");
        refuses(
                Reason.COMPILE,
                () -> Verilator.build().compile(RtlDesign.of(source)),
                "ccip_std_afu",
                "Name the module with the CCI-P port as the top module");
    }

    @Test
    void anAfuThatWantsItsPortOnAClockThatIsNoneIsTold() throws IOException {
        String json =
                """
                {"afu-image": {
                  "afu-top-interface": {"module-ports":
                    [{"class": "local-memory", "params": {"clock": "anything"}},
                     {"class": "cci-p", "params": {"clock": "uClk"}}]},
                  "accelerator-clusters":
                    [{"name": "a", "accelerator-type-uuid": "bd9ccef3-0b2c-4bb2-901f-6c7486821188"}]
                }}
                """;
        Path description = write("afu.json", json);
        Path source = write("ccip_std_afu.sv", Verilator.module("\n"));
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(description, source)),
                description + ": the \"clock\" of the CCI-P port is \"uClk\"",
                "valid: \"default\" or one of pClk, pClkDiv2, pClkDiv4, uClk_usr, uClk_usrDiv2");
    }

    @Test
    void aJsonFileThatIsNoneIsShownByLineAndColumn() throws IOException {
        Path source = write("ccip_std_afu.sv", Verilator.module("\n"));
        for (String[] broken :
                new String[][] {
                    {"{\"a\": 1,\n \"accelerator-type-uuid\" \"x\"}", ":2:26: ", "\":\" after"},
                    {"{\"a\": [1, 2,]}", ":1:13: ", "expected a value, found \"]\""},
                    {"{\"a\": 1", ":1:8: ", "found the end of the file"},
                    {"{\"a\": \"b\nc\"}", ":1:9: ", "a quote that ends the string"},
                    {"{a: 1}", ":1:2: ", "a name in quotes"},
                    {"{\"a\": \"\\q\"}", ":1:9: ", "after a backslash"},
                    {"{} {}", ":1:4: ", "expected the end of the file"},
                    {"[".repeat(200), ":1:102: ", "brackets"},
                    {"", ":1:1: ", "expected a value"}
                }) {
            Path json = write("broken.json", broken[0]);
            refuses(
                    Reason.INPUT,
                    () -> Verilator.build().compile(RtlDesign.of(source, json)),
                    json + broken[1] + "no JSON",
                    broken[2]);
        }
    }

    @Test
    void anAfuWithoutItsJsonFileIsToldToNameIt() throws IOException {
        Path source =
                write(
                        "ccip_std_afu.sv",
                        "`include \"afu_json_info.vh\"\n" + Verilator.module("\n"));
        refuses(
                Reason.COMPILE,
                () -> Verilator.build().compile(RtlDesign.of(source)),
                "ccip_std_afu.sv:1: ",
                "made from the JSON file");
    }

    @Requirement("CCIP-SIG-8")
    @Test
    void everyDifferenceOfTheWrongPortIsNamed() throws IOException {
        Path source =
                write(
                        "ccip_std_afu.sv",
                        """
                        module ccip_std_afu (
                            input pClk, input pClkDiv2, input pClkDiv4, input uClk_usr, input uClk_usrDiv2,
                            input [2:0] pck_cp2af_pwrState, output pck_cp2af_error, input ddr_clock,
                            input [573:0] pck_cp2af_sRx, output [740:0] pck_af2cp_sTx);
                        endmodule
                        """);
        refuses(
                Reason.PORT,
                () -> Verilator.build().compile(RtlDesign.of(source)),
                "pck_cp2af_softReset is missing",
                "pck_cp2af_pwrState is an input of 3 bits; CCI-P has an input of 2 bits",
                "pck_cp2af_error is an output of 1 bit; CCI-P has an input of 1 bit",
                "pck_af2cp_sTx is an output of 741 bits; CCI-P has an output of 742 bits",
                "ddr_clock is no signal of CCI-P");
    }

    @Test
    void filesThatAreMissingOrSayNothingAreNamed() throws IOException {
        refuses(
                Reason.INPUT,
                () -> RtlDesign.of(directory.resolve("missing.sv")),
                "missing.sv does not exist");
        refuses(Reason.INPUT, () -> RtlDesign.of(directory), directory + " is no file");
        Path json = write("afu.json", "{\"version\": 1}");
        refuses(Reason.INPUT, () -> RtlDesign.of(json), "no SystemVerilog file");
        Path list = write("files.txt", "absent.sv\n");
        refuses(Reason.INPUT, () -> RtlDesign.of(list), "absent.sv does not exist");
    }

    @Test
    void aJsonFileWithoutAnAfuIdIsRefused() throws IOException {
        Path source = write("ccip_std_afu.sv", Verilator.module("\n"));
        Path empty = write("empty.json", "{\"afu-image\": {}}");
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(source, empty)),
                "empty.json: no \"accelerator-type-uuid\"");
        Path wrong = write("wrong.json", "{\"accelerator-type-uuid\": \"1234\"}");
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(source, wrong)),
                "wrong.json: accelerator-type-uuid \"1234\" is no UUID");
    }

    @Requirement("CCIP-RTL-8")
    @Test
    void aPatchThatFitsNothingIsShownByFileAndLine() throws IOException {
        Path source = write("ccip_std_afu.sv", Verilator.module("\n"));
        Path stale = write("patches.tsv", "ccip_std_afu.sv\t2\tmodule old_name\tmodule new_name\n");
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(source, stale)),
                source
                        + ":2: the patch looks for \"module old_name\" and finds \"module"
                        + " ccip_std_afu (\"");
        Path malformed = write("malformed.tsv", "# remark\nccip_std_afu.sv\t2\n");
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(source, malformed)),
                "malformed.tsv:2: a patch is");
    }

    @Requirement("CCIP-RTL-8")
    @Test
    void aPatchForAFileThatIsNotThereIsNamed() throws IOException {
        Path source = write("ccip_std_afu.sv", Verilator.module("\n"));
        Path patches = write("patches.tsv", "other.sv\t1\ta\tb\n");
        refuses(
                Reason.INPUT,
                () -> Verilator.build().compile(RtlDesign.of(source, patches)),
                "patches.tsv: there is no file other.sv");
    }

    /// Without the tools tests of designs are passed over, and say why.
    @Requirement("CCIP-RTL-10b")
    @Test
    void testsAreSkippedWithAMessageWhereAToolIsMissing() {
        isSkippedWithout("VERILATOR");
        // The compiler is looked for only where there is a Verilator.
        Verilator.build();
        isSkippedWithout("CXX");
    }

    private static void isSkippedWithout(String tool) {
        assertThatExceptionOfType(TestAbortedException.class)
                .isThrownBy(() -> Verilator.build(Verilator.environment(tool, "no-such-tool")))
                .withMessageContaining("needs Verilator and a C++ compiler")
                .withMessageContaining(tool + "=no-such-tool");
    }

    @Test
    void aLibraryThatIsNoneIsRefused() throws IOException {
        VerilatedDesign design =
                new VerilatedDesign(
                        "ccip_std_afu",
                        write("afu.so", "text"),
                        List.of(),
                        Optional.empty(),
                        300,
                        Optional.empty());
        refuses(
                Reason.LOAD,
                () -> design.open(Profile.PAC_A10, 1).close(),
                "afu.so cannot be loaded",
                "Delete it to build anew");
    }
}
