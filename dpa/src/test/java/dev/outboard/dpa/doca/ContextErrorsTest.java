package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.refused;
import static dev.outboard.dpa.doca.DocaFixture.zeros;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What is left of a context after a fault.
class ContextErrorsTest {
    @TempDir private Path directory = Path.of("");

    private final DocaFixture fixture = new DocaFixture();

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DC-3")
    void afterAFaultEverythingFailsUntilItIsClosed(RunMode mode) {
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
        DocaDpa dpa = fixture.open(device);
        try (Arena arena = Arena.ofConfined();
                SyncEvent event = fixture.both(dpa)) {
            MemorySegment bytes = arena.allocate(8, 8);
            DpaAddr log = zeros(dpa, 2);
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
            dpa.launchUpdateAdd(null, 0, event, 1, 1, StepsStub.fail(0));
            assertThat(refused(DocaError.BAD_STATE, () -> await(event, 0)))
                    .contains("store outside all regions (code 5): 8 bytes at 0x8");
            List<Runnable> calls =
                    List.of(
                            () -> dpa.launchUpdateAdd(null, 0, null, 0, 1, StepsStub.note(log, 1)),
                            () -> dpa.launchUpdateSet(null, 0, null, 0, 1, StepsStub.note(log, 1)),
                            () -> dpa.rpc(StepsStub.sum(log, 1)),
                            () -> dpa.memAlloc(8),
                            () -> dpa.memFree(log),
                            () -> dpa.memset(log, 0, 8),
                            () -> dpa.copyToDpa(log, bytes),
                            () -> dpa.copyFromDpa(bytes, log),
                            () -> fixture.both(dpa));
            for (Runnable call : calls) {
                refused(DocaError.BAD_STATE, call);
                assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
            }
        }
        dpa.close();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DC-3")
    void whatHasHappenedIsWrittenBesideTheLog(RunMode mode) throws IOException {
        Path log = directory.resolve("dpa.log");
        fail(mode, log);
        assertThat(names()).containsExactly("dpa.log.core", "dpa.log.crash");
        assertThat(Files.readString(directory.resolve("dpa.log.crash")))
                .contains("Thread 'kernel thread ")
                .contains("store outside all regions (code 5): 8 bytes at 0x8")
                .contains("Steps.java");
        assertThat(Files.readString(directory.resolve("dpa.log.core")))
                .contains("\"outboard-dpa-core\"")
                .contains("\"BAD_STORE\"");
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DC-3")
    void contextsThatEndWellWriteNothing(RunMode mode) throws IOException {
        Path log = directory.resolve("dpa.log");
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
        try (DocaDpa dpa =
                DocaDpa.create(fixture.dev, device).app(StepsStub.APP).logPath(log).start()) {
            refused(DocaError.BAD_STATE, () -> dpa.logPath(log));
            assertThat(dpa.rpc(StepsStub.sum(zeros(dpa, 1), 1))).isZero();
        }
        assertThat(names()).isEmpty();
    }

    private void fail(RunMode mode, Path log) {
        DpaDevice device = fixture.device(MachineOptions.DEFAULT, mode);
        try (DocaDpa dpa =
                        DocaDpa.create(fixture.dev, device)
                                .app(StepsStub.APP)
                                .logPath(log)
                                .start();
                SyncEvent event = fixture.end(dpa)) {
            dpa.launchUpdateAdd(null, 0, event, 1, 1, StepsStub.fail(0));
            refused(DocaError.BAD_STATE, () -> await(event, 0));
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
