package dev.outboard.fabric.roce.io;

import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/// RoCE sockets on loopback addresses that nobody else has. Port 4791 is the protocol's, so tests
/// differ in the address.
final class Loopback {
    private static final int ATTEMPTS = 1000;

    private static int next = (int) ProcessHandle.current().pid();

    private Loopback() {}

    /// A socket on port 4791 of some 127.91.x.y.
    static UdpSocket bind() {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return UdpSocket.bind(address(), Path.DESTINATION_PORT);
            } catch (FabricException e) {
                if (e.reason() != Reason.ADDRESS_IN_USE) {
                    throw e;
                }
            }
        }
        throw new AssertionError("no free address in 127.91.0.0/16");
    }

    /// An IPv6 socket on any port.
    static UdpSocket bindIpv6() {
        return bindIpv6(0);
    }

    /// An IPv6 socket. There is one IPv6 loopback address for everybody, so port 4791 may be taken.
    static UdpSocket bindIpv6(int port) {
        InetAddress local = ipv6Address();
        try {
            return UdpSocket.bind(local, port);
        } catch (FabricException e) {
            if (e.reason() != Reason.ADDRESS_IN_USE) {
                throw e;
            }
            return abort("somebody else has " + e.getMessage());
        }
    }

    /// The one IPv6 loopback address, if the machine has it.
    static InetAddress ipv6Address() {
        InetAddress local = address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        try {
            return NetworkInterface.getByInetAddress(local) == null ? abort("no IPv6 here") : local;
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    /// An address that was not handed out in this process before.
    static synchronized InetAddress address() {
        next = next * 5 + 1;
        return address(127, 91, next >> 8 & 0xFF, next & 0xFF);
    }

    static InetAddress address(int... parts) {
        byte[] bytes = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
            bytes[i] = (byte) parts[i];
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /// The path from one socket to another, or to itself.
    static Path path(UdpSocket from, UdpSocket to) {
        return new Path(
                Gid.of(from.localAddress()), Gid.of(to.localAddress()), from.localPort(), 0);
    }
}
