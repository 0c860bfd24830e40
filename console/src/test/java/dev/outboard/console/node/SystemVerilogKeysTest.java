package dev.outboard.console.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RtlOffload;
import dev.outboard.node.offload.Target;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/// Routines in SystemVerilog in a node file and in options. Nothing is compiled.
class SystemVerilogKeysTest {
    private static final String FILES = "systemverilog: [a.json, a.sv]";

    @TempDir private Path directory;
    private Problems problems;

    @BeforeEach
    void write() throws IOException {
        problems = new Problems(Path.of("node.yaml"));
        Files.writeString(directory.resolve("a.sv"), "module other; endmodule");
        Files.writeString(
                directory.resolve("a.json"),
                """
                {"afu-image": {"accelerator-clusters": [
                  {"name": "a", "accelerator-type-uuid": "0d1c6a52-9f0e-4b1a-8f6e-2a8c54f7e3d1"}]}}
                """);
        Files.writeString(directory.resolve("no.json"), "{}");
    }

    private NodePlan plan(String text, String... options) {
        CommandLine command = new CommandLine(new KeyOptions.All().transform(CommandSpec.create()));
        Settings given = KeyOptions.given(command.parseArgs(options));
        return NodePlan.of(given.over(NodeFile.parse(text, directory, problems)), problems);
    }

    @Test
    void aRoutineInSystemVerilogIsOffered() {
        NodePlan plan =
                plan(
                        """
                        builtins: false
                        routines:
                          upper:
                            systemverilog:
                              - a.json
                              - a.sv
                            code: 42
                            top: other
                            time: 2s
                          lower: { systemverilog: [a.json, a.sv], code: 127, target: afu }
                        """);

        assertThat(problems.lines()).isEmpty();
        assertThat(plan.routines().routines().routines())
                .extracting(spec -> spec.functionCode() + " " + spec.name() + " " + spec.limit())
                .containsExactly("42 upper PT2S", "127 lower PT0S");
        assertThat(plan.routines().routines().routines())
                .extracting(RoutineSpec::routine)
                .map(routine -> ((RtlOffload) routine).design())
                .allSatisfy(design ->
                        assertThat(design.sources()).containsExactly(directory.resolve("a.sv")))
                .map(design -> design.top())
                .containsExactly("other", "ccip_std_afu");
        assertThat(plan.routines().places())
                .containsEntry("upper", Placement.on(Target.AFU))
                .containsEntry("lower", Placement.on(Target.AFU))
                .hasSize(2);
    }

