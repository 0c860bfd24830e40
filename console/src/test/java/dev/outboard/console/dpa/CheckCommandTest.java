package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outboard.dpa.checker.CheckReport;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.ExitCode;

class CheckCommandTest extends DpaCommandFixture {
    private static final String BUG =
            """
            litmus send "A doorbell with nothing before it"
            role entry wqe of sq
            T: M[wqe]=1; DB(db@SXD,sq)
            N: onDB(db); r=nicrd M[wqe]
            """;
    private static final String MOVED = "DB(db@SXD,sq); M[wqe]=1; memory_writeback";

    @Test
    void aCleanProgramEndsWithZero() throws IOException {
        String file = file("clean.dpa", BUG.replace("; DB", "; memory_writeback; DB"));
        assertThat(run("check", file)).isZero();
        assertThat(out.toString()).contains("clean.dpa: nothing found in 20 runs (SEED)");
    }

    @Test
    void aFindingNamesBothPlacesAndTheLineToInsert() throws IOException {
        String file = file("send.dpa", BUG);
        assertThat(run("check", file, "--runs", "3", "--seed", "7")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("error MISSING_MEMORY_WRITEBACK [DPA-CHK-1]")
                .contains("store by T at " + file + ":3:4 (T) of wqe")
                .contains("announcement to N by T at " + file + ":3:14 (T)")
                .contains("Insert memory_writeback between")
                .contains("Seed 7 shows it again; 3 of 3 runs had it.")
                .contains("send.dpa: 1 error, 0 warnings in 3 runs (SEED)")
                .doesNotContain("Repair");
    }

    @Test
    void proposesTheRepair() throws IOException {
        String file = file("send.dpa", BUG);
        assertThat(run("check", "--fix", file)).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("Repair:\n  insert memory_writeback before " + file + ":3:14 (T)")
                .contains("Proven by EXPLORE: no outcome is added")
                .contains("-T: M[wqe]=1; DB(db@SXD,sq)\n+T: M[wqe]=1; memory_writeback; DB");
        assertThat(Files.readString(Path.of(file))).isEqualTo(BUG);
    }

    @Test
    void judgesByTheProfileThatIsAsked() throws IOException {
        String file = file("fence.dpa", BUG.replace("; DB", "; fence(MEMORY,W,W); DB"));
        assertThat(run("check", file)).isEqualTo(ExitCode.SOFTWARE);
        assertThat(run("check", file, "--profile", "bf3")).isZero();
    }

    @Test
    void checksEachVariantOfEachFileOfADirectory() throws IOException {
        file("a.dpa", BUG);
        file("b.dpa", LitmusCatalog.text(8));
        file("notes.txt", "no litmus test");
        assertThat(run("check", directory.toString())).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString().lines().filter(line -> line.endsWith("in 20 runs (SEED)")))
                .extracting(line -> line.replaceAll(".*/", ""))
                .containsExactly(
                        "a.dpa: 1 error, 0 warnings in 20 runs (SEED)",
                        "b.dpa a: 1 error, 0 warnings in 20 runs (SEED)",
                        "b.dpa b: nothing found in 20 runs (SEED)",
                        "b.dpa c: 1 error, 0 warnings in 20 runs (SEED)",
                        "b.dpa d: 1 error, 0 warnings in 20 runs (SEED)",
                        "b.dpa e: 1 error, 0 warnings in 20 runs (SEED)",
                        "b.dpa f: nothing found in 20 runs (SEED)",
                        "b.dpa g: nothing found in 20 runs (SEED)");
    }

