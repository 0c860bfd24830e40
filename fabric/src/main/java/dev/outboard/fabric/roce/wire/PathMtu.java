package dev.outboard.fabric.roce.wire;

import java.util.Optional;

/// The most payload bytes that one packet carries.
///
/// Source: spec/roce.md, 1.1: five sizes.
///
/// ROCE-PKT-9: a path takes the largest that leaves room for the headers in the route's IP MTU.
public enum PathMtu {
    MTU_256(1),
    MTU_512(2),
    MTU_1024(3),
    MTU_2048(4),
    MTU_4096(5);

    /// What to keep free for headers: as much as Linux does in the MTU that it proposes. The
    /// longest take 84 bytes, those of a WRITE with immediate over IPv6.
    private static final int HEADROOM = 96;

    private final int code;

    PathMtu(int code) {
        this.code = code;
    }

    /// The code that CM datagrams carry, 1 to 5.
    public int code() {
        return code;
    }

    public int bytes() {
        return 128 << code;
    }

    /// Empty when there is no such code.
    public static Optional<PathMtu> of(int code) {
        return code < 1 || code > values().length
                ? Optional.empty()
                : Optional.of(values()[code - 1]);
    }

    /// The largest that packets on a route of that IP MTU may have; empty below 352 bytes.
    public static Optional<PathMtu> largestFor(int ipMtu) {
        return largestWithin(ipMtu - HEADROOM);
    }

    /// The largest of at most `limit` bytes; empty below 256.
    public static Optional<PathMtu> largestWithin(int limit) {
        Optional<PathMtu> largest = Optional.empty();
        for (PathMtu mtu : values()) {
            if (mtu.bytes() <= limit) {
                largest = Optional.of(mtu);
            }
        }
        return largest;
    }
}
