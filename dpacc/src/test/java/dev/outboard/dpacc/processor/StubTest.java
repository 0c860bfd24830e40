package dev.outboard.dpacc.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaFunction.Kind;
import dev.outboard.dpacc.DpaLayout;
import dev.outboard.dpacc.DpaLayout.Field;
import dev.outboard.dpacc.DpaScalar;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Stubs of programs that are right: what they look like, and that they work.
class StubTest {
    private static final String HEAD =
            """
            package demo;
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            """;

    /// One of each kind, with a global and a method that is nobody's entry point.
    private static final String SMALL =
            HEAD
                    + """
                    @DpaProgram("small")
                    public final class Small {
                        @DpaGlobalVar(bytes = 9) static DpaAddr first;
                        @DpaGlobalVar(bytes = 4) static DpaAddr second;
                        @DpaRpc static long add(DpaThread thread, int bytes, boolean up) {
                            thread.got(second);
                            return up ? next(bytes) : bytes;
                        }
                        @DpaGlobal static void tick(DpaThread thread) { thread.got("tick"); }
                        static long next(int value) { return value + 1L; }
                    }
                    """;

    private static final String WRITTEN =
            """
            // Written by dev.outboard.dpacc from Small.
            package demo;

            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.DpaAddr;
            import dev.outboard.dpacc.DpaApp;
            import dev.outboard.dpacc.DpaCall;
            import dev.outboard.dpacc.DpaFunction;
            import dev.outboard.dpacc.DpaLayout;
            import dev.outboard.dpacc.DpaScalar;
            import java.nio.ByteBuffer;
            import java.nio.ByteOrder;
            import java.util.List;

            /// What the host calls the DPA program `small` of [Small] by.
            public final class SmallStub {
                /// The function `add`.
                public static final DpaFunction<DpaThread> add = new DpaFunction<>(
                        "small",
                        "add",
                        DpaFunction.Kind.RPC,
                        new DpaLayout(8, List.of(
                                new DpaLayout.Field("bytes", DpaScalar.INT, 0),
                                new DpaLayout.Field("up", DpaScalar.BOOLEAN, 4))),
                        (thread, arguments) -> {
                            return Small.add(thread, arguments.getInt(0), arguments.get(4) != 0);
                        });

                /// The function `tick`.
                public static final DpaFunction<DpaThread> tick = new DpaFunction<>(
                        "small",
                        "tick",
                        DpaFunction.Kind.GLOBAL,
                        new DpaLayout(0, List.of()),
                        (thread, arguments) -> {
                            Small.tick(thread);
                            return 0;
                        });

                /// The program.
                public static final DpaApp<DpaThread> APP = new DpaApp<>(
                        "small",
                        List.of(SmallStub.class, Small.class),
                        List.of(add, tick),
                        24,
                        first -> {
                            Small.first = first.plus(0);
                            Small.second = first.plus(16);
                        });

                private SmallStub() {}

                /// A call of `add`.
                public static DpaCall<DpaThread> add(int bytes, boolean up) {
                    ByteBuffer bytes_ = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
                    bytes_.putInt(0, bytes);
                    bytes_.put(4, (byte) (up ? 1 : 0));
                    return new DpaCall<>(SmallStub.add, bytes_);
                }

                /// A call of `tick`.
                public static DpaCall<DpaThread> tick() {
                    ByteBuffer bytes = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);
                    return new DpaCall<>(SmallStub.tick, bytes);
                }
            }
            """;

    private final List<Object> got = new ArrayList<>();

    private Class<?> load(String stub, String... sources) throws ClassNotFoundException {
        Compilation compilation = Compilation.of(sources);
        assertThat(compilation.diagnostics()).isEmpty();
        return Class.forName(stub, true, compilation.load());
    }