    @Test
    void printsJson() throws IOException {
        String file = file("send.dpa", BUG);
        assertThat(run("check", file, "--fix", "--json")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .startsWith("{\n  \"version\": 1,\n  \"reports\": [\n")
                .contains("\"row\": \"DPA-CHK-1\"")
                .contains("\"cured\": true")
                .endsWith("}\n");
    }

    private void assertJson(int code, String... words) throws IOException {
        out.getBuffer().setLength(0);
        assertThat(run(words)).isEqualTo(code);
        assertThat(
                        JsonSchema.problems(
                                CheckReport.class, "check-report.schema.json", out.toString()))
                .isEmpty();
    }

    @Test
    void jsonIsAsItsSchemaHasIt() throws IOException {
        String clean = file("clean.dpa", BUG.replace("; DB", "; memory_writeback; DB"));
        String bug = file("send.dpa", BUG);
        String mismatch = file("fence.dpa", BUG.replace("; DB", "; fence(MEMORY,W,W); DB"));
        String loop = file("loop.dpa", LitmusCatalog.text(6));
        String early = file("early.dpa", BUG.replace("M[wqe]=1; DB(db@SXD,sq)", MOVED));
        String hopeless = file("race.dpa", LitmusCatalog.text(18));
        assertJson(ExitCode.OK, "check", "--json", clean, "--fix");
        assertJson(ExitCode.SOFTWARE, "check", "--json", clean, bug, mismatch, loop);
        assertJson(ExitCode.SOFTWARE, "check", "--json", "--fix", bug, loop, early, hopeless);
        assertThat(out.toString())
                .contains("\"kind\": \"move\"", "\"cured\": false", "\"in the loop at\"");
        Path programs = Programs.compile(directory, Programs.FAULTY);
        assertJson(
                ExitCode.SOFTWARE, "check", "--json", "--program", "Faulty", programs.toString());
        assertThat(out.toString()).contains("\"problems\": [\n        \"Thread 't'");
    }

    @Test
    void badInputEndsWithTwo() throws IOException {
        String bad = file("bad.dpa", "litmus bad\nT: M[x]=\n");
        assertThat(run("check", bad)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("bad.dpa is no litmus test: Line 3, column 1: expected ");
        Path binary = directory.resolve("binary.dpa");
        Files.write(binary, new byte[] {(byte) 0xC3, 0x28});
        assertThat(run("check", binary.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("it is not text in UTF-8");
        assertThat(run("check", directory.resolve("none.dpa").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no such file or directory: ");
        assertThat(run("check", Files.createDirectory(directory.resolve("empty")).toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no file *.dpa or *.litmus in the directory ");
        assertThat(run("check", "send.jar")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("send.jar is a JAR: --program says which class of it to check");
        assertThat(run("check", bad, "--profile", "fast")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("'--profile'", "PARANOID", "but was 'fast'");
        LitmusTest test = LitmusCatalog.test(8);
        String herd = file("a.litmus", test.herd(test.variant("a")));
        assertThat(run("check", herd, "--fix")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--fix mends files *.dpa only, and not " + herd);
        assertThat(run("check", bad, "--runs", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--runs is 0; valid are 1 and more");
        assertThat(run("check")).isEqualTo(ExitCode.USAGE);
    }

    /// The classes of the tests stand for a JAR.
    @Test
    void checksAClassThatIsAProgram() {
        String classes = Path.of("target/test-classes").toString();
        String name = "dev.outboard.console.dpa.SendProgram";
        assertThat(run("check", classes, "--program", name, "--fix")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("error MISSING_MEMORY_WRITEBACK [DPA-CHK-1]")
                .contains("at SendProgram.java:")
                .contains(name + ": 1 error, 0 warnings in 20 runs (SEED)")
                .contains("insert thread.memoryWriteback(); before SendProgram.java:");
        assertThat(run("check", classes, "--program", "no.Such")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("no class no.Such in " + classes + "; its name begins with its package");
        assertThat(run("check", classes, "--program", "java.lang.String"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains(
                        "class java.lang.String does not implement dev.outboard.dpa.process.DpaProgram");
    }

    /// What is wrong with a program that cannot be run is said in one line, with its place.
    @ParameterizedTest
    @MethodSource("unfit")
    void aProgramThatCannotBeRunIsBadInput(String source, String message) throws IOException {
        String classes = Programs.compile(directory, source, Programs.GONE).toString();
        Files.delete(Path.of(classes, "Gone.class"));
        String name = source.replaceFirst("(?s).*?class (\\w+).*", "$1");
        assertThat(run("check", classes, "--program", name)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines().findFirst().orElseThrow())
                .isEqualTo(message.replace("DIR", classes));
    }

    static List<Arguments> unfit() {
        return List.of(
                arguments(
                        "class A implements DpaProgram { A() { throw new RuntimeException(\"no\"); }"
                                + " public void setUp(DpaProcess p) {} }",
                        "program A cannot be run: The constructor of program A failed:"
                                + " java.lang.RuntimeException: no at A.<init>(A.java:3)"),
                arguments(
                        "class B implements DpaProgram { static int x = Integer.parseInt(\"x\");"
                                + " public void setUp(DpaProcess p) {} }",
                        "program B cannot be run: java.lang.NumberFormatException: For input string:"
                                + " \"x\" at B.<clinit>(B.java:3)"),
                arguments(
                        "class C implements DpaProgram { public void setUp(DpaProcess p) {"
                                + " p.heap().allocate(-1); } }",
                        "program C cannot be run: java.lang.IllegalArgumentException: A block has at"
                                + " least 1 byte, not -1 at C.setUp(C.java:3)"),
                arguments(
                        "class D implements DpaProgram { public void setUp(DpaProcess p) {"
                                + " new Gone().run(); } }",
                        "program D needs class Gone, which is not in DIR"),
                arguments(
                        "class E extends Gone implements DpaProgram {"
                                + " public void setUp(DpaProcess p) {} }",
                        "program E needs class Gone, which is not in DIR"),
                arguments(
                        "class F implements DpaProgram { F(int a) {}"
                                + " public void setUp(DpaProcess p) {} }",
                        "program F cannot be run: Program F cannot be created: it needs a constructor"
                                + " without parameters, and to be static if it is nested:"
                                + " java.lang.NoSuchMethodException: F.<init>()"),
                arguments(
                        "class G implements DpaProgram { public void setUp(DpaProcess p) {"
                                + " p.nic(\"n\", n -> { throw new RuntimeException(\"off\"); }); } }",
                        "program G cannot be run: A program outside the DPA failed:"
                                + " java.lang.RuntimeException: off at G.lambda$setUp$0(G.java:3)"),
                arguments(
                        "class H implements DpaProgram { public void setUp(DpaProcess p) {"
                                + " p.thread(\"t\", t -> System.gc()); } }",
                        "program H is refused. Kernel code in class H, method lambda$setUp$0"
                                + " (H.java:3): calls java.lang.System.gc. Valid: methods of the"
                                + " program, of DpaThread, AddressMap, Doorbell, DpaFxp and DpaAddr,"
                                + " of dpa.nic.layout, dpa.flexio.dev and dpa.doca.dev, java.lang.Math, and the static methods of"
                                + " Integer, Long and their like"));
    }

    /// Nothing of the machine is called in the loop, which is in another class of the files.
    @Test
    @Timeout(300)
    @Requirement({"DPA-JK-7a", "DPA-JK-7b"})
    void aKernelThatNeverEndsIsAProblem() throws IOException {
        String classes =
                Programs.compile(directory, Programs.LOOP, Programs.ENDLESS, Programs.DEEP)
                        .toString();
        assertThat(run("check", classes, "--program", "Endless")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("problem: Thread 't' on execution unit 0: watchdog (code 11)")
                .contains("at Loop.java:3 (run)")
                .contains("Endless: 0 errors, 0 warnings, 1 problem in 1 run (SEED)");
        assertThat(run("check", classes, "--program", "Deep")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("problem: Thread 't' on execution unit 0: stack overflow (code 12)")
                .contains("at Deep.java:3 (run)")
                .contains("Deep: 0 errors, 0 warnings, 1 problem in 20 runs (SEED)");
    }

    @Test
    void aFileThatIsNoJarIsBadInput() throws IOException {
        String file = file("send.txt", BUG);
        assertThat(run("check", file, "--program", "Send")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(file + " is neither a JAR nor a directory of classes");
    }

    @Test
    void aRunThatDoesNotComeToItsEndIsAProblem() throws IOException {
        String classes = Programs.compile(directory, Programs.FAULTY, Programs.WAITING).toString();
        assertThat(run("check", classes, "--program", "Faulty")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("problem: Thread 't' on execution unit 0: ")
                .contains("8 bytes at 0x5")
                .contains("Seed 1 shows it again.")
                .contains("Faulty: 0 errors, 0 warnings, 1 problem in 20 runs (SEED)");
        assertThat(run("check", classes, "--program", "Waiting")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("error WAIT_FOR_NOTHING [DPA-CHK-21]")
                .contains("problem: These wait for ever: t")
                .contains("Waiting: 1 error, 0 warnings, 1 problem in 20 runs (SEED)");
    }
}
