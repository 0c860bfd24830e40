package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What kernels may touch, and what not. Each program is one that its user has compiled.
class KernelCheckTest {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    @TempDir private Path directory;

    private DpaProcess load(String source) throws IOException {
        DpaProcess process = DpaProcess.open(OPTIONS, ProgramImage.globals(64), RunMode.fast());
        try (CompiledProgram program = CompiledProgram.of(directory, source)) {
            process.load(program.type()).setUp(process);
        }
        return process;
    }

    /// A kernel that does this with the thread `t`, and members of its class.
    private static String kernel(String statements, String... members) {
        return """
        public class P implements DpaProgram {
            %s
            public void setUp(DpaProcess p) {
                p.thread("t", t -> kernel(t));
            }
            void kernel(DpaThread t) {
                %s // here
            }
        }
        """
                .formatted(String.join("\n", members), statements);
    }

    static List<Arguments> forbidden() {
        return List.of(
                arguments(
                        kernel("new Thread(() -> {}).start();"),
                        "makes an object of class java.lang.Thread"),
                arguments(
                        kernel("t.store64(0, System.nanoTime());"),
                        "calls java.lang.System.nanoTime"),
                arguments(
                        kernel("System.out.close();"),
                        "reads the static field java.lang.System.out"),
                arguments(kernel("Math.random();"), "calls java.lang.Math.random"),
                arguments(
                        kernel("Integer.getInteger(\"a\");"), "calls java.lang.Integer.getInteger"),
                arguments(kernel("getClass().getMethods();"), "calls java.lang.Class.getMethods"),
                arguments(kernel("new java.io.File(\"a\").delete();"), "java.io.File"),
                arguments(
                        kernel(
                                "t.store64(0, n.get());",
                                "java.util.concurrent.atomic.AtomicLong n;"),
                        "calls java.util.concurrent.atomic.AtomicLong.get"),
                arguments(
                        kernel("t.store64(0, n);", "static long n;"), "reads the static field P.n"),
                arguments(kernel("n = 1;", "static long n;"), "writes the static field P.n"),
                arguments(kernel("n = 1;", "long n;"), "writes the field P.n"),
                arguments(
                        kernel("n[0] = 1;", "final long[] n = {0};"),
                        "writes an element of an array"),
                arguments(
                        kernel("N[0] = 1;", "static final long[] N = {0};"),
                        "writes an element of an array"),
                arguments(
                        kernel("set(n);", "final long[] n = {0}; void set(long[] m) { m[0] = 1; }"),
                        "writes an element of an array"),
                arguments(
                        kernel(
                                "long[] m = t.unit() > 0 ? new long[1] : n; m[0] = 1;",
                                "final long[] n = {0};"),
                        "writes an element of an array"),
                arguments(
                        kernel("n[0][0] = 1;", "final long[][] n = {{0}};"),
                        "writes an element of an array"),
                arguments(
                        kernel("get().n = 1;", "long n; final P p = this; P get() { return p; }"),
                        "writes the field P.n"),
                arguments(
                        kernel("r.run();", "final Runnable r = System::gc;"),
                        "calls java.lang.Runnable.run"),
                arguments(
                        kernel("Runnable r = System::gc; r.run();"),
                        "refers to java.lang.System.gc"),
                arguments(kernel("String s = \"a\" + t;"), "calls java.lang.String.valueOf"),
                arguments(kernel("synchronized (this) { t.number(); }"), "catches everything"),
                arguments(kernel("go();", "synchronized void go() {}"), "it is synchronized"),
                arguments(kernel("go();", "native void go();"), "it is native"),
                arguments(
                        kernel("try { t.number(); } catch (Throwable e) {}"),
                        "catches java.lang.Throwable"),
                arguments(
                        kernel("try { t.number(); } catch (Error e) {}"),
                        "catches java.lang.Error"),
                arguments(
                        kernel("try { t.number(); } finally { t.unit(); }"),
                        "catches everything, as finally does"),
                arguments(
                        kernel(
                                "I i = x -> System.gc(); i.go(1);",
                                "interface I { void go(int x); }"),
                        "calls java.lang.System.gc"),
                arguments(
                        kernel(
                                "i.go(1);",
                                "interface I { void go(int x); } final I i = x -> System.gc();"),
                        "calls java.lang.System.gc"),
                arguments(
                        kernel(
                                "new Q().exit();",
                                "static class Q extends java.util.ArrayList<Long> {"
                                        + " void exit() { clear(); } }"),
                        "calls java.util.ArrayList"));
    }

