package dev.outboard.dpa.flexio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.JsonText;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is left of a process, as a file.
class CoreFileTest {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL).withSeed(4);

    @TempDir private Path directory;

    enum Mode {
        FAST,
        WEAK,
        CHECK;

        RunMode run() {
            return switch (this) {
                case FAST -> RunMode.fast();
                case WEAK -> RunMode.weak(Profile.BF3, 5);
                case CHECK -> RunMode.check(new Checker(Profile.SEED, false), 6);
            };
        }
    }

    private static FlexioProcess open(HostProcess host, Mode mode, DpaApp<DpaThread> app) {
        return FlexioProcess.create(
                host,
                DpaDevice.of(OPTIONS, mode.run()),
                app,
                FlexioProcess.Attributes.DEFAULT.withObserver(
                        mode == Mode.CHECK ? new Checker(Profile.SEED, false) : Observer.NONE));
    }

    private Map<?, ?> dump(FlexioProcess process) throws IOException {
        Path file = directory.resolve("core.json");
        process.coreDump(file);
        String json = Files.readString(file);
        assertThat(JsonSchema.problems(FlexioProcess.class, "core-file.schema.json", json))
                .isEmpty();
        return (Map<?, ?>) JsonText.parse(json);
    }

    private static Object at(Object value, Object... path) {
        Object found = value;
        for (Object step : path) {
            found =
                    step instanceof Integer index
                            ? ((List<?>) found).get(index)
                            : ((Map<?, ?>) found).get(step);
            Objects.requireNonNull(found, step.toString());
        }
        return found;
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DPA-FXP-5b")
    void tellsWhatEndedTheProcessAndHoldsItsMemory(Mode mode) throws IOException {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, LedgerStub.APP)) {
            process.heap().zeros(3 * 4096);
            DpaAddr text =
                    process.heap().copyFromHost("payload".getBytes(StandardCharsets.US_ASCII));
            process.call(LedgerStub.add(text, 0));
            assertThatThrownBy(() -> process.call(LedgerStub.load(new DpaAddr(8))))
                    .isInstanceOf(FlexioException.class);

            Map<?, ?> core = dump(process);
            assertThat(at(core, "program")).isEqualTo("ledger");
            assertThat(at(core, "mode")).isEqualTo(mode.name());
            assertThat(at(core, "seed")).isEqualTo(4L + mode.ordinal());
            assertThat(core.containsKey("profile")).isEqualTo(mode == Mode.WEAK);
            assertThat(at(core, "status"))
                    .isEqualTo(
                            Map.of(
                                    "kind",
                                    "FATAL",
                                    "code",
                                    4L,
                                    "text",
                                    process.errorState().text()));
            Object crash = at(core, "crash");
            assertThat(at(crash, "fault")).isEqualTo("BAD_LOAD");
            assertThat(at(crash, "thread")).isEqualTo("RPC");
            assertThat(at(crash, "address")).isEqualTo("0x8");
            assertThat(at(crash, "place", "file")).isEqualTo("Ledger.java");
            assertThat(at(crash, "latest").toString())
                    .contains("{kind=STORE, address=0x%x, lengthBytes=8}".formatted(text.value()));
            assertThat(at(core, "threads", 0))
                    .isEqualTo(Map.of("name", "RPC", "state", "RUNNING", "unit", 0L));
            assertMemory(core, text);
        }
    }

    private static void assertMemory(Map<?, ?> core, DpaAddr text) {
        Object globals = at(core, "memory", 0);
        assertThat(at(globals, "pages", 0))
                .isEqualTo(
                        Map.of(
                                "address",
                                "0x%x".formatted(AddressMap.GLOBALS),
                                "bytes",
                                "0100000000000000"));
        Object heap = at(core, "memory", 1);
        assertThat(at(heap, "lengthBytes")).isEqualTo(OPTIONS.storage().heapBytes());
        assertThat((List<?>) at(heap, "pages")).hasSize(1);
        assertThat(at(heap, "pages", 0, "address")).isEqualTo("0x%x".formatted(text.value()));
        byte[] page = HexFormat.of().parseHex((String) at(heap, "pages", 0, "bytes"));
        assertThat(page).hasSize(4096).startsWith("payload\0".getBytes(StandardCharsets.US_ASCII));
        assertThat(at(core, "memory", 2, "name")).isEqualTo("stack 0");
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("DPA-FXP-5b")
    void canBeWrittenWhileTheProcessRunsAndAfterItsProgramHasFailed(Mode mode) throws IOException {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode, PrinterStub.APP)) {
            Map<?, ?> running = dump(process);
            assertThat(running.containsKey("crash")).isFalse();
            assertThat(at(running, "status", "kind")).isEqualTo("NONE");
            assertThat(at(running, "threads", 0, "state")).isEqualTo("INACTIVE");

            assertThatThrownBy(() -> process.call(PrinterStub.fail(200)))
                    .isInstanceOf(FlexioException.class);
            Map<?, ?> failed = dump(process);
            assertThat(failed.containsKey("crash")).isFalse();
            assertThat(at(failed, "status", "kind")).isEqualTo("USER");
            assertThat(at(failed, "status", "code")).isEqualTo(200L);
            assertThat(at(failed, "threads", 0, "state")).isEqualTo("RUNNING");
        }
    }

    @Test
    @Requirement("DPA-FXP-5b")
    void isRefusedOfAProcessThatIsClosedAndWhereItCannotBeWritten() {
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess process = open(host, Mode.FAST, LedgerStub.APP);
            Path nowhere = directory.resolve("none/core.json");
            assertThatThrownBy(() -> process.coreDump(nowhere))
                    .isInstanceOf(NoSuchFileException.class);
            process.close();
            Path file = directory.resolve("core.json");
            assertThatThrownBy(() -> process.coreDump(file))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining("has been destroyed");
            assertThat(file).doesNotExist();
        }
    }
}
