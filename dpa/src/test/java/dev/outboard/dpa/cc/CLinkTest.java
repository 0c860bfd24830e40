package dev.outboard.dpa.cc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.testkit.Requirement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the linker does not find is told by file, line and function, with what to do.
class CLinkTest {
    @TempDir private Path directory;

    private void refused(String source, String... told) {
        DeviceCompiler compiler = Clang.orSkip();
        assertThatThrownBy(
                        () -> {
                            Path file = Files.writeString(directory.resolve("kernel.c"), source);
                            compiler.compile(DeviceSources.of(file));
                        })
                .isInstanceOf(CompileException.class)
                .hasMessageContainingAll(told)
                .hasMessageNotContainingAny(">>>", "ld.lld");
    }

    @Test
    void floatingPointIsTold() {
        refused(
                """
                double a(double x) { return x + 1; }
                float b(float x) { return x * 3; }
                double c(int x) { return x; }
                long d(double x) { return x; }
                int e(double x) { return x < 3; }
                double f(float x) { return x; }
                long double g(long double x) { return x / 3; }
                """,
                floating(1, "a", "__adddf3"),
                floating(2, "b", "__mulsf3"),
                floating(3, "c", "__floatsidf"),
                floating(4, "d", "__fixdfdi"),
                floating(5, "e", "__ltdf2"),
                floating(6, "f", "__extendsfdf2"),
                floating(7, "g", "__divtf3"));
    }

    private static String floating(int line, String function, String symbol) {
        return "kernel.c:%d: function '%s' uses floating point ('%s'), which device code does not have; use integers, or Q16.16 with __dpa_fxp_log2"
                .formatted(line, function, symbol);
    }

    @Test
    @Requirement("DPA-ERR-14a")
    void functionsOfTheHostAreNoSymbols() {
        List<String> functions =
                List.of(
                        "flexio_process_call",
                        "flexio_event_handler_run",
                        "doca_dpa_kernel_launch_update_add",
                        "doca_dpa_mem_alloc",
                        "doca_sync_event_update_set",
                        "ibv_reg_mr");
        StringBuilder source = new StringBuilder();
        List<String> told = new ArrayList<>();
        for (String function : functions) {
            source.append(
                    "int %s(void);\nint f%d(void) { return %s(); }\n"
                            .formatted(function, told.size(), function));
            told.add(
                    "kernel.c:%d: function 'f%d' calls '%s', which is a function of the host: no such symbol in device code; call it in the host program"
                            .formatted(2 * told.size() + 2, told.size(), function));
        }
        refused(source.toString(), told.toArray(String[]::new));
    }

    @Test
    void whatTheLibraryLacksIsTold() {
        refused(
                """
                void *malloc(unsigned long);
                char *strcpy(char *, const char *);
                int other(int);
                void *f(char *to, const char *from)
                {
                    strcpy(to, from);

                    return malloc(other(3));
                }
                int (*g(void))(int)
                {
                    return other;
                }
                """,
                "kernel.c:6: function 'f' calls 'strcpy', which device code does not have: no such symbol; of the C library there are printf,",
                "kernel.c:8: function 'f' calls 'malloc', and device code does not allocate: no such symbol; have the host allocate heap of the DPA",
                "kernel.c:8: function 'f' uses 'other', an undefined symbol; compile the source that defines it, too",
                "kernel.c:12: function 'g' uses 'other'");
    }

    @Test
    void whatIsDefinedTwiceIsToldAsTheLinkerSaysIt() {
        DeviceCompiler compiler = Clang.orSkip();
        assertThatThrownBy(
                        () -> {
                            Path one =
                                    Files.writeString(
                                            directory.resolve("one.c"),
                                            "int f(void) { return 1; }");
                            Path two =
                                    Files.writeString(
                                            directory.resolve("two.c"),
                                            "int f(void) { return 2; }");
                            compiler.compile(DeviceSources.of(one, two));
                        })
                .hasMessageContaining("duplicate symbol: f")
                .hasMessageContaining("one.c:1");
    }
}
