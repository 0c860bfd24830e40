package dev.outboard.fabric.sim;

import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.spi.Quantity;
import java.util.Map;
import java.util.Set;

/// What the URI of a simulated device says of the network rather than of the device ([SimProvider]
/// has the syntax).
///
/// @param written as it is written
/// @param clock how time passes there
/// @param seed decides about everything that is left to chance
/// @param faults what happens to packets
record NetworkOptions(
        Map<String, String> written, SimClock clock, long seed, NetworkFaults faults) {
    static final Set<String> KEYS =
            Set.of(
                    "seed",
                    "clock",
                    "latency",
                    "jitter",
                    "bandwidth",
                    "loss",
                    "duplicate",
                    "reorder",
                    "corrupt",
                    "inbox",
                    "idle");

    private static final NetworkOptions DEFAULTS = parse(Map.of());

    /// @throws dev.outboard.fabric.FabricException with BAD_URI for a value that cannot be
    ///   understood
    static NetworkOptions of(Map<String, String> written) {
        return written.isEmpty() ? DEFAULTS : parse(written);
    }

    private static NetworkOptions parse(Map<String, String> written) {
        return new NetworkOptions(
                written,
                SimOptions.value(written, "clock", "virtual", SimClock::of),
                SimOptions.value(written, "seed", "0", Quantity::integer),
                faults(written));
    }

    private static NetworkFaults faults(Map<String, String> options) {
        return NetworkFaults.none(SimOptions.value(options, "latency", "1us", Quantity::nanos))
                .withJitter(SimOptions.value(options, "jitter", "0ns", Quantity::nanos))
                .withBandwidth(
                        SimOptions.value(options, "bandwidth", "100Gbit", Quantity::bitsPerSecond))
                .withTurn(SimOptions.value(options, "idle", "0ns", Quantity::nanos))
                .withLoss(SimOptions.value(options, "loss", "0%", Quantity::fraction))
                .withDuplication(SimOptions.value(options, "duplicate", "0%", Quantity::fraction))
                .withReordering(SimOptions.value(options, "reorder", "0%", Quantity::fraction))
                .withCorruption(SimOptions.value(options, "corrupt", "0%", Quantity::fraction))
                .withInbox(SimOptions.value(options, "inbox", "1000000", NetworkOptions::inbox));
    }

    private static int inbox(String text) {
        if (!text.matches("[1-9]\\d{0,6}")) {
            throw new IllegalArgumentException("expected 1 to 9999999 packets");
        }
        return Integer.parseInt(text);
    }
}
