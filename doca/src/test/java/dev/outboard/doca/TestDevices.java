package dev.outboard.doca;

/// Devices for tests.
public final class TestDevices {
    private TestDevices() {}

    /// A device of its own, which reaches the others by loopback.
    public static DocaDev open() {
        return DocaDev.open(loopback());
    }

    /// Another device each time.
    static DocaDevInfo loopback() {
        return DocaDevInfo.of("roce://auto?peer=127.0.0.1");
    }
}
