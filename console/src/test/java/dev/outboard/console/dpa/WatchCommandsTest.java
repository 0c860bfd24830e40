package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.watch.Watch;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ExitCode;

/// `outboard dpa ps` and `outboard dpa trace`, and what `outboard dpa run` does for them.
class WatchCommandsTest extends DpaCommandFixture {
    private static final String KERNELS =
            """
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            @dev.outboard.dpacc.DpaProgram("waiter") @SuppressWarnings("all")
            class Waiter {
                @DpaRpc
                static long look(DpaThread thread, DpaAddr word) {
                    return thread.load64(word.value());
                }
                @DpaGlobal
                static void await(DpaThread thread, long event, long threshold) {
                    dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent.waitGt(thread, event, threshold);
                }
                @DpaRpc
                static long send(DpaThread thread, long rdma) {
                    dev.outboard.dpa.doca.dev.DocaDpaDevRdma.postSend(thread, rdma, 0, 0, 0, 0, 1);
                    return 0;
                }
            }
            """;

    /// Calls until a file is there.
    private static final String HOST =
            """
            import dev.outboard.dpa.flexio.*;
            import dev.outboard.dpacc.DpaAddr;
            import java.nio.file.*;
            class Patient {
                public static void run(DpaDevice device, String[] arguments) throws Exception {
                    try (HostProcess host = HostProcess.open();
                            FlexioProcess process = FlexioProcess.create(host, device, WaiterStub.APP)) {
                        DpaAddr word = process.heap().zeros(100);
                        do {
                            process.call(WaiterStub.look(word));
                        } while (Files.notExists(Path.of(arguments[0])));
                        if (arguments.length > 1) {
                            process.call(WaiterStub.look(new DpaAddr(8)));
                        }
                    }
                }
            }
            """;

    /// Sends what nobody receives, and launches kernels that wait until a file is there.
    private static final String LAUNCHER =
            """
            import dev.outboard.doca.*;
            import dev.outboard.doca.rdma.*;
            import dev.outboard.doca.sync.*;
            import dev.outboard.dpa.doca.DocaDpa;
            import dev.outboard.dpa.flexio.DpaDevice;
            import dev.outboard.fabric.*;
            import java.nio.file.*;
            import java.time.Duration;
            class Launcher {
                public static void run(DpaDevice device, String[] arguments) throws Exception {
                    try (Device card = Fabric.open("sim://launcher/10.9.0.1");
                            DocaDev dev = DocaDev.of(card);
                            DocaDpa dpa = DocaDpa.create(dev, device).app(WaiterStub.APP).start();
                            Rdma near = new Rdma(dev).datapathOnDpa(dpa);
                            Rdma far = new Rdma(dev).datapathOnDpa(dpa);
                            SyncEvent go = new SyncEvent(dev).publisher(Location.CPU).subscriber(dpa).start();
                            SyncEvent done = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
                        near.start();
                        far.start();
                        RdmaConnection here = near.export();
                        RdmaConnection there = far.export();
                        here.connect(there.details());
                        there.connect(here.details());
                        dpa.rpc(WaiterStub.send(near.dpaHandle()));
                        long event = go.handle(dpa);
                        dpa.launchUpdateAdd(null, 0, done, 1, 2, WaiterStub.await(event, 6));
                        dpa.launchUpdateAdd(go, 7, done, 1, 1, WaiterStub.await(event, 6));
                        while (Files.notExists(Path.of(arguments[0]))) {
                            try {
                                done.waitGt(0, -1, Spin.YIELD, Duration.ofMillis(5));
                            } catch (DocaException e) {
                                // Not yet.
                            }
                        }
                        go.updateSet(7);
                        done.waitGt(1, -1, Spin.YIELD, Duration.ofMinutes(1));
                    }
                }
            }
            """;

    private static final Pattern CALLED = Pattern.compile(" RPC .* [1-9]\\d*\n");

    private final String pid = String.valueOf(ProcessHandle.current().pid());
    private String classes = "";
    private Path stop = Path.of("");
    private Path trace = Path.of("");

    @BeforeEach
    void compile() throws IOException {
        classes = Programs.compile(directory, KERNELS, HOST, LAUNCHER).toString();
        stop = directory.resolve("stop");
        trace = directory.resolve("dpa.pftrace");
    }

    /// Runs a program in this virtual machine, and meanwhile something else.
    private void whileItRuns(String mode, Runnable meanwhile) throws IOException {
        whileItRuns(mode, "Patient", CALLED, meanwhile);
    }

    /// @param ready what `ps` tells when it is time
    private void whileItRuns(String mode, String program, Pattern ready, Runnable meanwhile)
            throws IOException {
        DpaCommandFixture other = new DpaCommandFixture() {};
        Thread running =
                Thread.ofPlatform()
                        .start(() ->
                                other.run(
                                        "run",
                                        classes,
                                        program,
                                        stop.toString(),
                                        "--mode=" + mode,
                                        "--units=2x4"));
        try {
            Eventually.until(() -> run("ps", pid) == 0 && ready.matcher(out.toString()).find());
            meanwhile.run();
        } finally {
            Files.createFile(stop);
            Eventually.until(() -> !running.isAlive());
        }
        assertThat(other.err).hasToString("");
    }

