package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/// From a program to what its first call returns: the program is read or checked, gets a process,
/// runs a function and goes.
final class FirstResult implements Ours.Subject {
    private final RoundTripTimes times = new RoundTripTimes();
    private final DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
    private final Supplier<DpaApp<DpaThread>> program;
    private final String function;

    /// @param program makes it
    /// @param function takes a word
    FirstResult(Supplier<DpaApp<DpaThread>> program, String function) {
        this.program = program;
        this.function = function;
    }

    @Override
    public double run(long nanos) {
        return times.median(nanos, this::call);
    }

    private void call() {
        DpaApp<DpaThread> app = program.get();
        try (HostProcess host = HostProcess.open()) {
            FlexioProcess process = FlexioProcess.create(host, device, app);
            long _ =
                    process.call(
                            new DpaCall<>(app.function(function), ByteBuffer.allocate(Long.BYTES)));
        }
    }

    @Override
    public void close() {
        // Nothing is left.
    }
}
