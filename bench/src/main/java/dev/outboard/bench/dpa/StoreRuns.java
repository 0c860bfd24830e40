package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.dpa.example.KeyValueStore;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.process.DpaProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/// The median time that a key-value store runs, each time in a process of its own. Loading it does
/// not count; it takes the same in all modes.
record StoreRuns(LongFunction<RunMode> mode) implements Ours.Subject {
    @Override
    public double run(long nanos) {
        List<Long> times = new ArrayList<>();
        long start = System.nanoTime();
        long seed = 1;
        do {
            times.add(time(mode.apply(seed++)));
        } while (System.nanoTime() - start < nanos);
        return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
    }

    private static long time(RunMode mode) {
        DpaProcess process = DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, mode);
        process.load(KeyValueStore.class, KeyValueStore.parts()).setUp(process);
        long start = System.nanoTime();
        RunResult result = process.run();
        long time = System.nanoTime() - start;
        if (result.end() != RunResult.End.DONE) {
            throw new MeasurementException(result.toString());
        }
        return time;
    }

    @Override
    public void close() {}
}
