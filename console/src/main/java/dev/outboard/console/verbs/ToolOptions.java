package dev.outboard.console.verbs;

import dev.outboard.console.naa.Counters;
import dev.outboard.console.naa.DeviceOptions;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options that all tools have.
final class ToolOptions {
    private static final String AUTO = "auto";

    /// Where a server is unless it is told otherwise.
    static final String LOOPBACK = "127.0.0.1";

    @Option(
            names = "--bind",
            paramLabel = "ADDR",
            description =
                    "The local address. Default: 127.0.0.1 for a server ('auto': a free loopback"
                            + " address), for a client the one that leads to the server.")
    private @Nullable String bind;

    @Option(
            names = "--listen",
            paramLabel = "ADDR",
            description =
                    "Where a server that agrees over TCP listens, default the local address."
                            + " perftest knows IPv4 only there, also when it measures IPv6.")
    private @Nullable String listen;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "Give up when the peer does nothing for so long, default 60s.")
    private Duration timeout;

    @Mixin private DeviceOptions device;

    /// Opens the device of a server.
    Devices.Share openServer() {
        if (bind == null) {
            return device.open(LOOPBACK);
        }
        return bind.equals(AUTO) ? device.openTowards(LOOPBACK) : device.open(bind);
    }

    /// Opens the device of a client of `server`.
    Devices.Share openTowards(String server) {
        return bind == null ? device.openTowards(server) : device.open(bind);
    }

    /// Opens the device at the local address `address`.
    Devices.Share open(String address) {
        return device.open(address);
    }

    /// Where a server on `used` listens for TCP connections.
    InetAddress listenAddress(Device used) {
        return listen == null ? used.address() : Tool.resolve(listen);
    }

    /// How long to wait for the peer at each step.
    Duration limit() {
        return timeout;
    }

    /// Prints the counters of `used` if the user has asked for them.
    void printStats(Device used, PrintWriter out) {
        if (device.stats()) {
            out.println();
            new Counters().add("device " + used.name(), used.counters()).print(out);
        }
    }
}
