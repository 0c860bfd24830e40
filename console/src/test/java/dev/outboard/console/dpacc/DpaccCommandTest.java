package dev.outboard.console.dpacc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.console.Execution;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `outboard dpacc`, with the compiler of this machine.
class DpaccCommandTest {
    private static final String SOURCE =
            """
            #include <libflexio-dev/flexio_dev.h>
            #ifndef ROUNDS
            #define ROUNDS 1
            #endif
            #if __NV_DPA != __NV_DPA_BF3
            #error "another target"
            #endif

            struct __dpa_global__ point {
                int32_t x;
                uint64_t long_value;
                uint8_t raw[3];
            };
            typedef struct {
                struct point p[2];
                union { uint32_t a; uint8_t b[8]; } u;
            } __dpa_global__ job_t;

            __dpa_rpc__ uint64_t add(uint8_t a, struct point p, job_t job, _Bool negative, void *at)
            {
                uint64_t sum = a + p.x + p.long_value + p.raw[2] + job.p[1].x + job.u.b[1] + (uint64_t)at;
                return (negative ? -sum : sum) * ROUNDS;
            }

            __dpa_global__ void handler(uint64_t argument)
            {
                flexio_dev_thread_reschedule();
            }
            """;

    @TempDir private Path directory;
    private String source = "";

    @BeforeEach
    void write() throws IOException {
        try {
            DeviceCompiler.onThisMachine();
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
        }
        source = Files.writeString(directory.resolve("kernel.c"), SOURCE).toString();
    }

