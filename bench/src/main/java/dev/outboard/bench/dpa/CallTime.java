package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;

/// Calls of a function of a DPA that returns what it gets.
final class CallTime implements Ours.Subject {
    private final HostProcess host = HostProcess.open();
    private final FlexioProcess process =
            FlexioProcess.create(
                    host,
                    DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()),
                    EchoKernelsStub.APP);
    private final RoundTripTimes times = new RoundTripTimes();
    private long word;

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
