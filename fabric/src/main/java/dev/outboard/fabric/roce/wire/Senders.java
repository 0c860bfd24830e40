package dev.outboard.fabric.roce.wire;

import org.jspecify.annotations.Nullable;

/// Those known to send to us, for the ICRC of what they send. Belongs to one receiver.
///
/// A sender costs one entry of a fixed number, and a port is a sender of its own. Whoever makes up
/// source ports or addresses recycles entries, which costs others the time to make theirs again.
public final class Senders {
    static final int SLOTS = 1024;

    /// An entry is within so many slots of where it hashes to.
    static final int PROBES = 4;

    /// The GID of an IPv4 address is ::ffff:a.b.c.d.
    private static final long IPV4_PREFIX = 0xFFFF_0000_0000L;

    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final int HASH_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    private final Gid local;
    private final @Nullable Sender[] slots = new Sender[SLOTS];
    private int recycled;

    /// None known to `local` yet.
    public Senders(Gid local) {
        this.local = local;
    }

    /// The one at that IPv4 address and UDP port.
    public Sender ofIpv4(int address, int port) {
        return of(0, IPV4_PREFIX | Integer.toUnsignedLong(address), port);
    }

    /// The one at that GID and UDP port.
    public Sender of(long high, long low, int port) {
        int start = (int) (((high ^ (low * 31) ^ port) * MULTIPLIER) >>> HASH_SHIFT);
        for (int i = 0; i < PROBES; i++) {
            int slot = (start + i) & (SLOTS - 1);
            Sender known = slots[slot];
            if (known == null) {
                return put(slot, high, low, port);
            }
            if (matches(known.path(), high, low, port)) {
                return known;
            }
        }
        return put((start + recycled++ % PROBES) & (SLOTS - 1), high, low, port);
    }

    private Sender put(int slot, long high, long low, int port) {
        Sender sender = new Sender(new Path(new Gid(high, low), local, port, 0));
        slots[slot] = sender;
        return sender;
    }

    private static boolean matches(Path path, long high, long low, int port) {
        return path.sourcePort() == port
                && path.source().low() == low
                && path.source().high() == high;
    }
}