    @ParameterizedTest
    @MethodSource("forbidden")
    @Requirement("DPA-JK-8")
    void whatAKernelMustNotTouchRefusesTheProgram(String source, String found) {
        assertThatThrownBy(() -> load(source))
                .isInstanceOf(RefusedProgramException.class)
                .hasMessageContaining("Kernel code in class P")
                .hasMessageContaining(", method ")
                .hasMessageContaining("P.java:")
                .hasMessageContaining(found)
                .hasMessageContaining("Valid: ");
    }

    @Test
    @Requirement("DPA-JK-8")
    void theMessageNamesClassMethodAndLine() {
        String source = kernel("System.gc();");
        int line = CompiledProgram.line(source, "// here");
        assertThatThrownBy(() -> load(source))
                .hasMessage(
                        "Kernel code in class P, method kernel (P.java:%d): calls java.lang.System.gc."
                                        .formatted(line)
                                + " Valid: methods of the program, of DpaThread, AddressMap, Doorbell,"
                                + " DpaFxp and DpaAddr, of dpa.nic.layout, dpa.flexio.dev and dpa.doca.dev,"
                                + " java.lang.Math, and the static methods of Integer, Long and their"
                                + " like");
    }

    /// A NIC and a kernel that share a field.
    @Test
    @Requirement("DPA-JK-8")
    void aFieldThatANicWritesIsNotForKernels() {
        String source =
                """
                public class P implements DpaProgram {
                    long n;
                    public void setUp(DpaProcess p) {
                        p.thread("t", t -> t.store64(0, n));
                        p.nic("nic", nic -> n = nic.actor());
                    }
                }
                """;
        assertThatThrownBy(() -> load(source))
                .hasMessageContaining("reads the field P.n, which a NIC or a host writes");
    }

