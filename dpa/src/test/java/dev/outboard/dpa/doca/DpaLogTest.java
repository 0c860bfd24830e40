package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What device code logs, and where that goes.
class DpaLogTest {
    private static final int THREADS = 3;

    /// In the order of the levels.
    private static final List<String> LINES =
            List.of(
                    "CRIT rank %d: answer! is 0x2a",
                    "ERROR rank %d: 100%% of -42",
                    "WARNING rank %d: warned",
                    "INFO rank %d: informed",
                    "DEBUG rank %d: debugged");

    private final DocaFixture fixture = new DocaFixture();

    @TempDir Path directory;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Path file() {
        return directory.resolve("dpa.log");
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(ChatterStub.APP, modes());
    }

    private DocaDpa context(RunMode mode) {
        return context(new Form(mode, ChatterStub.APP));
    }

    private DocaDpa context(Form form) {
        return DocaDpa.create(fixture.dev, fixture.device(MachineOptions.DEFAULT, form.mode()))
                .app(form.app());
    }

    private void log(DocaDpa dpa) {
        try (SyncEvent done = fixture.end(dpa)) {
            DpaAddr text = dpa.memAlloc(8);
            try (Arena arena = Arena.ofConfined()) {
                dpa.copyToDpa(text, arena.allocateFrom("answer!"));
            }
            dpa.launchUpdateAdd(null, 0, done, 1, THREADS, ChatterStub.logs(text, 42));
            await(done, 0);
        }
    }

    /// What threads of a kernel log if the first levels are logged, in any order.
    private static List<String> lines(int levels) {
        List<String> all = new ArrayList<>();
        for (int rank = 0; rank < THREADS; rank++) {
            for (String line : LINES.subList(0, levels)) {
                all.add(line.formatted(rank));
            }
            if (levels > 0) {
                all.add("printed");
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-FXM-1", "DPA-FXM-2"})
    void linesHaveTheirLevelAndTheRankOfTheirThread(Form form) throws IOException {
        try (DocaDpa dpa = context(form).logPath(file()).logLevel(DocaDpaLogLevel.DEBUG).start()) {
            log(dpa);
            List<String> all = Files.readAllLines(file());
            assertThat(all).containsExactlyInAnyOrderElementsOf(lines(5));
            // Those of a thread are in its order.
            assertThat(all)
                    .filteredOn(line -> line.contains("rank 1:"))
                    .extracting(line -> line.substring(0, line.indexOf(' ')))
                    .containsExactly("CRIT", "ERROR", "WARNING", "INFO", "DEBUG");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DPA-FXM-1")
    void onlyWhatIsImportantEnoughIsLogged(DocaDpaLogLevel level) throws IOException {
        try (DocaDpa dpa = context(RunMode.fast()).logPath(file()).logLevel(level).start()) {
            assertThat(file()).doesNotExist();
            log(dpa);
            List<String> all =
                    level == DocaDpaLogLevel.DISABLE ? List.of() : Files.readAllLines(file());
            assertThat(all).containsExactlyInAnyOrderElementsOf(lines(level.ordinal()));
            assertThat(Files.exists(file())).isEqualTo(level != DocaDpaLogLevel.DISABLE);
        }
    }

    @Test
    void tracesInCAreLinesOfTheLog() throws IOException {
        DpaApp<DpaThread> app = Clang.app("chatter");
        try (DocaDpa dpa =
                context(new Form(RunMode.fast(), app))
                        .logPath(file())
                        .logLevel(DocaDpaLogLevel.DEBUG)
                        .start()) {
            dpa.rpc(Clang.of(app, "traces", 1));
            assertThat(Files.readAllLines(file()))
                    .containsExactly("DEBUG rank 0: trace 1 2 3 4 18446744073709551614");
        }
    }

    /// A later context goes on at the end of the file.
    @Test
    void theLogGrows() throws IOException {
        Files.writeString(file(), "before\n");
        for (int i = 0; i < 2; i++) {
            try (DocaDpa dpa =
                    context(RunMode.fast())
                            .logPath(file())
                            .logLevel(DocaDpaLogLevel.CRIT)
                            .start()) {
                log(dpa);
            }
        }
        assertThat(Files.readAllLines(file())).hasSize(1 + 4 * THREADS).startsWith("before");
    }

    /// What cannot be written is lost, and ends nothing.
    @Test
    void aLogThatCannotBeWrittenEndsNothing() {
        try (DocaDpa dpa = context(RunMode.fast()).logPath(directory).start()) {
            log(dpa);
            assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
        }
    }

    @Test
    void withoutAPathLinesGoToStandardOutput() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try (DocaDpa dpa = context(RunMode.fast()).start()) {
            log(dpa);
        } finally {
            System.setOut(before);
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsAll(lines(4))
                .noneMatch(line -> line.startsWith("DEBUG"));
    }

    @Test
    @Requirement("DPA-DC-1")
    void theLevelIsSetBeforeTheStart() {
        try (DocaDpa dpa = context(RunMode.fast()).start()) {
            refused(DocaError.BAD_STATE, () -> dpa.logLevel(DocaDpaLogLevel.DEBUG));
        }
    }
}
