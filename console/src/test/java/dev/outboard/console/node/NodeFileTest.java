package dev.outboard.console.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.Target;
import dev.outboard.node.offload.TargetLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeFileTest {
    private static final Path FILE = Path.of("dir/node.yaml");

    private static final String GOOD =
            """
            bind: 127.0.0.9   # a comment
            port: "1234"
            dialect: ap1-2023
            metrics: 0
            routines:
              edges:
                target: afu
                fallback: dpa
                time: 2s
              fft:
            targets:
              afu:
                calls: 1
                waiting: 0
              dpa: { calls: 3 }
            limits:
              allow: [ 10.0.0.0/8, '::1/128' ]
              max-memory: 1GiB
              max-client-memory: 1MiB
              idle-time: 10min
              shutdown-time: 1s
              banks: 2
            """;

    private final Problems problems = new Problems(FILE);

    private NodePlan plan(String text) {
        return NodePlan.of(NodeFile.parse(text, Path.of("dir"), problems), problems);
    }

    private List<String> wrong(String text) {
        plan(text);
        return problems.lines();
    }

    @Test
    void saysWhatANodeIs() {
        NodePlan plan = plan(GOOD);

        assertThat(problems.lines()).isEmpty();
        assertThat(plan.bind()).isEqualTo("127.0.0.9");
        assertThat(plan.port()).isEqualTo(1234);
        assertThat(plan.metricsPort()).hasValue(0);
        assertThat(plan.shutdownTime()).isEqualTo(Duration.ofSeconds(1));
        var server = plan.server().build();
        assertThat(server.dialect()).hasToString("Optional[ap1-2023]");
        assertThat(server.maxTotalBytes()).isEqualTo(1 << 30);
        assertThat(server.maxConnectionBytes()).isEqualTo(1 << 20);
        assertThat(server.idleLimit()).isEqualTo(Duration.ofMinutes(10));
        assertThat(server.memory().bankBytes()).isEqualTo(1L << 55);
        var routines = plan.routines();
        assertThat(routines.routines().routines())
                .extracting(spec -> spec.name() + " " + spec.limit())
                .containsExactly("edges PT2S", "fft PT0S");
        assertThat(routines.places())
                .containsOnlyKeys("edges")
                .containsValue(Placement.on(Target.AFU).orElse(Target.DPA));
        assertThat(routines.limits())
                .containsEntry(Target.AFU, new TargetLimit(1, 0))
                .containsEntry(Target.DPA, new TargetLimit(3, Integer.MAX_VALUE))
                .hasSize(2);
    }

    @Test
    void anEmptyFileIsTheNodeThatNobodyDescribes() {
        NodePlan plan = plan("# nothing\n");

        assertThat(problems.lines()).isEmpty();
        assertThat(plan.bind()).isEqualTo("127.0.0.1");
        assertThat(plan.port()).isEqualTo(12345);
        assertThat(plan.dialect()).isEmpty();
        assertThat(plan.metricsPort()).isEmpty();
        assertThat(plan.routines().routines().routines()).hasSizeGreaterThan(5);
        assertThat(plan.routines().places()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "prot: 1 | 1:1: unknown key 'prot', did you mean 'port'?",
                "zzz: 1 | 1:1: unknown key 'zzz'; valid: bind, builtins, dialect, isolated, isolated-memory, jars, kernel, limits,"
                        + " metrics, port, routines, targets",
                "port: 70000 | 1:7: 'port': 70000 is out of range; valid: 0 to 65535",
                "port: 1.5 | 1:7: 'port': '1.5' is not a whole number; valid: 0 to 65535",
                "port: [1] | 1:7: 'port' is a list; valid: 0 to 65535",
                "port: | 1:6: 'port' is nothing; valid: 0 to 65535",
                "bind: 127.0.0.300 | 1:7: 'bind': '127.0.0.300' is no address; valid: 127.0.0.2,"
                        + " fd00::1 or auto",
                "limits: 5 | 1:9: 'limits' is '5'; valid: the keys address-space, allow, banks,"
                        + " evict-after, idle-time, max-address-connections, max-address-memory,"
                        + " max-address-workers, max-client-memory, max-connections, max-memory,"
                        + " max-queued, max-regions, probe-interval, probe-time, rpc-time,"
                        + " setup-time, short-time, shutdown-time, spin, transfer-time, workers",
                "limits: {workers: 0} | 1:19: 'limits.workers': 0 is out of range; valid: 1 or"
                        + " more",
                "limits: {allow: 10.0.0.0/8} | 1:17: 'limits.allow' is '10.0.0.0/8'; valid: a"
                        + " list, an item a line after '- ', of a network: 10.0.0.0/8",
                "limits: {banks: 3} | 1:17: 3 banks of an NAA memory of 72057594037927936 bytes;"
                        + " valid: any number of banks of equal size",
                "jars: [none.jar] | 1:8: there is no file dir/none.jar",
                "isolated: [none.jar] | 1:12: there is no file dir/none.jar",
                "builtins: false | 1:11: 'builtins: false' leaves no routine; add yours with"
                        + " 'jars' or 'routines.NAME.systemverilog'",
                "builtins: maybe | 1:11: 'builtins': truth 'maybe'; valid: false, true",
                "routines: {egdes: {}} | 1:12: there is no routine 'egdes', did you mean 'edges'?",
                "routines: {edges: {target: gpu}} | 1:28: 'routines.edges.target': target 'gpu';"
                        + " valid: afu, chain, cpu, dpa, dpa-handler",
                "routines: {edges: {target: gpu, fallback: cpu}} | 1:28: 'routines.edges.target':"
                        + " target 'gpu'; valid: afu, chain, cpu, dpa, dpa-handler",
                "routines: {fft: {target: dpa}} | 1:26: routine 'fft' on target 'dpa'; valid: cpu",
                "routines: {fft: {fallback: cpu}} | 1:28: the second target is 'cpu', like the"
                        + " first; valid: another one",
                "targets: {gpu: {calls: 1}} | 1:11: unknown key 'targets.gpu', did you mean"
                        + " 'cpu'?",
                "targets: {afu: {calls: 0}} | 1:24: 'targets.afu.calls': 0 is out of range;"
                        + " valid: 1 or more",
                "just text | 1:1: the file is 'just text'; valid: keys with values",
                "limits: &a {workers: 1} | ",
            })
    void saysWhatIsWrongAndWhere(String text, String problem) {
        if (problem == null) {
            assertThat(wrong(text)).isEmpty();
        } else {
            assertThat(wrong(text)).containsExactly("dir/node.yaml:" + problem);
        }
    }

    @Test
    void saysEverythingAtOnceInTheOrderOfTheFile() {
        assertThat(
                        wrong(
                                """
                                port: 1
                                routines:
                                  sgem:
                                limits:
                                  workers: -1
                                  spin: 5 parsecs
                                port: 2
                                """))
                .containsExactly(
                        "dir/node.yaml:3:3: there is no routine 'sgem', did you mean 'sgemm'?",
                        "dir/node.yaml:5:12: 'limits.workers': -1 is out of range; valid: 1 or more",
                        "dir/node.yaml:6:9: 'limits.spin': '5 parsecs' is not a time; write 20us,"
                                + " 500ms, 60s or 5min",
                        "dir/node.yaml:7:1: 'port' stands in line 1 already");
    }

    @Test
    void saysWhereItIsNoYaml() {
        List<String> lines = wrong("port: 1\nlimits:\n  a: [1, 2\nroutines: 5\n");

        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("dir/node.yaml:").contains(": this is not YAML: ");
        assertThat(lines.getFirst()).matches("dir/node.yaml:[34]:\\d+: .*");
    }

    @Test
    void readsOneDocument() {
        assertThat(wrong("port: 1\n---\nport: 2\n"))
                .containsExactly(
                        "dir/node.yaml:3:1: another document begins here; valid: one a file");
    }

    /// Each level would be ten times the one before.
    @Test
    void aliasesAreNotFollowed() {
        String bomb =
                "a0: &a0 [x, x]\n"
                        + IntStream.range(1, 10)
                                .mapToObj(i ->
                                        "a%d: &a%d [%s]\n"
                                                .formatted(
                                                        i, i, ("*a" + (i - 1) + ", ").repeat(10)))
                                .collect(Collectors.joining());

        assertThat(wrong(bomb)).hasSize(100).anyMatch(line -> line.contains("the alias *a8"));
    }

    @Test
    void whatIsTooLongOrTooDeepIsRefused() {
        assertThat(wrong("#".repeat(YamlReader.MAX_CHARACTERS + 1)))
                .containsExactly(
                        "dir/node.yaml:1:1: the file is too long; valid: up to 1048576 bytes");
    }

    @Test
    void whatIsTooDeepIsRefused() {
        assertThat(wrong("limits: " + "[".repeat(17) + "]".repeat(17)))
                .anyMatch(line -> line.endsWith("too deep; valid: up to 16 levels"));
    }

    /// Whatever stands in the file, it is told or taken; nothing is thrown.
    @Test
    void noTextBreaksIt() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 3000; i++) {
            StringBuilder text = new StringBuilder(GOOD);
            for (int j = random.nextInt(1, 6); j > 0; j--) {
                int at = random.nextInt(text.length());
                int end = Math.min(text.length(), at + random.nextInt(4));
                text.replace(at, end, random.nextBoolean() ? "" : randomText(random));
            }
            Settings settings = NodeFile.parse(text.toString(), Path.of("dir"), new Problems(FILE));
            assertThat(settings.all()).isNotNull();
        }
    }

    private static String randomText(SplittableRandom random) {
        String signs = "{}[]&*!|>'\"%@`:-?,#\n\t ax1\u0000\ud800";
        return random.ints(random.nextInt(4), 0, signs.length())
                .mapToObj(i -> String.valueOf(signs.charAt(i)))
                .collect(Collectors.joining());
    }
}
