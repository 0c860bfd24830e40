package dev.outboard.dpacc.processor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import org.junit.jupiter.api.Test;

/// What the methods of a program do: which fields they use, and what their lambdas capture.
class BodyCheckTest {
    private static final String HEAD =
            """
            package demo;
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            """;

    private static final String VALID =
            ": a kernel reads constants, its globals marked @DpaGlobalVar and components of"
                    + " records; all else that is shared it reaches through its DpaThread";

    private static String program(String members) {
        return HEAD + "@DpaProgram(\"p\")\nclass P {\n%s\n}\n".formatted(members);
    }

    private static void assertRefused(String members, String... messages) {
        assertThat(Compilation.of(program(members)).diagnostics())
                .containsExactlyInAnyOrderElementsOf(
                        List.of(messages).stream().map(each -> "ERROR !: " + each).toList());
    }

    private static void assertAccepted(String... sources) {
        assertThat(Compilation.of(sources).diagnostics()).isEmpty();
    }

    @Test
    @Requirement("DPA-JK-4b")
    void aFieldThatIsNoConstantIsNotRead() {
        assertRefused(
                """
                static long count;
                @DpaRpc static long f(DpaThread t) {
                    return count; // !
                }
                """,
                "Program demo.P reads the field demo.P.count, which is no constant" + VALID);
        assertRefused(
                """
                static final long[] TABLE = {1, 2};
                @DpaRpc static long f(DpaThread t) { return helper(1); }
                static long helper(int i) {
                    return P.TABLE[i]; // !
                }
                """,
                "Program demo.P reads the field demo.P.TABLE, which is no constant" + VALID);
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    System.out.println(1); // !
                }
                """,
                "Program demo.P reads the field java.lang.System.out, which is no constant"
                        + VALID);
    }

    @Test
    @Requirement("DPA-JK-4b")
    void classesInAProgramAreLookedAtToo() {
        assertRefused(
                """
                static class Counter {
                    int now;
                    int get() {
                        return this.now; // !
                    }
                }
                """,
                "Program demo.P reads the field demo.P.Counter.now, which is no constant" + VALID);
        assertRefused(
                """
                static int state;
                @DpaType record R(int a) {
                    int more() {
                        return a + state; // !
                    }
                }
                """,
                "Program demo.P reads the field demo.P.state, which is no constant" + VALID);
        assertRefused(
                """
                static int state;
                static java.util.function.IntSupplier f() {
                    return () -> state; // !
                }
                """,
                "Program demo.P reads the field demo.P.state, which is no constant" + VALID);
    }

    @Test
    @Requirement("DPA-JK-4b")
    void aFieldIsNotWritten() {
        String message =
                "Program demo.P writes the field demo.P.%s: a kernel writes no field; what is shared"
                        + " it stores through its DpaThread";
        for (String write : List.of("n = 1", "P.n = 1", "n += 2", "n++", "--n", "n <<= 1")) {
            assertRefused(
                    """
                    static int n;
                    @DpaGlobal static void f(DpaThread t) {
                        %s; // !
                    }
                    """
                            .formatted(write),
                    message.formatted("n"));
        }
        assertRefused(
                """
                @DpaGlobalVar(bytes = 8) static DpaAddr g;
                @DpaGlobal static void f(DpaThread t) {
                    g = new DpaAddr(1); // !
                }
                """,
                message.formatted("g"));
    }

    @Test
    @Requirement("DPA-JK-4b")
    void aGlobalOfAnotherProgramIsNotRead() {
        assertThat(
                        Compilation.of(
                                        HEAD
                                                + """
                                                @DpaProgram("q")
                                                class Q {
                                                    @DpaGlobalVar(bytes = 8) static DpaAddr g;
                                                }
                                                """,
                                        program(
                                                """
                                                @DpaRpc static long f(DpaThread t) {
                                                    return Q.g.value(); // !
                                                }
                                                """))
                                .diagnostics())
                .containsExactly(
                        "ERROR !: Program demo.P reads the field demo.Q.g, a global of another"
                                + " program"
                                + VALID);
    }

    @Test
    @Requirement("DPA-JK-4b")
    void constantsGlobalsComponentsAndLocalValuesAreRead() {
        assertAccepted(
                HEAD + "\nfinal class Other { static final String NAME = \"a\" + 1; }\n",
                program(
                        """
                        private static final int SIZE = 4 * Long.BYTES;
                        enum Mode { ON, OFF }
                        @DpaGlobalVar(bytes = 8) static DpaAddr g;
                        @DpaGlobalVar(bytes = 8) static DpaAddr h = new DpaAddr(0);
                        @DpaType record R(int a, long b) {
                            R { a = a & 1; }
                            R(int a) { this(a, SIZE); }
                            long sum() { return a + this.b; }
                        }
                        record Own(int c) {
                            Own(int c) { this.c = c; }
                        }
                        @DpaRpc static long f(DpaThread t, R r) {
                            int[] local = new int[SIZE];
                            local[0]++;
                            local[1] = Mode.ON.ordinal() + Other.NAME.length();
                            long sum = r.sum() + local.length + g.value() + P.h.value();
                            for (int each : local) sum += each;
                            if (t instanceof Object o && o != P.class) sum++;
                            switch (Mode.OFF) { case ON -> sum++; case OFF -> sum--; }
                            assert sum > 0 : "sum";
                            return sum;
                        }
                        """));
    }

    @Test
    @Requirement("DPA-JK-3f")
    void aLambdaCapturesNothing() {
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t, int n) {
                    Runnable r = () -> t.got(n); // !
                }
                """,
                captures("A lambda", "t"),
                captures("A lambda", "n"));
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    long local = 1;
                    java.util.function.LongUnaryOperator o = a -> {
                        long own = a;
                        return own + local + local; // !
                    };
                }
                """,
                captures("A lambda", "local"));
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    java.util.function.IntFunction<java.util.function.IntSupplier> o =
                            a -> () -> a; // !
                }
                """,
                captures("A lambda", "a"));
    }

    @Test
    @Requirement("DPA-JK-3f")
    void aClassInAMethodCapturesNothing() {
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    new Object() {
                        void g() { t.got(1); } // !
                    }.g();
                }
                """,
                captures("An anonymous class", "t"));
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    class Local {
                        void g() { t.got(1); } // !
                    }
                    new Local().g();
                }
                """,
                captures("Class Local", "t"));
    }

    @Test
    @Requirement("DPA-JK-3f")
    void aMethodReferenceCapturesNothing() {
        String message =
                "A method reference in program demo.P captures %s: code of the device has no"
                        + " closures, pass the value as an argument";
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    java.util.function.Consumer<Object> c = t::got; // !
                }
                """,
                message.formatted("t"));
        assertRefused(
                """
                @DpaGlobal static void f(DpaThread t) {
                    java.util.function.Supplier<String> s = new Object()::toString; // !
                }
                """,
                message.formatted("new Object()"));
    }

    private static String captures(String what, String variable) {
        return "%s in program demo.P captures the variable %s: code of the device has no closures,"
                        .formatted(what, variable)
                + " pass the value as an argument";
    }

    @Test
    @Requirement("DPA-JK-3f")
    void whatCapturesNothingIsAccepted() {
        assertAccepted(
                program(
                        """
                        static final int STEP = 3;
                        static int twice(int a) { return 2 * a; }
                        static int apply(java.util.function.IntUnaryOperator o, int a) {
                            return o.applyAsInt(a);
                        }
                        @DpaRpc static long f(DpaThread t, int n) {
                            java.util.function.IntFunction<int[]> make = int[]::new;
                            java.util.function.Supplier<java.util.ArrayList<String>> list =
                                    java.util.ArrayList<String>::new;
                            java.util.function.ToIntFunction<String> length = String::length;
                            Object own = new Object() {
                                @Override public String toString() { int i = STEP; return "" + i; }
                            };
                            return apply(P::twice, n) + apply(a -> { int b = a; return b + STEP; }, n);
                        }
                        """));
    }

    /// Other classes are no code of the device.
    @Test
    void otherClassesReadWhatTheyLike() {
        assertAccepted(
                program(""),
                HEAD + "\nclass Host { static int n; static int f(int a) { return n += a; } }\n");
    }

    @Test
    void aCompilerThatShowsNoBodiesIsWarnedOfOnce() {
        Compilation compilation =
                Compilation.of(
                        List.of(new Veiled()),
                        Map.of(),
                        program("static int n; static int f() { return n; }"),
                        HEAD + "@DpaProgram(\"q\")\nclass Q {}\n");

        assertThat(compilation.diagnostics())
                .containsExactly(
                        "WARNING -1: This compiler shows no method bodies to annotation processors:"
                                + " the fields that DPA programs use, and what their lambdas"
                                + " capture, are checked when they are loaded");
        assertThat(compilation.written()).containsExactly("demo.PStub", "demo.QStub");
    }

    /// The processor in a compiler that is not the JDK's.
    @SupportedAnnotationTypes("*")
    private static final class Veiled extends AbstractProcessor {
        private final StubProcessor behind = new StubProcessor();

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return behind.getSupportedSourceVersion();
        }

        @Override
        public synchronized void init(ProcessingEnvironment environment) {
            behind.init(
                    (ProcessingEnvironment)
                            Proxy.newProxyInstance(
                                    getClass().getClassLoader(),
                                    new Class<?>[] {ProcessingEnvironment.class},
                                    (proxy, method, arguments) -> {
                                        try {
                                            return method.invoke(environment, arguments);
                                        } catch (InvocationTargetException e) {
                                            throw e.getCause();
                                        }
                                    }));
        }

        @Override
        public boolean process(Set<? extends TypeElement> types, RoundEnvironment round) {
            behind.process(types, round);
            return false;
        }
    }
}
