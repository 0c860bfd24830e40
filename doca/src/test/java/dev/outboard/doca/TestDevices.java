package dev.outboard.doca;

import dev.outboard.fabric.contract.roce.RoceLoopback;

/// Devices for tests.
public final class TestDevices {
    private TestDevices() {}

    /// A device of its own, which reaches the others by loopback.
    public static DocaDev open() {
        return DocaDev.open(loopback());
    }

    /// Another device each time.
    public static DocaDevInfo loopback() {
        return DocaDevInfo.of(RoceLoopback.URI);
    }
}