    private static Execution run(String... words) {
        return Execution.ofOutboard(words);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    /// Calls `add` of the stub.
    private static long add(Path jar, String stubName) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            Class<?> stub = loader.loadClass(stubName);
            Class<?> point = loader.loadClass(stubName + "$Point");
            Class<?> job = loader.loadClass(stubName + "$JobT");
            Object one = only(point).newInstance(-1, 1000L, new byte[] {0, 0, 9});
            Object points = Array.newInstance(point, 2);
            Array.set(points, 0, one);
            Array.set(points, 1, only(point).newInstance(70_000, 0L, new byte[3]));
            Object work = only(job).newInstance(points, new byte[] {0, 5, 0, 0, 0, 0, 0, 0});
            Method add = method(stub, "add");
            Object address =
                    loader.loadClass("dev.outboard.dpacc.DpaAddr")
                            .getConstructor(long.class)
                            .newInstance(1L << 40);
            @SuppressWarnings("unchecked")
            DpaCall<DpaThread> call =
                    (DpaCall<DpaThread>) add.invoke(null, (byte) 200, one, work, false, address);
            @SuppressWarnings("unchecked")
            DpaApp<DpaThread> app = (DpaApp<DpaThread>) stub.getField("APP").get(null);
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process =
                            FlexioProcess.create(
                                    host,
                                    DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()),
                                    app)) {
                return process.call(call);
            }
        }
    }

    private static Constructor<?> only(Class<?> type) {
        return type.getConstructors()[0];
    }

    private static Method method(Class<?> stub, String name) {
        return Arrays.stream(stub.getMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static final long SUM = 200 - 1 + 1000 + 9 + 70_000 + 5 + (1L << 40);

    @Test
    @Requirement({"DPA-CC-1", "DPA-CC-2", "DPA-CC-3", "DPA-CC-13"})
    void aHostProgramCallsTheFunctionsByTheStub() throws Exception {
        Path jar = directory.resolve("kernel.jar");
        Execution done =
                run(
                        "dpacc",
                        source,
                        "--app-name",
                        "try_it",
                        "--package",
                        "com.example",
                        "-o",
                        jar.toString());
        assertThat(done.err()).isEmpty();
        assertThat(done.exitCode()).isZero();
        assertThat(add(jar, "com.example.TryItStub")).isEqualTo(SUM);
    }

    @Test
    @Requirement("DPA-CC-3")
    void anArrayOfAnotherLengthIsRefused() throws Exception {
        Path jar = directory.resolve("kernel.jar");
        run("dpacc", source, "-app-name", "a", "-o", jar.toString());
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            Class<?> stub = loader.loadClass("AStub");
            Object point = only(loader.loadClass("AStub$Point")).newInstance(1, 2L, new byte[4]);
            Method add = method(stub, "add");
            assertThatThrownBy(() -> add.invoke(null, (byte) 1, point, null, false, null))
                    .isInstanceOf(InvocationTargetException.class)
                    .hasRootCauseMessage("raw has 3 elements, not 4");
        }
    }

    @Test
    @Requirement({"DPA-CC-11", "DPA-CC-12"})
    void optionsInTheSpellingsOfDpaccAreTaken() throws Exception {
        Path options =
                Files.writeString(directory.resolve("options"), "-flto -keep-dir " + path("kept"));
        Path jar = directory.resolve("lib.jar");
        Execution done =
                run(
                        "dpacc",
                        source,
                        "-hostcc=gcc",
                        "-hostcc-options=-g -O3",
                        "--devicecc-options=-DROUNDS=3, -Wall",
                        "-device-libs=-L/nowhere -lflexio-dev -ldoca_dpa_dev",
                        "-mcpu=nv-dpa-bf3",
                        "-I",
                        path("include"),
                        "-optf",
                        options.toString(),
                        "-v",
                        "-o",
                        jar.toString());
        assertThat(done.err()).isEmpty();
        assertThat(done.exitCode()).isZero();
        assertThat(done.out()).contains("clang").contains("-DROUNDS=3 -Wall").contains("ld.lld");
        assertThat(Files.exists(directory.resolve("kept/kernel.o"))).isTrue();
        assertThat(add(jar, "DpaAOutStub")).isEqualTo(3 * SUM);
    }

    @Test
    @Requirement("DPA-CC-12")
    void aDryRunBuildsNothing() throws IOException {
        Execution done = run("dpacc", source, "-dryrun", "-o", path("kernel.elf"));
        assertThat(done.exitCode()).isZero();
        assertThat(done.out().lines()).anyMatch(line -> line.contains("kernel.c"));
        assertThat(Files.exists(directory.resolve("kernel.elf"))).isFalse();
    }

    @Test
    @Requirement({"DPA-CC-12", "DPA-ERR-26"})
    void whatCannotBeBuiltIsToldByLine() throws IOException {
        assertThat(run("dpacc", source, "-gen-libs").err()).contains("unknown option '-gen-libs'");
        assertThat(run("dpacc", source, "-mcpu=nv-dpa-cx8").err())
                .contains("kernel.c:6:2: error: \"another target\"");
        assertThat(run("dpacc", path("none.c")).err()).contains("none.c is no file");
        assertThat(run("dpacc").err()).contains("no source file is named");
        assertThat(run("dpacc", source, "-o", path("kernel.so")).err())
                .contains("kernel.so: valid are FILE.jar, FILE.elf and a directory");
        String bad =
                Files.writeString(
                                directory.resolve("bad.c"),
                                "#include <dpaintrin.h>\n__dpa_rpc__ int f(void) { return 1; }\n")
                        .toString();
        Execution refused = run("dpacc", bad, "-o", path("bad.jar"));
        assertThat(refused.err())
                .contains("bad.c:2: function 'f' is __dpa_rpc__ and returns 'int'");
        assertThat(refused.exitCode()).isEqualTo(1);
        String worse =
                Files.writeString(
                                directory.resolve("worse.c"),
                                "int f(void) { return x; }\nint g(void) { return y; }\n")
                        .toString();
        Execution all = run("dpacc", worse, "-o", path("worse.jar"));
        assertThat(all.err()).contains("worse.c:1:22: error", "worse.c:2:22: error");
        assertThat(all.exitCode()).isEqualTo(1);
    }

    @Test
    @Requirement("DPA-CC-13")
    void whatWasBuiltIsListedAndExtracted() throws IOException {
        String jar = path("kernel.jar");
        run("dpacc", source, "-o", jar);
        assertThat(run("dpacc", "nm", jar).out()).containsPattern("[0-9a-f]{16} T add\n");
        String listing = run("dpacc", "objdump", jar).out();
        assertThat(listing).containsPattern("[0-9a-f]{16} <handler>:\n").contains("kernel.c:21");
        run("dpacc", "extract", jar, "-o", path("out.elf"));
        run("dpacc", source, "-o", path("kernel.elf"));
        assertThat(directory.resolve("out.elf"))
                .hasSameBinaryContentAs(directory.resolve("kernel.elf"));
        assertThat(run("dpacc", "nm", source).err()).contains("kernel.c: ").contains("ELF");
    }

    @Test
    @Requirement("DPA-CC-13")
    void aDirectoryGetsTheSourceOfTheStub() throws IOException {
        run("dpacc", source, "--app-name", "my-app", "--package", "a.b", "-o", path("generated"));
        assertThat(directory.resolve("generated/a/b/MyAppStub.java"))
                .content()
                .contains("package a.b;")
                .contains("CProgram.app(\"my-app\", MyAppStub.class, \"MyApp.elf\")");
        assertThat(List.of("MyApp.elf", "MyAppStub.java"))
                .allMatch(name -> Files.exists(directory.resolve("generated/a/b").resolve(name)));
    }
}
