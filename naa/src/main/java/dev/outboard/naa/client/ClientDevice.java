package dev.outboard.naa.client;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaConnectException.Reason;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/// The device a client leaves from and the server's addresses that it can reach.
///
/// @param shared is given back when the client is closed
/// @param addresses of the device's family, at least one
record ClientDevice(SharedDevice shared, List<InetAddress> addresses) {
    /// Resolves the host and opens the device, if none is given.
    ///
    /// @throws NaaConnectException if that does not work
    static ClientDevice open(NaaClientBuilder settings) {
        NaaException.Where where =
                new NaaException.Where(
                        NaaException.Phase.CONNECT,
                        NaaState.INIT,
                        settings.host + ":" + settings.port);
        List<InetAddress> all = resolve(where, settings.host);
        SharedDevice shared =
                settings.device
                        .map(SharedDevice::of)
                        .orElseGet(() -> openDevice(where, settings, all));
        Device device = shared.device();
        boolean v6 = device.address() instanceof Inet6Address;
        List<InetAddress> usable =
                all.stream().filter(address -> address instanceof Inet6Address == v6).toList();
        if (usable.isEmpty()) {
            shared.release();
            throw new NaaConnectException(
                    where,
                    Reason.ADDRESS_RESOLUTION,
                    "none of %s can be reached from %s; use an address of the same IP version"
                            .formatted(all, device.name()));
        }
        return new ClientDevice(shared, usable);
    }

    private static SharedDevice openDevice(
            NaaException.Where where, NaaClientBuilder settings, List<InetAddress> remote) {
        try {
            return SharedDevice.opened(
                    settings.deviceUri.orElseGet(() -> chosen(where, settings, remote).uri()));
        } catch (FabricException e) {
            throw new NaaConnectException(
                    where, Reason.CONNECT_ERROR, String.valueOf(e.getMessage()), e);
        }
    }

    private static DeviceInfo chosen(
            NaaException.Where where, NaaClientBuilder settings, List<InetAddress> remote) {
        return settings.local
                .map(name -> Fabric.at(resolve(where, name).getFirst()))
                .orElseGet(() -> Fabric.towards(remote.getFirst()));
    }

    /// NAA-CONN-13: names and addresses alike, and all that the resolver knows.
    private static List<InetAddress> resolve(NaaException.Where where, String name) {
        try {
            return Arrays.asList(InetAddress.getAllByName(name));
        } catch (UnknownHostException e) {
            throw new NaaConnectException(
                    where,
                    Reason.ADDRESS_RESOLUTION,
                    "unknown host '" + name + "'; check the spelling or use an address",
                    e);
        }
    }
}
