package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A started DPA context on a card with two more functions, and an extended one on the first of
/// them.
final class FunctionsFixture implements AutoCloseable {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final AtomicInteger NETWORKS = new AtomicInteger();

    final DocaDev dev;
    final DocaDev otherDev;
    final DocaDpa base;
    final DocaDpa other;
    private final Device card;
    private final Device function;
    private final CheckedDevices devices = new CheckedDevices();

    /// In which mode, and whether the card carries what queue pairs send.
    record Setting(RunMode mode, boolean onFabric) {
        @Override
        public String toString() {
            return mode + (onFabric ? " on the fabric" : "");
        }
    }

    static List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        CheckedDevices.modes().forEach(mode -> settings.add(new Setting(mode, false)));
        settings.add(new Setting(RunMode.fast(), true));
        return settings;
    }

    FunctionsFixture(Setting setting) {
        card =
                Fabric.open(
                        "sim://functions-%d/10.8.0.1?role=dpu&functions=vf:10.8.0.11,sf:10.8.0.12&clock=real"
                                .formatted(NETWORKS.incrementAndGet()));
        function = card.openFunction(1);
        dev = DocaDev.of(card);
        otherDev = DocaDev.of(function);
        DpaDevice device =
                setting.onFabric
                        ? DpaDevice.of(OPTIONS, setting.mode, card)
                        : devices.device(OPTIONS, setting.mode);
        base = DocaDpa.create(dev, device).app(FunctionStepsStub.APP).start();
        other = base.extend(otherDev);
    }

    /// Opens one more function of the card.
    Device open(int number) {
        return card.openFunction(number);
    }

    /// On the DPA and the CPU, both ways.
    static SyncEvent event(DocaDev dev, DocaDpa dpa) {
        return new SyncEvent(dev)
                .publisher(dpa)
                .subscriber(dpa)
                .publisher(Location.CPU)
                .subscriber(Location.CPU)
                .start();
    }

    SyncEvent event() {
        return event(dev, base);
    }

    SyncEvent otherEvent() {
        return event(otherDev, other);
    }

    /// Memory of the host.
    Mmap memory(int bytes) {
        return Mmap.builder()
                .device(dev)
                .device(otherDev)
                .memrange(bytes)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    void expect(Rule... rules) {
        devices.expect(rules);
    }

    @Override
    public void close() {
        other.close();
        base.close();
        otherDev.close();
        dev.close();
        function.close();
        card.close();
        devices.verify();
    }
}
