package dev.outboard.fabric.roce.rc;

/// How many packets a requester may have unacknowledged (roce.md 6): starts small, grows with every
/// acknowledged packet until the first loss and by one per acknowledged window afterwards, halves
/// on a reported gap, collapses on a timeout.
final class CongestionWindow {
    private static final int INITIAL_PACKETS = 32;
    private static final int MINIMUM_PACKETS = 4;

    private final int maxPackets;
    private final int minPackets;
    private int packets;
    private int slowStartUntil;
    private int credit;

    CongestionWindow(int maxPackets) {
        this.maxPackets = maxPackets;
        this.minPackets = Math.min(MINIMUM_PACKETS, maxPackets);
        this.slowStartUntil = maxPackets;
        this.packets = Math.min(INITIAL_PACKETS, maxPackets);
    }

    int packets() {
        return packets;
    }

    void acknowledged(int count) {
        if (packets < slowStartUntil) {
            packets = Math.min(maxPackets, packets + count);
            return;
        }
        credit += count;
        if (credit >= packets) {
            credit -= packets;
            packets = Math.min(maxPackets, packets + 1);
        }
    }

    void gapReported() {
        packets = Math.max(minPackets, packets / 2);
        slowStartUntil = packets;
        credit = 0;
    }

    void timedOut() {
        slowStartUntil = Math.max(minPackets, packets / 2);
        packets = minPackets;
        credit = 0;
    }
}
