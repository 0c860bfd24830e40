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

/// Calls of a function of a DPA that returns what it gets.
final class CallTime implements Ours.Subject {
    private final HostProcess host = HostProcess.open();
    private final FlexioProcess process;
    private final RoundTripTimes times = new RoundTripTimes();
    private long word;

    /// @param app that of [EchoKernels], or one with the same functions
    CallTime(DpaApp<DpaThread> app) {
        DpaDevice dpa = DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast());
        process = FlexioProcess.create(host, dpa, app);
    }

    @Override
    public double run(long nanos) {
        return times.median(nanos, this::call);
    }

    private void call() {
        word++;
        long answer = process.call(EchoKernelsStub.same(word));
        if (answer != word) {
            throw new IllegalStateException("%d came back as %d".formatted(word, answer));
        }
    }

    @Override
    public void close() {
        host.close();
    }
}
