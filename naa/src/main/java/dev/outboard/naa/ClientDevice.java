package dev.outboard.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.naa.NaaConnectException.Reason;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/// The device a client leaves from and the server's addresses that it can reach.
///
/// @param owned whether it was opened for the client
/// @param addresses of the device's family, at least one
record ClientDevice(Device device, boolean owned, List<InetAddress> addresses) {

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
        boolean owned = settings.device.isEmpty();
        Device device = settings.device.orElseGet(() -> openDevice(where, settings, all));
        boolean v6 = device.address() instanceof Inet6Address;
        List<InetAddress> usable =
                all.stream().filter(address -> address instanceof Inet6Address == v6).toList();
        if (usable.isEmpty()) {
            if (owned) {
                device.close();
            }
            throw new NaaConnectException(
                    where,
                    Reason.ADDRESS_RESOLUTION,
                    "none of %s can be reached from %s; use an address of the same IP version"
                            .formatted(all, device.name()));
        }
        return new ClientDevice(device, owned, usable);
    }

    /// Closes the device if it was opened for the client.
    void close() {
        if (owned) {
            device.close();
        }
    }

    private static Device openDevice(
            NaaException.Where where, NaaClientBuilder settings, List<InetAddress> remote) {
        String uri =
                settings.deviceUri.orElseGet(() ->
                        settings.local
                                .map(name -> "roce://" + text(resolve(where, name).get(0)))
                                .orElseGet(() -> "roce://auto?peer=" + peer(remote)));
        try {
            return Fabric.open(uri);
        } catch (FabricException e) {
            throw new NaaConnectException(
                    where, Reason.CONNECT_ERROR, String.valueOf(e.getMessage()), e);
        }
    }

    private static String peer(List<InetAddress> remote) {
        return remote.getFirst().getHostAddress();
    }

    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        return address instanceof Inet6Address ? "[" + text + "]" : text;
    }

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
