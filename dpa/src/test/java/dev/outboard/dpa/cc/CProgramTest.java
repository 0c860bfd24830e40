package dev.outboard.dpa.cc;

import static dev.outboard.dpa.cc.Clang.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Functions in C, compiled by the clang of this machine, that the host calls.
class CProgramTest {
    private static final String SOURCE =
            """
            #include <dpaintrin.h>
            #include <libflexio-dev/flexio_dev.h>
            #include <string.h>

            struct __dpa_global__ pair {
                uint32_t first;
                uint64_t second;
            };
            struct __dpa_global__ large {
                uint64_t words[3];
            };
            static uint64_t calls = 40;
            static uint64_t untouched;
            const char text[] = "text";

            __dpa_rpc__ uint64_t count(void)
            {
                untouched++;
                return ++calls;
            }

            __dpa_rpc__ uint64_t narrow(int8_t a, uint8_t b, int16_t c, uint32_t d, bool_t e)
            {
                return (uint64_t)a + b + c + d + e;
            }

            __dpa_rpc__ uint64_t many(uint64_t a, struct pair b, struct large c, uint64_t d, uint64_t e,
                                      uint64_t f, uint64_t g, uint64_t h)
            {
                return a + 10 * b.first + 100 * b.second + 1000 * c.words[2] + 10000 * d
                        + 100000 * e + 1000000 * f + 10000000 * g + 100000000 * h;
            }

            __dpa_rpc__ uint64_t length(void)
            {
                char copy[16];
                strncpy(copy, text, sizeof(copy));
                return strlen(copy) + __dpa_fxp_log2(256) / 65536;
            }

            __dpa_rpc__ uint64_t increment(uint64_t address, uint32_t window, uint32_t key)
            {
                struct flexio_dev_thread_ctx *context;
                flexio_uintptr_t pointer;
                flexio_dev_get_thread_ctx(&context);
                if (flexio_dev_window_config(context, window, key) != FLEXIO_DEV_STATUS_SUCCESS) {
                    return 0;
                }
                flexio_dev_window_ptr_acquire(context, address, &pointer);
                uint64_t value = ++*(volatile uint64_t *)pointer;
                __dpa_thread_window_writeback();
                return value;
            }

            __dpa_rpc__ uint64_t wild(void)
            {
                *(volatile uint64_t *)8 = 1;
                return 0;
            }

            __dpa_rpc__ uint64_t look(void)
            {
                return *(volatile uint64_t *)8;
            }

            __dpa_rpc__ uint64_t misaligned_load(void)
            {
                return *(volatile uint64_t *)((uint64_t)&calls + 4);
            }

            __dpa_rpc__ uint64_t misaligned_store(void)
            {
                *(volatile uint16_t *)((uint64_t)&calls + 1) = 1;
                return 0;
            }

            __dpa_rpc__ uint64_t closed_window(void)
            {
                return *(volatile uint64_t *)(1ul << 63);
            }

            __dpa_rpc__ uint64_t closed_outbox(void)
            {
                *(volatile uint64_t *)0x200000001c0 = 0;
                return 0;
            }

            __dpa_rpc__ uint64_t illegal(void)
            {
                __asm__ volatile(".word 0");
                return 0;
            }

            __dpa_rpc__ uint64_t jump(void)
            {
                return ((uint64_t(*)(void))&calls)();
            }

            static uint64_t deeper(uint64_t depth)
            {
                volatile uint64_t room[64];
                room[depth % 64] = depth;
                return deeper(depth + 1) + room[depth % 64];
            }

            __dpa_rpc__ uint64_t deep(void)
            {
                return deeper(0);
            }

            __dpa_rpc__ uint64_t constant(void)
            {
                *(volatile char *)text = 1;
                return 0;
            }
            """
                    .replace("bool_t", "_Bool");

    @TempDir private Path directory;
    private DeviceCompiler compiler;

    @BeforeEach
    void find() {
        compiler = Clang.orSkip();
    }

    private DpaApp<DpaThread> compile(String source, String... options) throws IOException {
        Path file = Files.writeString(directory.resolve("kernel.c"), source);
        byte[] elf =
                compiler.compile(new DeviceSources(List.of(file), List.of(), List.of(options)));
        return CProgram.app("kernel", elf);
    }

    /// Each position that samples use, and none for an enum; in front of the keyword a marker does
    /// nothing.
    @Test
    @Requirement("DPA-CC-6")
    void markersStandWhereSamplesPutThem() throws IOException {
        DpaApp<DpaThread> app =
                compile(
                        """
                        #include <dpaintrin.h>
                        struct __dpa_global__ a { int v; };
                        struct b { int v; } __dpa_global__;
                        union __dpa_global__ c { int v; };
                        __dpa_global__ typedef struct { int v; } d;
                        typedef struct { int v; } __dpa_global__ e;
                        enum f { F };
                        __dpa_global__ void before(struct a a, struct b b, union c c) { }
                        void __dpa_global__ after(d d, e e, enum f f) { }
                        __dpa_rpc__ uint64_t rpc_before(void) { return 1; }
                        uint64_t __dpa_rpc__ rpc_after(void) { return 1; }
                        """);
        assertThat(app.functions())
                .extracting(DpaFunction::name)
                .containsExactlyInAnyOrder("before", "after", "rpc_before", "rpc_after");
        assertThatThrownBy(() ->
                        compile(
                                """
                                #include <dpaintrin.h>
                                __dpa_global__ struct a { int v; };
                                __dpa_global__ void f(struct a a) { }
                                """))
                .isInstanceOf(CompileException.class)
                .hasMessageContaining("'struct a', which is not marked");
    }

