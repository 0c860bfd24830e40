package dev.outboard.fabric.roce.rc;

/// How many packets a requester may have unacknowledged (roce.md 6). It starts small and doubles
/// per round trip until the first loss; afterwards it grows by a little per acknowledged window.
///
/// A reported gap halves it if round trips are longer than they need be, as they are when packets
/// queue. Otherwise it takes away up to half, in proportion to how many of the latest windows had a
/// gap (the idea is that of DCTCP, with gaps in place of marks): a rare loss in an idle network
/// says nothing about congestion and costs little.
///
/// A window that something else keeps from being used does not grow.
///
/// ROCE-CC-4: senders that overrun a receiver shrink, down to two packets each, until all get
/// through.
final class CongestionWindow {
    static final int INITIAL_PACKETS = 32;
    static final int MINIMUM_PACKETS = 2;

    /// A window of so many packets grows by two per round trip, and a larger one faster.
    private static final int GROWTH_PACKETS = 16;

    /// [#lossShare] of a connection that loses something in every window.
    private static final int ALWAYS = 1 << 10;

    /// How much the latest window counts: a quarter.
    private static final int SHARE_SHIFT = 2;

    private final int maxPackets;
    private final int minPackets;
    private int packets;
    private int slowStartUntil;
    private int credit;

    /// How many of the latest windows had a gap, of [#ALWAYS].
    private int lossShare;

    /// Acknowledged packets until the present window has passed without a gap.
    private int calmLeft;

    CongestionWindow(int maxPackets) {
        this.maxPackets = maxPackets;
        this.minPackets = Math.min(MINIMUM_PACKETS, maxPackets);
        this.slowStartUntil = maxPackets;
        this.packets = Math.min(INITIAL_PACKETS, maxPackets);
        this.calmLeft = packets;
    }

    int packets() {
        return packets;
    }

    /// `count` of the `inFlight` packets are acknowledged.
    void acknowledged(int count, int inFlight) {
        calmLeft -= count;
        if (calmLeft <= 0) {
            calmLeft = packets;
            lossShare -= lossShare >> SHARE_SHIFT;
        }
        if (2 * inFlight < packets) {
            return;
        }
        if (packets < slowStartUntil) {
            packets = Math.min(maxPackets, packets + count);
            return;
        }
        credit += count * (1 + packets / GROWTH_PACKETS);
        if (credit >= packets) {
            int growth = credit / packets;
            credit -= growth * packets;
            packets = Math.min(maxPackets, packets + growth);
        }
    }

    /// A packet was lost.
    ///
    /// @param isQueueing whether answers take longer than they need to
    void gapReported(boolean isQueueing) {
        lossShare += (ALWAYS - lossShare) >> SHARE_SHIFT;
        int cut = Math.max(1, packets * (isQueueing ? ALWAYS : lossShare) / (2 * ALWAYS));
        shrink(Math.max(minPackets, packets - cut));
        slowStartUntil = packets;
    }

    void timedOut() {
        slowStartUntil = Math.max(minPackets, packets / 2);
        lossShare = ALWAYS;
        shrink(minPackets);
    }

    private void shrink(int newPackets) {
        packets = newPackets;
        calmLeft = newPackets;
        credit = 0;
    }
}
