package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Two sides of connections: two contexts on a network, or one context that is both.
final class RdmaFixture implements AutoCloseable {
    private static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
    private static final AtomicInteger NETWORKS = new AtomicInteger();

    final Side left;
    final Side right;
    private final CheckedDevices checked = new CheckedDevices();
    private final List<Device> cards = new ArrayList<>();
    private final List<DpaDevice> devices = new ArrayList<>();
    private final List<Closing> opened = new ArrayList<>();

    /// In which mode, and over which device of the fabric.
    ///
    /// @param uri with a place for the name of the network and one for the host
    record Setting(RunMode mode, Optional<String> uri) {
        @Override
        public String toString() {
            return mode + uri.map(" over "::concat).orElse("");
        }
    }

    /// One side.
    record Side(DocaDev dev, DocaDpa dpa) {
        /// For the DPA and the CPU, both ways.
        SyncEvent event() {
            return new SyncEvent(dev)
                    .publisher(dpa)
                    .subscriber(dpa)
                    .publisher(Location.CPU)
                    .subscriber(Location.CPU)
                    .start();
        }

        /// A block with these words.
        DpaAddr block(long... words) {
            DpaAddr block = dpa.memAlloc((long) words.length * Long.BYTES);
            try (Arena arena = Arena.ofConfined()) {
                dpa.copyToDpa(block, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
            }
            return block;
        }

        long[] words(DpaAddr from, int count) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
                dpa.copyFromDpa(to, from);
                return to.toArray(ValueLayout.JAVA_LONG);
            }
        }
    }

    RdmaFixture(Setting setting, DpaApp<DpaThread> app) {
        int network = NETWORKS.incrementAndGet();
        if (setting.uri.isEmpty()) {
            Device card = open(Fabric.open("sim://rdma-%d/10.8.0.1".formatted(network)));
            DocaDev dev = open(DocaDev.of(card));
            left = new Side(dev, open(DocaDpa.create(dev, device(setting)).app(app).start()));
            right = left;
        } else {
            left = onFabric(setting, setting.uri.get().formatted("rdma-" + network, 1), app);
            right = onFabric(setting, setting.uri.get().formatted("rdma-" + network, 2), app);
        }
    }

    static final String SIM = "sim://%s/10.8.0.%d?clock=real";
    static final String ROCE = "roce://auto?peer=127.0.0.1";

    /// All modes, and peers on the fabric.
    static List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        for (RunMode mode : CheckedDevices.modes()) {
            settings.add(new Setting(mode, Optional.empty()));
        }
        settings.add(new Setting(RunMode.fast(), Optional.of(SIM)));
        settings.add(new Setting(RunMode.fast(), Optional.of(ROCE)));
        return settings;
    }

    private Side onFabric(Setting setting, String uri, DpaApp<DpaThread> app) {
        Device card = open(Fabric.open(uri));
        cards.add(card);
        DocaDev dev = open(DocaDev.of(card));
        DpaDevice device = DpaDevice.of(OPTIONS, setting.mode, card);
        devices.add(device);
        return new Side(dev, open(DocaDpa.create(dev, device).app(app).start()));
    }

    private DpaDevice device(Setting setting) {
        devices.add(checked.device(OPTIONS, setting.mode));
        return devices.getFirst();
    }

    /// What a checker finds, if there is one, instead of nothing.
    void expect(Rule... findings) {
        checked.expect(findings);
    }

    /// The device of the left side.
    DpaDevice device() {
        return devices.getFirst();
    }

    /// The right side answers nothing any more.
    void killRight() {
        cards.get(1).close();
    }

    /// It is closed with this, before what was opened earlier.
    <T extends AutoCloseable> T open(T made) {
        opened.add(() -> {
            try {
                made.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        return made;
    }

    private interface Closing {
        void close();
    }

    @Override
    public void close() {
        opened.reversed().forEach(Closing::close);
        checked.verify();
    }
}