    /// Runs a call on a thread that remembers what it got.
    @SuppressWarnings({"unchecked", "rawtypes"})
    private long run(Object call) throws ClassNotFoundException {
        DpaCall<Object> made = (DpaCall) call;
        ClassLoader loader = made.function().body().getClass().getClassLoader();
        Class<?> type = loader.loadClass("dev.outboard.dpa.machine.DpaThread");
        Object thread =
                Proxy.newProxyInstance(
                        loader,
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            got.add(arguments[0]);
                            return null;
                        });
        return made.run(thread);
    }

    private static String hex(Object call) {
        ByteBuffer arguments = ((DpaCall<?>) call).arguments();
        byte[] bytes = new byte[arguments.remaining()];
        arguments.get(0, bytes);
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    @Test
    @Requirement({"DPA-JK-1a", "DPA-JK-1b"})
    void aStubHasAConstantAndAMethodForEachMarkedMethod() throws Exception {
        assertThat(Compilation.of(SMALL).stub("demo.SmallStub")).isEqualTo(WRITTEN);
        Class<?> stub = load("demo.SmallStub", SMALL);

        DpaApp<?> app = (DpaApp<?>) Compilation.constant(stub, "APP");
        assertThat(app.name()).isEqualTo("small");
        assertThat(app.functions())
                .extracting(DpaFunction::toString, DpaFunction::kind)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("small.add", Kind.RPC),
                        org.assertj.core.groups.Tuple.tuple("small.tick", Kind.GLOBAL));
        assertThat(app.classes())
                .extracting(Class::getName)
                .containsExactly("demo.SmallStub", "demo.Small");
        assertThat(app.function("tick")).isSameAs(Compilation.constant(stub, "tick"));

        assertThat(run(Compilation.call(stub, "add", 41, true))).isEqualTo(42);
        assertThat(run(Compilation.call(stub, "add", -3, false))).isEqualTo(-3);
        assertThat(run(Compilation.call(stub, "tick"))).isZero();
        assertThat(got).contains("tick");
    }

    @Test
    @Requirement("DPA-JK-4a")
    void globalsLieOneAfterTheOtherWhereTheProcessSays() throws Exception {
        Class<?> stub = load("demo.SmallStub", SMALL);
        DpaApp<?> app = (DpaApp<?>) Compilation.constant(stub, "APP");
        assertThat(app.globalBytes()).isEqualTo(24);

        app.placeGlobals(new DpaAddr(0x1000));
        Class<?> program = app.classes().getLast();
        assertThat(Compilation.constant(program, "first")).hasToString("0x1000");
        assertThat(Compilation.constant(program, "second")).hasToString("0x1010");
        assertThat(run(Compilation.call(stub, "add", 1, false))).isEqualTo(1);
        assertThat(got).containsExactly(new DpaAddr(0x1010));
    }

    @Test
    void aFunctionThatAnAppDoesNotHaveIsRefused() throws Exception {
        DpaApp<?> app = (DpaApp<?>) Compilation.constant(load("demo.SmallStub", SMALL), "APP");
        assertThatThrownBy(() -> app.function("sub"))
                .hasMessage("App small has no function sub, only add, tick");
    }

    @Test
    void argumentsOfAnotherSizeAreRefused() throws Exception {
        Class<?> stub = load("demo.SmallStub", SMALL);
        DpaFunction<?> add = (DpaFunction<?>) Compilation.constant(stub, "add");
        assertThatThrownBy(() -> new DpaCall<>(add, ByteBuffer.allocate(4)))
                .hasMessage("The arguments of function small.add are 8 bytes, not 4");
    }

    @Test
    void argumentsAreCopiedWhenTheCallIsMade() throws Exception {
        Class<?> stub = load("demo.SmallStub", SMALL);
        DpaFunction<?> add = (DpaFunction<?>) Compilation.constant(stub, "add");
        ByteBuffer mine = ByteBuffer.allocate(10).position(2);
        DpaCall<?> call = new DpaCall<>(add, mine);
        mine.put(2, (byte) 7);
        assertThat(hex(call)).isEqualTo("00 00 00 00 00 00 00 00");
        assertThat(call.arguments().isReadOnly()).isTrue();
        assertThat(mine.position()).isEqualTo(2);
    }

    /// Sizes and offsets by hand: `inner` is 6 bytes at 2, so `n` is at 8 and `at` at 16; the whole
    /// record is 32 bytes, so `b` is at 40 and `c` at 48.
    @Test
    @Requirement({"DPA-JK-2b", "DPA-JK-2c"})
    void argumentsLieWhereACCompilerPutsThem() throws Exception {
        String program =
                HEAD
                        + """
                        @DpaProgram("layout")
                        class Layout {
                            @DpaType record Inner(byte tag, short size, boolean last) {}
                            @DpaType record Outer(
                                boolean on, Inner inner, int n, DpaAddr at, byte end) {}
                            @DpaRpc static long f(
                                    DpaThread t, byte a, Outer o, short b, long c, int d) {
                                for (Object each : new Object[] {a, o, b, c, d}) t.got(each);
                                return c;
                            }
                        }
                        """;
        Class<?> stub = load("demo.LayoutStub", program);
        DpaFunction<?> f = (DpaFunction<?>) Compilation.constant(stub, "f");
        assertThat(f.arguments())
                .isEqualTo(
                        new DpaLayout(
                                64,
                                List.of(
                                        new Field("a", DpaScalar.BYTE, 0),
                                        new Field("o.on", DpaScalar.BOOLEAN, 8),
                                        new Field("o.inner.tag", DpaScalar.BYTE, 10),
                                        new Field("o.inner.size", DpaScalar.SHORT, 12),
                                        new Field("o.inner.last", DpaScalar.BOOLEAN, 14),
                                        new Field("o.n", DpaScalar.INT, 16),
                                        new Field("o.at", DpaScalar.ADDRESS, 24),
                                        new Field("o.end", DpaScalar.BYTE, 32),
                                        new Field("b", DpaScalar.SHORT, 40),
                                        new Field("c", DpaScalar.LONG, 48),
                                        new Field("d", DpaScalar.INT, 56))));

        Object inner = make(stub, "demo.Layout$Inner", (byte) -2, (short) 0x1234, true);
        Object outer =
                make(
                        stub,
                        "demo.Layout$Outer",
                        true,
                        inner,
                        0xA1B2C3D4,
                        new DpaAddr(0x8000_0000_0000_1000L),
                        (byte) 0x7F);
        Object call =
                Compilation.call(
                        stub,
                        "f",
                        (byte) 0x80,
                        outer,
                        (short) -2,
                        0x1122_3344_5566_7788L,
                        Integer.MIN_VALUE);

        assertThat(hex(call))
                .isEqualTo(
                        String.join(
                                " ",
                                "80 00 00 00 00 00 00 00",
                                "01 00 fe 00 34 12 01 00",
                                "d4 c3 b2 a1 00 00 00 00",
                                "00 10 00 00 00 00 00 80",
                                "7f 00 00 00 00 00 00 00",
                                "fe ff 00 00 00 00 00 00",
                                "88 77 66 55 44 33 22 11",
                                "00 00 00 80 00 00 00 00"));
        assertThat(run(call)).isEqualTo(0x1122_3344_5566_7788L);
        assertThat(got)
                .containsExactly(
                        (byte) 0x80, outer, (short) -2, 0x1122_3344_5566_7788L, Integer.MIN_VALUE);
    }

    private static Object make(Class<?> from, String record, Object... components)
            throws ReflectiveOperationException {
        var constructor = from.getClassLoader().loadClass(record).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(components);
    }

    /// Names that could hide others in a stub.
    @Test
    void namesOfArgumentsAndFunctionsAreThoseOfTheProgram() throws Exception {
        String program =
                HEAD
                        + """
                        @DpaProgram("names")
                        class Names {
                            @DpaRpc static long dev(
                                    DpaThread t, long bytes, long bytes_, DpaAddr java, long dev) {
                                return bytes + bytes_ * dev + java.value();
                            }
                        }
                        """;
        Class<?> stub = load("demo.NamesStub", program);
        assertThat(run(Compilation.call(stub, "dev", 1L, 10L, new DpaAddr(100), 5L)))
                .isEqualTo(151);
    }

    @Test
    void aProgramMayBeInTheUnnamedPackageAndUseRecordsOfOthers() throws Exception {
        String pair =
                """
                package other;
                public interface Types {
                    @dev.outboard.dpacc.DpaType record Pair(int a, int b) {}
                }
                """;
        String program =
                """
                import dev.outboard.dpa.machine.DpaThread;
                import dev.outboard.dpacc.*;
                @DpaProgram("_p1")
                class Plain {
                    @DpaRpc static long f(DpaThread t, other.Types.Pair p) { return p.a() - p.b(); }
                    @DpaRpc static long g(DpaThread t, other.Types.Pair p) { return p.b(); }
                }
                """;
        Class<?> stub = load("PlainStub", pair, program);
        Object made = make(stub, "other.Types$Pair", 9, 4);
        assertThat(run(Compilation.call(stub, "f", made))).isEqualTo(5);
        assertThat(run(Compilation.call(stub, "g", made))).isEqualTo(4);
        assertThat(Modifier.isPublic(stub.getModifiers())).isFalse();
    }
}
