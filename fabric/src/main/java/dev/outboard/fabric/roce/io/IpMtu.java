package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.function.Predicate;

/// How large IP packets from a local address may be. Stateless: any thread may call.
public final class IpMtu {
    private IpMtu() {}

    /// The IP MTU of the interface that `local` belongs to.
    ///
    /// @throws FabricException if it belongs to none
    public static int of(InetAddress local) {
        try {
            return interfaceOf(local).getMTU();
        } catch (SocketException e) {
            throw new FabricException(
                    Reason.SYSTEM, "cannot read the MTU of " + local.getHostAddress(), e);
        }
    }

    /// Linux answers for all of 127.0.0.0/8 on the loopback interface, which lists only 127.0.0.1.
    private static NetworkInterface interfaceOf(InetAddress local) throws SocketException {
        Predicate<NetworkInterface> wanted =
                local.isLoopbackAddress() ? IpMtu::isLoopback : nic -> has(nic, local);
        return NetworkInterface.networkInterfaces()
                .filter(wanted)
                .findFirst()
                .orElseThrow(() -> foreign(local));
    }

    private static FabricException foreign(InetAddress local) {
        return new FabricException(
                Reason.ADDRESS_NOT_AVAILABLE,
                local.getHostAddress() + " is not an address of this machine");
    }

    private static boolean isLoopback(NetworkInterface nic) {
        try {
            return nic.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    private static boolean has(NetworkInterface nic, InetAddress address) {
        return nic.inetAddresses().anyMatch(address::equals);
    }
}