    private void forget() {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void psListsWhatAProgramHas(String mode) throws IOException {
        whileItRuns(
                mode,
                () -> {
                    forget();
                    assertThat(run("ps")).isZero();
                    assertThat(out.toString())
                            .containsPattern(
                                    "(?m)^PID %s, app waiter, %s.*, running$"
                                            .formatted(pid, mode.toUpperCase(Locale.ROOT)))
                            .containsPattern(
                                    "(?m)^  thread  name  activated by  state .*activations$")
                            .containsPattern("(?m)^       0  RPC   calls         .* [1-9]\\d*$")
                            .contains("heap: 128 B of 4 MiB are allocated; discarded: nothing\n");
                    forget();
                    assertThat(run("ps", "--json", pid)).isZero();
                    assertIsStatus(out.toString());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void psListsKernels(String mode) throws IOException {
        whileItRuns(
                mode,
                "Launcher",
                Pattern.compile("rank 1 waits for event"),
                () -> {
                    forget();
                    assertThat(run("ps", pid)).isZero();
                    assertThat(out.toString())
                            .containsPattern("(?m)^  kernel  threads  state$")
                            .containsPattern(
                                    "(?m)^  await         2  2 running, 0 ended, 0 waiting for a unit$")
                            .containsPattern(
                                    "(?m)^ +rank 1 waits for event 0x[0-9a-f]+ > 6, which is 0$")
                            .containsPattern("(?m)^  await         1  waits to begin$")
                            .containsPattern("(?m)^ +the launch waits for event 0x[0-9a-f]+ >= 7$");
                    forget();
                    assertThat(run("ps", "--json", pid)).isZero();
                    assertIsStatus(out.toString());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void psCountsWhatConnectionsHavePosted(String mode) throws IOException {
        Pattern posted =
                Pattern.compile(
                        "(?m)^ +0x[0-9a-f]+  queue pair +\\d+ +0 +1 +1 +0 +connection 0 of RDMA context 0x[0-9a-f]+$");
        whileItRuns(
                mode,
                "Launcher",
                posted,
                () ->
                        assertThat(out.toString())
                                .containsPattern(
                                        "(?m)^ +queue +kind +depth +written +posted +outstanding +failed +state +for$")
                                .containsPattern(
                                        "(?m)^ +0x[0-9a-f]+  queue pair +\\d+ +\\d+ +\\d+ +0 +0 +updates and copies of a thread$"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void aTraceHasTheOperationsOfThreads(String mode) throws IOException {
        Files.createFile(stop);
        String[] words = {
            "run", classes, "Launcher", stop.toString(), "--mode", mode, "--trace", trace.toString()
        };
        assertThat(run(words)).isZero();
        assertThat(Files.readString(trace, StandardCharsets.ISO_8859_1))
                .contains("operations of thread ", "connection 0 of RDMA context 0x", "send");
    }

    private static void assertIsStatus(String json) {
        assertThat((List<?>) JsonText.parse(json)).hasSize(1);
        String one = json.strip().replaceAll("(?s)^\\[|\\]$", "");
        try {
            assertThat(JsonSchema.problems(Watch.class, "status.schema.json", one)).isEmpty();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void traceWritesWhatAProgramDoes() throws IOException {
        whileItRuns(
                "fast",
                () -> {
                    forget();
                    assertThat(run("trace", pid, "--for=20ms", "--to", trace.toString())).isZero();
                    assertThat(err.toString())
                            .matches(
                                    "trace: [1-9]\\d* events in %s(; it was full.*)?\n"
                                            .formatted(trace));
                });
        assertThat(Files.readString(trace, StandardCharsets.ISO_8859_1))
                .contains("execution units (monotonic clock)", "process of app waiter", "RPC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void runWritesATraceFromTheBeginOn(String mode) throws IOException {
        Files.createFile(stop);
        String[] words = {
            "run", classes, "Patient", stop.toString(), "--mode", mode, "--trace", trace.toString()
        };
        assertThat(run(words)).isZero();
        assertThat(err.toString()).isEqualTo("outboard: trace: 2 events in " + trace + "\n");
        byte[] first = Files.readAllBytes(trace);
        assertThat(run(words)).isZero();
        if (!mode.equals("fast")) {
            assertThat(Files.readAllBytes(trace)).isEqualTo(first);
        }
    }

    @Test
    void aProgramThatFailsLeavesItsTrace() throws IOException {
        Files.createFile(stop);
        String[] words = {
            "run", classes, "Patient", stop.toString(), "wild", "--trace", trace.toString()
        };
        assertThat(run(words)).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString())
                .startsWith("outboard: trace: 4 events in " + trace + "\n")
                .contains("Patient failed: ");
        assertThat(trace).isNotEmptyFile();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ps 1               | 1 | no program of this user with PID 1 can be looked at",
                "ps x               | 2 | Unmatched argument at index 1: 'x'",
                "trace 1 --to=/tmp/t | 1 | no program of this user with PID 1 can be looked at",
                "trace 1            | 2 | Missing required option: '--to=FILE'",
                "trace 1 --to=t --for=9 | 2 | '9' is not a time",
                "run none None --trace=none/t | 2 | no such file or directory: none"
            })
    void saysWhatCannotBeDone(String words, int code, String problem) {
        assertThat(run(words.split(" "))).isEqualTo(code);
        assertThat(err.toString()).contains(problem);
    }

    @Test
    void refusesATraceThatCannotBeWritten() throws IOException {
        Path nowhere = directory.resolve("none").resolve("dpa.pftrace");
        Files.createFile(stop);
        assertThat(run("run", classes, "Patient", stop.toString(), "--trace=" + nowhere))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no such directory: " + nowhere.getParent());
        try (Watch _ = Watch.open()) {
            assertThat(run("trace", pid, "--to=" + nowhere)).isEqualTo(ExitCode.USAGE);
            forget();
            DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
            assertThat(run("trace", pid, "--for=11min", "--to=" + trace))
                    .isEqualTo(ExitCode.SOFTWARE);
            assertThat(err.toString())
                    .contains("no trace of process %s: a trace takes at most 600 s".formatted(pid));
            assertThat(device.status()).isEmpty();
        }
    }
}
