package dev.outboard.naa.server;

import java.net.InetAddress;
import java.util.Arrays;

/// A range of IP addresses that begin alike, written as `10.0.0.0/8` or `::1/128` (RFC 4632, RFC
/// 4291). Without a length it is a single address.
public final class AddressPrefix {
    private final byte[] address;
    private final int bits;
    private final String text;

    private AddressPrefix(InetAddress address, int bits) {
        this.address = address.getAddress();
        this.bits = bits;
        this.text = address.getHostAddress() + "/" + bits;
    }

    /// Reads a prefix.
    ///
    /// @throws IllegalArgumentException if it is none, or has bits set behind its length
    public static AddressPrefix parse(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress address =
                    InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int all = address.getAddress().length * Byte.SIZE;
            int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= all) {
                AddressPrefix prefix = new AddressPrefix(address, bits);
                if (prefix.isEmptyBehind()) {
                    return prefix;
                }
            }
        } catch (IllegalArgumentException _) {
            // Neither an address nor, which is one too, a number.
        }
        throw new IllegalArgumentException(
                "'%s' is not a network; valid are for example 10.0.0.0/8, 192.0.2.1 and ::1/128"
                        .formatted(text));
    }

    /// Whether `candidate` is in the range; an address of the other family never is.
    public boolean contains(InetAddress candidate) {
        byte[] other = candidate.getAddress();
        if (other.length != address.length) {
            return false;
        }
        int whole = bits / Byte.SIZE;
        if (Arrays.mismatch(address, 0, whole, other, 0, whole) >= 0) {
            return false;
        }
        return whole == address.length || ((address[whole] ^ other[whole]) & mask()) == 0;
    }

    private boolean isEmptyBehind() {
        int whole = bits / Byte.SIZE;
        for (int i = whole; i < address.length; i++) {
            int rest = i == whole ? address[i] & ~mask() & 0xff : address[i];
            if (rest != 0) {
                return false;
            }
        }
        return true;
    }

    /// The bits of the first byte that is not fixed as a whole.
    private int mask() {
        return 0xff00 >> (bits % Byte.SIZE) & 0xff;
    }

    @Override
    public String toString() {
        return text;
    }
}
