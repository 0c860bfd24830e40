package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.sim.SimNetwork;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Simulated devices with an application each, all in one thread: the network steps, then every
/// application looks what has come.
public final class Simulation implements AutoCloseable {
    public static final long NEVER = Long.MAX_VALUE;

    private static final AtomicLong COUNT = new AtomicLong();

    private static final String OF_DEVICE = "?mtu=1024";

    private final String uri;

    /// What the first device says of the network.
    private final String ofNetwork;

    private final List<SimulatedHost> hosts = new ArrayList<>();

    /// A network that no other test has.
    ///
    /// @param options as in the URI of a device
    public Simulation(String options) {
        this.uri = "sim://simulation-" + COUNT.incrementAndGet() + "/";
        this.ofNetwork = "&clock=stepped&" + options;
    }

    /// A percentage as a URI has it.
    public static String percent(double fraction) {
        return BigDecimal.valueOf(Math.round(fraction * 1e8), 6) + "%25";
    }

    /// A device at `address` with an application that does nothing yet.
    public SimulatedHost host(String address) {
        String device = uri + address + OF_DEVICE;
        SimulatedHost host = new SimulatedHost(hosts.isEmpty() ? device + ofNetwork : device);
        hosts.add(host);
        return host;
    }

    public SimNetwork network() {
        return SimNetwork.of(hosts.getFirst().device());
    }

    public long nowNanos() {
        return network().nowNanos();
    }

    /// The host at `address` dies, application and all.
    public void kill(InetAddress address) {
        network().kill(address);
        hosts.stream().filter(host -> host.address().equals(address)).forEach(SimulatedHost::die);
    }

    /// Goes on to what happens next; false if nothing will.
    public boolean step() {
        long wanted = NEVER;
        for (SimulatedHost host : hosts) {
            wanted = Math.min(wanted, host.deadlineNanos());
        }
        SimNetwork network = network();
        if (network.nextNanos() <= wanted) {
            if (!network.step()) {
                return false;
            }
        } else {
            network.runUntil(wanted);
        }
        look();
        return true;
    }

    /// Lets everything happen until `nanos`.
    public void runUntil(long nanos) {
        while (network().nextNanos() <= nanos) {
            assertThat(step()).isTrue();
        }
        network().runUntil(nanos);
        look();
    }

    private void look() {
        hosts.forEach(SimulatedHost::look);
    }

    @Override
    public void close() {
        hosts.forEach(host -> host.device().close());
    }
}
