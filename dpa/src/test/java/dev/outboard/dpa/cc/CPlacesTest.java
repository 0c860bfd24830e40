package dev.outboard.dpa.cc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whatever the machine says of C code names its file and line.
class CPlacesTest {
    private static final String SOURCE =
            """
            #include <libflexio-dev/flexio_dev.h>

            static void poke(uint64_t address)
            {
                *(volatile uint64_t *)address = 1;
            }

            __dpa_rpc__ uint64_t wild(uint64_t address, uint32_t window, uint32_t key)
            {
                poke(address);
                return 0;
            }

            __dpa_rpc__ uint64_t look(uint64_t address, uint32_t window, uint32_t key)
            {
                struct flexio_dev_thread_ctx *context;
                flexio_uintptr_t pointer;
                int rounds = 0;
                flexio_dev_get_thread_ctx(&context);
                flexio_dev_window_config(context, window, key);
                flexio_dev_window_ptr_acquire(context, address, &pointer);
                while (*(volatile uint64_t *)pointer == 0) {
                    if (++rounds == 30) break;
                }
                return 0;
            }

            __dpa_rpc__ uint64_t wait_for(uint64_t address, uint32_t window, uint32_t key)
            {
                uint64_t *flag = (uint64_t *)address;
                for (;;) {
                    if (*flag) {
                        return 1;
                    }
                }
            }

            __dpa_rpc__ uint64_t use_lock(uint64_t address, uint32_t window, uint32_t key)
            {
                return spin_trylock((struct spinlock_s *)address);
            }

            __dpa_rpc__ uint64_t crash_in_call(uint64_t address, uint32_t window, uint32_t key)
            {
                __asm__ volatile("ecall" : : : "a0");
                return 0;
            }
            """;

    @TempDir private Path directory;

    private DpaApp<DpaThread> compile(String option) throws IOException {
        DeviceCompiler compiler = Clang.orSkip();
        Path file = Files.writeString(directory.resolve("kernel.c"), SOURCE);
        byte[] elf = compiler.compile(new DeviceSources(List.of(file), List.of(), List.of(option)));
        return CProgram.app("kernel", elf);
    }

    private static void call(FlexioProcess process, DpaApp<DpaThread> app, String name, long at) {
        ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(at);
        FlexioBuffer buffer = FlexioBuffer.create(process, "word", ExternalKind.HOST, 8);
        int key = FlexioMkey.create(process.domain(), buffer, 0, 8, Access.LOCAL_WRITE).number();
        bytes.putInt(FlexioWindow.create(process, process.domain()).number()).putInt(key);
        if (at == 0) {
            bytes.putLong(0, buffer.address().value());
        }
        process.call(new DpaCall<>(app.function(name), bytes.flip()));
    }

    private static void assertLine(CodePlace place, String function, String text) {
        assertThat(place.file()).endsWith("/kernel.c");
        assertThat(SOURCE.lines().toList().get(place.line() - 1)).contains(text);
        assertThat(place.function()).isEqualTo(function);
    }

    @ParameterizedTest
    @CsvSource({"-O0, false", "-O2, false", "-O2, true", "-gdwarf-4, false"})
    @Requirement("DPA-CC-17")
    void aFaultNamesTheLine(String option, boolean isChecked) throws IOException {
        DpaApp<DpaThread> app = compile(option);
        RunMode mode = isChecked ? RunMode.check(Observer.NONE, 1) : RunMode.fast();
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, mode), app)) {
            assertThatThrownBy(() -> call(process, app, "wild", 8))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining("kernel.c:5");
            CrashReport crash = process.crashReport().orElseThrow();
            assertLine(crash.place(), "poke", "*(volatile uint64_t *)address = 1;");
        }
    }

    @Test
    @Requirement("DPA-CC-17")
    void aFaultOfACallNamesTheLine() throws IOException {
        DpaApp<DpaThread> app = compile("-O2");
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app)) {
            assertThatThrownBy(() -> call(process, app, "crash_in_call", 8))
                    .isInstanceOf(FlexioException.class);
            CrashReport crash = process.crashReport().orElseThrow();
            assertLine(crash.place(), "crash_in_call", "ecall");
        }
    }

    @ParameterizedTest
    @CsvSource({"-O0", "-O2"})
    @Requirement("DPA-CC-17")
    void whatHeadersDoIsSaidOfTheirCaller(String option) throws IOException {
        DpaApp<DpaThread> app = compile(option);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app)) {
            assertThatThrownBy(() -> call(process, app, "use_lock", 8))
                    .isInstanceOf(FlexioException.class);
            CrashReport crash = process.crashReport().orElseThrow();
            assertLine(crash.place(), "use_lock", "spin_trylock((struct");
        }
    }

    @ParameterizedTest
    @CsvSource({"-O0", "-O2"})
    @Requirement({"DPA-CC-17", "DPA-CHK-6a"})
    void aFindingNamesTheLine(String option) throws IOException {
        DpaApp<DpaThread> app = compile(option);
        Checker checker = new Checker(Profile.SEED, false);
        DpaDevice device =
                DpaDevice.of(
                        MachineOptions.DEFAULT, RunMode.check(Observer.NONE, 1), () -> checker);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, app)) {
            call(process, app, "look", 0);
        }
        List<Finding> findings = checker.findings();
        assertThat(findings).extracting(Finding::rule).contains(Rule.POLL_WITHOUT_READ_INV);
        assertThat(findings).as(findings.toString()).hasSize(1);
        assertLine(findings.getFirst().first().place(), "look", "while (*(volatile");
        assertThat(findings.getFirst().toString()).contains("kernel.c:22");
    }

    /// The compiler loads the flag once; in virtual time the watchdog ends the loop.
    @Test
    @Requirement({"DPA-CHK-6b", "DPA-CC-17"})
    void aPollThatIsKeptInARegisterIsFound() throws IOException {
        DpaApp<DpaThread> app = compile("-O2");
        Checker checker = new Checker(Profile.SEED, false);
        DpaDevice device =
                DpaDevice.of(
                        MachineOptions.DEFAULT, RunMode.check(Observer.NONE, 1), () -> checker);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = FlexioProcess.create(host, device, app)) {
            long flag = process.heap().zeros(Long.BYTES).value();
            assertThatThrownBy(() -> call(process, app, "wait_for", flag))
                    .isInstanceOf(FlexioException.class)
                    .hasMessageContaining("code 11)");
        }
        List<Finding> findings = checker.findings();
        assertThat(findings).extracting(Finding::rule).containsExactly(Rule.NON_VOLATILE_POLL);
        assertLine(findings.getFirst().first().place(), "wait_for", "if (*flag)");
        assertThat(findings.getFirst().second().place().file()).endsWith("/kernel.c");
    }
}
