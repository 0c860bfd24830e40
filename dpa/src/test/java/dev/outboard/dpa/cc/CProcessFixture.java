package dev.outboard.dpa.cc;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A process of a program in C among the resources, at full speed.
abstract class CProcessFixture {
    private final String program;
    DpaApp<DpaThread> app;
    HostProcess host;
    FlexioProcess process;
    FlexioHeap heap;

    CProcessFixture(String program) {
        this.program = program;
    }

    @BeforeEach
    void open() {
        app = Clang.app(program);
        host = HostProcess.open();
        process =
                FlexioProcess.create(
                        host, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), app);
        heap = process.heap();
    }

    @AfterEach
    void close() {
        if (process != null) {
            process.close();
            host.close();
        }
    }
}
