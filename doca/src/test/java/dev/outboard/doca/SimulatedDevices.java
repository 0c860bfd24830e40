package dev.outboard.doca;

import java.util.concurrent.atomic.AtomicInteger;

/// Simulated devices for tests, with the clock of the wall, because tests of DOCA have threads.
public final class SimulatedDevices {
    private static final AtomicInteger NEXT_HOST = new AtomicInteger();

    private SimulatedDevices() {}

    /// Another device each time, which reaches the others.
    public static DocaDevInfo next() {
        return next("doca", "");
    }

    /// Another device of `network`.
    ///
    /// @param options of the network, each behind an ampersand
    public static DocaDevInfo next(String network, String options) {
        int host = NEXT_HOST.getAndIncrement();
        return DocaDevInfo.of(
                "sim://%s/10.0.%d.%d?clock=real%s"
                        .formatted(network, host / 250, host % 250 + 1, options));
    }
}