    static List<String> allowed() {
        return List.of(
                kernel(
                        "t.store64(AddressMap.GLOBALS, K + n + a[1] + A[0]);",
                        "static final long K = 3; static final long[] A = {1};"
                                + " long n; long[] a = {1, 2}; { n = 1; }"),
                kernel(
                        "long[] m = new long[2]; add(m, 7); t.store64(AddressMap.GLOBALS, m[1]);",
                        "static void add(long[] m, long n) { m[1] += n; }"),
                kernel(
                        "Q q = new Q(t); q.n += 6; q.next(t); t.store64(AddressMap.GLOBALS, q.n);",
                        "static class Q { long n; Q(DpaThread t) { n = t.number(); }"
                                + " void next(DpaThread t) { n++; } }"),
                kernel(
                        "java.util.function.LongUnaryOperator f = x -> x + 1;"
                                + " t.store64(AddressMap.GLOBALS, f.applyAsLong(6));"),
                kernel(
                        "try { t.store64(AddressMap.GLOBALS, 7 / t.number()); }"
                                + " catch (ArithmeticException e) { t.store64(AddressMap.GLOBALS, 7); }"),
                kernel(
                        "if (t.number() > 0) { throw new IllegalStateException(\"no \" + t.number()); }"
                                + " t.store64(AddressMap.GLOBALS, Math.max(7, Long.bitCount(7)));"),
                kernel(
                        "t.store64(AddressMap.GLOBALS, switch (E.values()[1]) { case A -> 1; case B -> 7; });",
                        "enum E { A, B }"),
                kernel(
                        "t.store64(AddressMap.GLOBALS, s instanceof C c ? c.n() : 0);",
                        "sealed interface S permits C {} record C(long n) implements S {}"
                                + " final S s = new C(7);"),
                kernel(
                        "t.store64(g.plus(0).value(), 7);",
                        "@dev.outboard.dpacc.DpaGlobalVar(bytes = 8) static"
                                + " dev.outboard.dpacc.DpaAddr g ="
                                + " new dev.outboard.dpacc.DpaAddr(AddressMap.GLOBALS);"),
                kernel(
                        "DoorbellRecord.producerIndex(t, AddressMap.GLOBALS);"
                                + " t.store64(AddressMap.GLOBALS, 7);"),
                kernel(
                        "t.store64(AddressMap.GLOBALS, i.go(6));",
                        "interface I { long go(long x); } final I i = x -> x + 1;"));
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void aKernelMayComputeAndKeepWhatItMakes(String source) throws IOException {
        DpaProcess process = load(source);
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(process.read64(AddressMap.GLOBALS)).isEqualTo(7);
    }

    @Test
    void setUpAndHostMayBeAnyCode() throws IOException {
        String source =
                """
                public class P implements DpaProgram {
                    static long made = System.nanoTime();
                    long n;
                    public void setUp(DpaProcess p) {
                        synchronized (this) { made++; }
                        p.thread("t", t -> t.store64(AddressMap.GLOBALS, 7));
                        p.host("host", host -> {
                            try { n = new java.util.ArrayList<>(java.util.List.of(1)).size(); }
                            finally { made++; }
                        });
                    }
                }
                """;
        assertThat(load(source).run().end()).isEqualTo(End.DONE);
    }

    /// A lambda and an object of a class of the machine's own tests.
    @Test
    @Requirement("DPA-JK-8")
    void aKernelOfAnotherProgramIsRefused() throws IOException {
        DpaProcess process = load(kernel("t.number();"));
        assertThatThrownBy(() -> process.thread("foreign", thread -> thread.number()))
                .isInstanceOf(RefusedProgramException.class)
                .hasMessageContaining(
                        "Thread 'foreign': class dev.outboard.dpa.machine.KernelCheckTest")
                .hasMessageContaining("name the class to load, too");
    }

    @Test
    void aTrustedProgramIsNotChecked() throws IOException {
        DpaProcess process = DpaProcess.open(OPTIONS, ProgramImage.globals(64), RunMode.fast());
        String source = kernel("t.store64(AddressMap.GLOBALS, System.nanoTime() | 1);");
        try (CompiledProgram program = CompiledProgram.of(directory, source)) {
            process.loadTrusted(program.type()).setUp(process);
        }
        assertThat(process.run().end()).isEqualTo(End.DONE);
        assertThat(process.read64(AddressMap.GLOBALS)).isNotZero();
    }

    static List<RunMode> modes() {
        return ProcessFixture.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-JK-6", "DPA-ERR-14b"})
    void aCallOfTheHostInAKernelIsAFault(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        CrashReport crash = fixture.crash(thread -> fixture.process.read64(AddressMap.HEAP));
        assertThat(crash.fault()).isEqualTo(Fault.HOST_CALL);
        assertThat(crash.fault().code()).isEqualTo(70);
        assertThat(crash.detail()).isEqualTo("read of DpaProcess is for the host only");
        assertThat(crash.place().file()).isEqualTo("KernelCheckTest.java");
    }

    @Test
    @Requirement({"DPA-JK-6", "DPA-ERR-14b"})
    void aCheckedProgramFaultsAtACallOfTheHost() throws IOException {
        String source =
                """
                public class P implements DpaProgram {
                    public void setUp(DpaProcess p) {
                        p.thread("t", t -> p.thread("another", u -> {}));
                    }
                }
                """;
        RunResult result = load(source).run();
        assertThat(result.crash().orElseThrow().fault()).isEqualTo(Fault.HOST_CALL);
    }
}
