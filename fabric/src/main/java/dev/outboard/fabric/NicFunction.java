package dev.outboard.fabric;

import java.net.InetAddress;
import java.util.Locale;

/// A function of a network card: what one driver sees as a device. Each has an address, a GUID,
/// queues, keys, memory of the card and counters of its own.
///
/// @param number tells the functions of a card apart; that of the physical one is 0
/// @param name of the device that it is: its URI without options
/// @param address where its packets leave from
public record NicFunction(int number, Kind kind, String name, InetAddress address) {
    /// What a function is to the PCI bus.
    public enum Kind {
        /// The card itself.
        PHYSICAL,
        /// A share of the card for a virtual machine (SR-IOV).
        VIRTUAL,
        /// A share of the card that the bus does not know of (a scalable function).
        SUB
    }

    @Override
    public String toString() {
        return "%d (%s, %s)".formatted(number, kind.name().toLowerCase(Locale.ROOT), name);
    }
}
