package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.sim.SimNetwork;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A simulated network that no other test has, with the clock of the wall. Registered as an
/// extension it fails a test that leaves something open.
public final class SimulatedFabric implements AfterEachCallback {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "naa-" + COUNT.incrementAndGet();
    private final List<Device> devices = new CopyOnWriteArrayList<>();

    /// Another device of the network, at a loopback address: a server has no limits per address for
    /// these.
    public Device device() {
        int host = devices.size() + 1;
        Device device = Fabric.open("sim://%s/127.0.0.%d?clock=real".formatted(name, host));
        devices.add(device);
        return device;
    }

    /// From now on nobody hears of anybody else.
    void cut() {
        for (Device from : devices) {
            for (Device to : devices) {
                network().cut(from.address(), to.address());
            }
        }
    }

    /// From now on nothing arrives but the first packet that `sender` sends.
    void passFirstOf(Device sender) {
        AtomicInteger count = new AtomicInteger();
        network()
                .filter(frame ->
                        frame.from().equals(sender.address()) && count.getAndIncrement() == 0);
    }

    /// Counts, from now on, the packets with immediate data.
    AtomicInteger countImmediates() {
        AtomicInteger count = new AtomicInteger();
        network()
                .filter(frame -> {
                    Opcode opcode = Opcode.of(frame.bytes()[0] & 0xFF);
                    if (opcode != null && opcode.hasImmediate()) {
                        count.incrementAndGet();
                    }
                    return true;
                });
        return count;
    }

    /// Everybody hears everybody again.
    void heal() {
        network().heal();
        network().filter(frame -> true);
    }

    private SimNetwork network() {
        return SimNetwork.of(devices.getFirst());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        for (Device device : devices) {
            assertThat(device.counters())
                    .as(device.name())
                    .containsEntry("open.protection-domains", 0L)
                    .containsEntry("open.completion-queues", 0L)
                    .containsEntry("open.memory-regions", 0L)
                    .containsEntry("open.queue-pairs", 0L)
                    .containsEntry("open.connection-channels", 0L);
            device.close();
        }
    }
}
