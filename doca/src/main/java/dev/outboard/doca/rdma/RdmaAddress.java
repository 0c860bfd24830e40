package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Where an [Rdma] context listens (`doca_rdma_addr`): a value, without names to look up.
///
/// @param type how it was written
/// @param address the host
/// @param port 1 to 65535
public record RdmaAddress(Type type, InetAddress address, int port) {
    static final int MAX_PORT = 0xFFFF;

    /// Java takes fewer numbers too, the last of which then stands for several bytes.
    private static final Pattern FOUR_NUMBERS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    /// How an address is written.
    public enum Type {
        /// Four numbers, as in 192.0.2.1.
        IPV4,
        /// As in 2001:db8::1.
        IPV6,
        /// A GID, written like an IPv6 address; that of an IPv4 port is ::ffff: and its address.
        GID
    }

    /// An address that needs no parsing.
    ///
    /// @throws DocaException with INVALID_VALUE if the address is not of the type, or the port none
    public RdmaAddress {
        DocaException.nonNull(type, "type");
        DocaException.nonNull(address, "address");
        if (type == Type.IPV4 && !(address instanceof Inet4Address)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    address.getHostAddress() + " is no IPV4 address; its type is IPV6 or GID");
        }
        if (port < 1 || port > MAX_PORT) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "port is " + port + "; valid: 1 to " + MAX_PORT);
        }
    }

    /// An address such as 192.0.2.1: four decimal numbers.
    ///
    /// @throws DocaException with INVALID_VALUE if `literal` or the port is none
    public static RdmaAddress ipv4(String literal, int port) {
        return parsed(Type.IPV4, RdmaAddress::ofFourNumbers, literal, port);
    }

    private static InetAddress ofFourNumbers(String literal) {
        if (!FOUR_NUMBERS.matcher(literal).matches()) {
            throw new IllegalArgumentException("an IPv4 address is four decimal numbers");
        }
        return Inet4Address.ofLiteral(literal);
    }

    /// An address such as 2001:db8::1.
    ///
    /// @throws DocaException with INVALID_VALUE if `literal` or the port is none
    public static RdmaAddress ipv6(String literal, int port) {
        return parsed(Type.IPV6, Inet6Address::ofLiteral, literal, port);
    }

    /// The address of a port of a device.
    ///
    /// @throws DocaException with INVALID_VALUE if `literal` or the port is none
    public static RdmaAddress gid(String literal, int port) {
        return parsed(Type.GID, Inet6Address::ofLiteral, literal, port);
    }

    static RdmaAddress of(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        Type type = host instanceof Inet4Address ? Type.IPV4 : Type.IPV6;
        return new RdmaAddress(type, host, address.getPort());
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(address, port);
    }

    /// DRDMA-CM-1: what is no literal is INVALID_VALUE.
    private static RdmaAddress parsed(
            Type type, Function<String, InetAddress> parser, String literal, int port) {
        DocaException.nonNull(literal, "literal");
        try {
            return new RdmaAddress(type, parser.apply(literal), port);
        } catch (IllegalArgumentException e) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "'" + literal + "' is no " + type + " address", e);
        }
    }
}
