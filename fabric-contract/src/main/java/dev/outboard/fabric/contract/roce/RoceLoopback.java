package dev.outboard.fabric.contract.roce;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.nio.file.Path;

/// Devices of the RoCE provider that reach each other on the loopback interface, each at an address
/// of its own.
public final class RoceLoopback {
    /// Another device each time.
    public static final String URI = "roce://auto?peer=127.0.0.1";

    private RoceLoopback() {}

    public static Device open() {
        return Fabric.open(URI);
    }

    /// Another device with further options, as in a URI: `acknowledge=first&icrc=strict`.
    public static Device open(String options) {
        return Fabric.open(URI + "&" + options);
    }

    /// A device that writes its packets to `capture`.
    public static Device capturing(Path capture) {
        return open("capture=" + capture);
    }

    /// An address that no device has just now.
    public static String freeAddress() {
        try (Device device = open()) {
            return device.address().getHostAddress();
        }
    }
}
