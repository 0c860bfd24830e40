package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.verbs.SendQueue;

/// Which packets the started requests of a queue have. Packets are counted from 0; a message of L
/// bytes has max(1, ceil(L / MTU)) of them, a local request none (roce.md 3.2, 3.3, 3.11).
final class PacketNumbers {
    private static final int INITIAL_SIZE = 8;

    private final SendQueue queue;

    /// The first packet of the request at each position, in a ring of a power of two that grows
    /// with the requests on their way.
    private long[] firsts = new long[INITIAL_SIZE];

    private long unassigned;

    PacketNumbers(SendQueue queue) {
        this.queue = queue;
    }

    /// How many packets a message of `length` bytes has.
    static int packets(long length, int mtu) {
        return (int) Math.max(1, (length + mtu - 1) / mtu);
    }

    /// The oldest request that is not started gets the next `count` packets.
    void start(int count) {
        long position = queue.started();
        if (position - queue.head() == firsts.length) {
            grow();
        }
        firsts[slot(position)] = unassigned;
        unassigned += count;
        queue.start();
    }

    /// The first packet of the request at `position`, which is started.
    long first(long position) {
        return firsts[slot(position)];
    }

    /// The packet behind the last one of the request at `position`, which is started.
    long end(long position) {
        return position + 1 == queue.started() ? unassigned : first(position + 1);
    }

    private int slot(long position) {
        return (int) position & (firsts.length - 1);
    }

    private void grow() {
        long[] old = firsts;
        firsts = new long[2 * old.length];
        for (long i = queue.head(); i < queue.started(); i++) {
            firsts[slot(i)] = old[(int) i & (old.length - 1)];
        }
    }
}
