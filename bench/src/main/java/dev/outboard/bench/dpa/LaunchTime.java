package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.time.Duration;

/// Launches of a kernel that does nothing, until its completion event tells that all its threads
/// have ended.
final class LaunchTime implements Ours.Subject {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final int threads;
    private final Device card = Fabric.open("sim://bench-launch/10.0.0.1");
    private final DocaDev dev = DocaDev.of(card);
    private final DocaDpa dpa =
            DocaDpa.create(dev, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()))
                    .app(RoundKernelsStub.APP)
                    .start();
    private final SyncEvent done =
            new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start();
    private final RoundTripTimes times = new RoundTripTimes();
    private long launched;

    LaunchTime(int threads) {
        this.threads = threads;
    }

    @Override
    public double run(long nanos) {
        return times.median(nanos, this::launch);
    }

    private void launch() {
        dpa.launchUpdateAdd(null, 0, done, 1, threads, RoundKernelsStub.empty());
        try {
            done.waitGt(launched, -1, Spin.YIELD, LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new MeasurementException("The kernel was not waited for");
        }
        launched++;
    }

    @Override
    public void close() {
        done.close();
        dpa.close();
        dev.close();
        card.close();
    }
}
