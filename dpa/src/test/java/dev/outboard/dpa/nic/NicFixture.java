package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.fabric.Fabric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// A process with a NIC, and two queue pairs that are connected with each other.
final class NicFixture {
    static final int MAX_MESSAGE_BYTES = 256;

    static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withStorage(new Storage(16384, 1024, false));

    final DpaProcess process;
    final NicEngine nic;
    final int outbox;
    final ExternalRegion host;
    final List<AsyncEvent> events = Collections.synchronizedList(new ArrayList<>());

    private final RunMode mode;
    private final Optional<dev.outboard.fabric.Device> card;

    /// How a NIC runs.
    ///
    /// @param fabric the device that carries what queue pairs send; if empty, the NIC itself does
    record Setting(RunMode mode, Optional<String> fabric) {
        @Override
        public String toString() {
            return mode + fabric.map(" over "::concat).orElse("");
        }
    }

    NicFixture(RunMode mode) {
        this(new Setting(mode, Optional.empty()));
    }

    NicFixture(Setting setting) {
        this(setting, MAX_MESSAGE_BYTES);
    }

    NicFixture(Setting setting, int maxMessageBytes) {
        mode = setting.mode;
        card = setting.fabric.map(Fabric::open);
        process = DpaProcess.open(OPTIONS, ProgramImage.EMPTY, mode);
        outbox = process.createOutbox();
        host = process.external().add("host", ExternalKind.HOST, 8192);
        nic =
                new NicEngine(
                        process,
                        "NIC",
                        maxMessageBytes,
                        new AtomicInteger(0x40),
                        card.map(dev.outboard.fabric.Device::allocateProtectionDomain),
                        events::add);
    }

    /// FAST, its rules in turns under the checker, and WEAK.
    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(new Checker(Profile.SEED, false), 1),
                RunMode.weak(Profile.SEED, 1));
    }

    /// The same, and on devices of the fabric.
    static List<Setting> settings() {
        List<Setting> settings = new ArrayList<>();
        modes().forEach(mode -> settings.add(new Setting(mode, Optional.empty())));
        for (String uri : List.of("sim://nic/10.6.0.1?clock=real", "roce://auto?peer=127.0.0.1")) {
            settings.add(new Setting(RunMode.fast(), Optional.of(uri)));
        }
        return settings;
    }

    /// Takes memory that holds zeros.
    long allocate(int lengthBytes) {
        long address = process.heap().allocate(lengthBytes);
        process.write(address, new byte[lengthBytes]);
        return address;
    }

    /// Runs a kernel that has an end point, connected with another one.
    void run(Device device) {
        assertThat(check(device)).isEmpty();
    }

    /// The same with what a checker finds, if there is one.
    List<Finding> check(Device device) {
        ThreadHandle[] handle = new ThreadHandle[1];
        Endpoint[] ends = new Endpoint[2];
        Kernel kernel =
                thread -> {
                    thread.configureOutbox(outbox);
                    device.run(new Endpoint.Pair(thread, ends[0], ends[1]));
                };
        handle[0] = process.thread("device", kernel);
        ends[0] = new Endpoint(this, handle[0], 0xA0);
        ends[1] = new Endpoint(this, handle[0], 0xB0);
        ends[0].pair.connect(ends[1].pair);
        return findings();
    }

    void runsToItsEnd() {
        assertThat(findings()).isEmpty();
    }

    private List<Finding> findings() {
        RunResult result;
        try {
            result = process.run();
        } finally {
            nic.close();
            card.ifPresent(dev.outboard.fabric.Device::close);
        }
        String crash = result.crash().map(report -> report.text()).orElse("");
        assertThat(result.end()).as("%s %s", result, crash).isEqualTo(End.DONE);
        return mode instanceof RunMode.Turns turns && turns.observer() instanceof Checker checker
                ? checker.findings()
                : List.of();
    }

    /// What a thread does with two end points.
    @FunctionalInterface
    interface Device {
        /// Runs once.
        void run(Endpoint.Pair ends);
    }
}