    @Test
    void optionsSayTheSameAndWinForTheirRoutine() {
        String file = "routines: { upper: { systemverilog: [no.json], code: 42 }, fft: }";
        String sources = "%s,%s".formatted(directory.resolve("a.json"), directory.resolve("a.sv"));
        NodePlan plan =
                plan(
                        file,
                        "--systemverilog",
                        "upper=" + sources,
                        "--systemverilog",
                        "lower=" + directory.resolve("a.json"),
                        "--systemverilog",
                        "lower=" + directory.resolve("a.sv"),
                        "--code",
                        "lower=43",
                        "--top",
                        "lower=other",
                        "--target",
                        "lower=chain",
                        "--offer",
                        "upper,lower");

        assertThat(problems.lines()).isEmpty();
        assertThat(plan.routines().routines().routines())
                .extracting(spec -> spec.functionCode() + " " + spec.name())
                .containsExactly("42 upper", "43 lower");
        assertThat(plan.routines().places())
                .containsEntry("upper", Placement.on(Target.AFU))
                .containsEntry("lower", Placement.on(Target.CHAIN));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FILES, code: 42, target: chain | ",
                "systemverilog: [a.json, none.sv], code: 42 | 2:36: there is no file DIR/none.sv",
                "systemverilog: [a.json], code: 42 | 2:28: no SystemVerilog file in [DIR/a.json]",
                "systemverilog: a.sv, code: 42 | 2:27: 'routines.upper.systemverilog' is 'a.sv';"
                        + " valid: a list, an item a line after '- ', of a file",
                "systemverilog: [a.sv], code: 42 | 2:28: routine 'upper' has no AFU_ID; add the"
                        + " JSON file that describes the AFU to its files",
                "systemverilog: [no.json, a.sv], code: 42 | 2:28: DIR/no.json: no"
                        + " \"accelerator-type-uuid\" under \"accelerator-clusters\" of"
                        + " \"afu-image\"; it holds the AFU_ID",
                "FILES | 2:28: routine 'upper' in SystemVerilog has no function code; add"
                        + " 'routines.upper.code', valid: 1 to 127",
                "FILES, code: 12 | 2:49: function code 12 of routine 'upper' is that of 'sha-256';"
                        + " valid: 1 to 127 without 1, 2, 3, 10, 11, 12, 13, 14",
                "code: 128, FILES | 2:18: 'routines.upper.code': 128 is out of range; valid: 1 to"
                        + " 127",
                "FILES, code: 42, target: cpu | 2:61: routine 'upper' on target 'cpu'; valid: afu,"
                        + " chain",
                "FILES, code: 42, target: dpa-handler | 2:61: routine 'upper' on target"
                        + " 'dpa-handler'; valid: afu, chain",
                "FILES, code: 42, fallback: cpu | 2:63: routine 'upper' on second target 'cpu';"
                        + " valid: none, it brings what it runs on",
                "code: 42 | 2:18: 'code' of routine 'upper', which is not in SystemVerilog;"
                        + " valid: together with 'routines.upper.systemverilog'",
            })
    void saysWhatIsWrongAndWhere(String keys, String problem) {
        plan("routines:\n  upper: { %s }\n".formatted(keys.replace("FILES", FILES)));
        if (problem == null) {
            assertThat(problems.lines()).isEmpty();
        } else {
            assertThat(problems.lines())
                    .contains("node.yaml:" + problem.replace("DIR", directory.toString()));
        }
    }

    @Test
    void whatIsWrongIsToldOnce() {
        plan(
                """
                routines:
                  upper:
                    systemverilog: [none.sv]
                    target: chain
                  edges: { systemverilog: [a.json, a.sv], code: 50 }
                  "a b": { systemverilog: [a.json, a.sv], code: 51 }
                """);
        assertThat(problems.lines())
                .containsExactly(
                        "node.yaml:3:21: there is no file " + directory.resolve("none.sv"),
                        "node.yaml:3:21: routine 'upper' in SystemVerilog has no function code; add"
                                + " 'routines.upper.code', valid: 1 to 127",
                        "node.yaml:5:28: there is a routine 'edges' already, which is not in"
                                + " SystemVerilog; valid: another name",
                        "node.yaml:6:49: routine name 'a b'; valid: up to 64 letters, digits and"
                                + " dashes");
    }

    @Test
    void saysWhatIsWrongWithOptions() {
        assertThatThrownBy(() -> plan("", "--systemverilog", "upper=none.sv", "--code", "upper=1"))
                .isInstanceOf(CommandException.class)
                .hasMessage("--systemverilog: there is no file none.sv");
        assertThatThrownBy(() -> plan("", "--systemverilog", "upper=" + directory.resolve("a.sv")))
                .isInstanceOf(CommandException.class)
                .hasMessage(
                        "--systemverilog: routine 'upper' has no AFU_ID; add the JSON file that describes the AFU to its files");
        assertThatThrownBy(() -> plan("", "--code", "upper=42"))
                .isInstanceOf(CommandException.class)
                .hasMessage(
                        "--code: 'code' of routine 'upper', which is not in SystemVerilog; valid: together with --systemverilog upper=FILE");
        assertThatThrownBy(() -> plan("", "--systemverilog", "upper.sv"))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining("'upper.sv' has no '='; valid: NAME=FILE");
        assertThatThrownBy(() -> plan("", "--code", "upper=0"))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining("0 is out of range; valid: 1 to 127");
    }
}