    @Test
    @Requirement("DPA-CC-9")
    void argumentsAreThoseOfTheMomentOfTheCall() throws IOException {
        DpaApp<DpaThread> app = compile(SOURCE);
        DpaFunction<DpaThread> function = app.function("narrow");
        ByteBuffer bytes = ByteBuffer.allocate(function.arguments().bytes());
        bytes.put(0, (byte) 5);
        DpaCall<DpaThread> call = new DpaCall<>(function, bytes);
        bytes.put(0, (byte) 99);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app)) {
            assertThat(process.call(call)).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-O0", "-O2", "-gdwarf-4"})
    @Requirement({"DPA-HW-10b", "DPA-CC-7", "DPA-CC-10"})
    void functionsGetWhatTheHostPasses(String option) throws IOException {
        DpaApp<DpaThread> app = compile(SOURCE, option);
        for (RunMode mode : List.of(RunMode.fast(), RunMode.check(Observer.NONE, 1))) {
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process =
                            FlexioProcess.create(
                                    host, DpaDevice.of(MachineOptions.DEFAULT, mode), app)) {
                assertThat(call(process, app, "count")).isEqualTo(41);
                assertThat(call(process, app, "count")).isEqualTo(42);
                assertThat(call(process, app, "narrow", -1, 255, -1, 0xFFFF_FFFFL, 1))
                        .isEqualTo(-1 + 255 - 1 + 0xFFFF_FFFFL + 1);
                assertThat(call(process, app, "many", 1, 2, 3, 7, 7, 4, 5, 6, 7, 8, 9))
                        .isEqualTo(987_654_321L);
                assertThat(call(process, app, "length")).isEqualTo(4 + 8);
            }
        }
    }

    @Test
    void aWindowIsReachedByPointers() throws IOException {
        DpaApp<DpaThread> app = compile(SOURCE);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app)) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "word", ExternalKind.HOST, 8);
            buffer.store64(0, 6);
            int key =
                    FlexioMkey.create(process.domain(), buffer, 0, 8, Access.LOCAL_WRITE).number();
            int window = FlexioWindow.create(process, process.domain()).number();
            long address = buffer.address().value();
            assertThat(call(process, app, "increment", address, window, key)).isEqualTo(7);
            assertThat(buffer.load64(0)).isEqualTo(7);
            assertThat(call(process, app, "increment", address, window, key + 99)).isZero();
        }
    }

    /// With the codes that a kernel in Java gets.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "illegal, code 1)",
                "misaligned_load, code 2)",
                "misaligned_store, code 3)",
                "look, code 4)",
                "wild, code 5)",
                "jump, code 6)",
                "closed_window, code 8)",
                "closed_outbox, code 10)",
                "deep, code 12)",
                "constant, code 15)"
            })
    @Requirement("DPA-JK-5")
    void whatIsForbiddenEndsTheProcess(String what) throws IOException {
        String[] parts = what.split(", ", 2);
        DpaApp<DpaThread> app = compile(SOURCE);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app)) {
            assertThatThrownBy(() -> call(process, app, parts[0]))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining(parts[1])
                    .hasMessageContaining("pc 0x");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "__dpa_global__ int f(void) { return 1; }"
                        + "|kernel.c:2: function 'f' is __dpa_global__ and returns 'int'; valid: void",
                "__dpa_rpc__ int f(void) { return 1; }"
                        + "|kernel.c:2: function 'f' is __dpa_rpc__ and returns 'int'; valid: uint64_t",
                "__dpa_global__ void f(double a) { }"
                        + "|kernel.c:2: function 'f' takes 'a' of type 'double'; valid: integers of 1, 2, 4 and 8 bytes, bool, enums, pointers, marked structs and unions",
                "struct s { int a; }; __dpa_global__ void f(struct s a) { }"
                        + "|kernel.c:2: function 'f' takes 'a' of type 'struct s', which is not marked; mark it __dpa_global__",
                "struct __dpa_global__ s { int a : 3; }; __dpa_global__ void f(struct s b) { }"
                        + "|kernel.c:2: function 'f' takes 'b' of type 'struct s', which has a bit-field 'a'; valid: members of whole bytes",
                "__dpa_global__ void f(int a, ...) { }"
                        + "|kernel.c:2: function 'f' takes any number of arguments; valid: a fixed number",
                "struct __dpa_global__ s { int n; int a[]; }; __dpa_global__ void f(struct s b) { }"
                        + "|kernel.c:2: function 'f' takes 'b.a' of type 'int[]'; valid: integers of 1, 2, 4 and 8 bytes, bool, enums, pointers, marked structs and unions"
            })
    @Requirement({"DPA-CC-4", "DPA-CC-5", "DPA-CC-7", "DPA-CC-8"})
    void whatCannotBeCalledIsRefused(String text) {
        String[] parts = text.split("\\|");
        assertThatThrownBy(() -> compile("#include <dpaintrin.h>\n" + parts[0]))
                .isInstanceOf(CompileException.class)
                .hasMessageEndingWith(parts[1]);
    }

    @Test
    void whatDoesNotCompileIsToldByLine() {
        assertThatThrownBy(() -> compile("int f(void)\n{ return x; }"))
                .isInstanceOf(CompileException.class)
                .hasMessageContaining("kernel.c:2:")
                .hasMessageContaining("use of undeclared identifier 'x'");
        assertThatThrownBy(() -> compile("extern int g(void); int f(void) { return g(); }"))
                .isInstanceOf(CompileException.class)
                .hasMessageEndingWith(
                        "kernel.c:1: function 'f' uses 'g', an undefined symbol; compile the source that defines it, too");
    }
}
