package dev.outboard.fabric;

import java.net.InetAddress;
import java.util.Optional;

/// A device that could be opened, and what is known of it without opening it.
///
/// @param uri opens it; of two URIs for one device with the same options it is the same
/// @param address where its packets leave from; of one that draws its address, an address of the
///   same network interface; empty if it has none, or none can be told
/// @param isDrawn whether each opening is a device of its own, with an address drawn for it
public record DeviceInfo(String uri, Optional<InetAddress> address, boolean isDrawn) {}
