package dev.outboard.dpa.debug;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import dev.outboard.dpa.debug.io.GdbServer;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The real gdb operates functions of a process of the DPA.
class GdbDeviceTest {
    private static final String SOURCE =
            """
            #include <dpaintrin.h>

            struct counter {
                uint32_t calls;
                uint64_t sum;
            };
            static struct counter counter;

            static __attribute__((noinline)) void count(uint64_t value)
            {
                counter.calls++;
                counter.sum += value;
            }

            __dpa_rpc__ uint64_t add(uint64_t a, uint64_t b)
            {
                count(a);
                count(b);
                return counter.sum;
            }
            """;

    @TempDir private Path directory;

    private byte[] compiled() throws Exception {
        Path source = Files.writeString(directory.resolve("counter.c"), SOURCE);
        try {
            return DeviceCompiler.onThisMachine()
                    .compile(new DeviceSources(List.of(source), List.of(), List.of("-O0")));
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }

    /// What the host does meanwhile.
    @FunctionalInterface
    private interface Host {
        void act(FlexioProcess process, DpaCall<DpaThread> add);
    }

    private String session(Host host, String... commands) throws Exception {
        byte[] elf = compiled();
        Path file = Files.write(directory.resolve("counter.elf"), elf);
        try (GdbServer server = GdbServer.listen(0);
                Gdb gdb = Gdb.orSkip(server.port(), file, commands)) {
            ProgramView view = new ProgramView(DeviceElf.parse(elf).program());
            Debugger debugger = new Debugger(view, server);
            DpaApp<DpaThread> app = CProgram.app("counter", elf, debugger);
            ByteBuffer arguments = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            arguments.putLong(30).putLong(12).flip();
            server.accept(debugger, Gdb.PATIENCE);
            DpaDevice device =
                    DpaDevice.of(MachineOptions.DEFAULT, RunMode.check(Observer.NONE, 1));
            try (HostProcess process = HostProcess.open();
                    FlexioProcess created = FlexioProcess.create(process, device, app)) {
                host.act(created, new DpaCall<>(app.function("add"), arguments));
            }
            server.exited(0);
            return gdb.text();
        }
    }

    @Test
    @Requirement("DPA-RV-7")
    void itStopsInFunctionsOfTheDevice() throws Exception {
        String text =
                session(
                        (process, add) -> {
                            assertThat(process.call(add)).isEqualTo(42);
                            assertThat(process.call(add)).isEqualTo(1000 + 42);
                        },
                        "break counter.c:12",
                        "continue",
                        "print value",
                        "backtrace",
                        "print counter",
                        "watch counter.sum",
                        "continue",
                        "delete",
                        "break add",
                        "continue",
                        "print counter",
                        "set variable counter.sum = 1000",
                        "continue");
        assertThat(text)
                .containsSubsequence(
                        "Breakpoint 1, count (value=30) at ",
                        "counter.c:12",
                        "$1 = 30\n",
                        "#0  count (value=30) at ",
                        "#1  0x",
                        " in add (a=30, b=12) at ",
                        "$2 = {calls = 1, sum = 0}",
                        "Hardware watchpoint 2: counter.sum",
                        "Old value = 0\nNew value = 30\n",
                        "Breakpoint 3, add (a=30, b=12)",
                        "$3 = {calls = 2, sum = 42}",
                        "exited normally]");
    }

    @Test
    void aProcessThatGdbKillsEnds() throws Exception {
        String text =
                session(
                        (process, add) ->
                                assertThatThrownBy(() -> process.call(add))
                                        .isInstanceOf(FlexioException.class),
                        "break add",
                        "continue",
                        "kill");
        assertThat(text).contains("Breakpoint 1, add (a=30, b=12)");
    }
}
