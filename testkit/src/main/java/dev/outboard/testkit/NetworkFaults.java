package dev.outboard.testkit;

/// What a [SimulatedNetwork] does to datagrams. Chances are 0 to 1 and count per datagram.
///
/// @param loss the chance to vanish
/// @param duplication the chance to arrive twice
/// @param reordering the chance to be held back so that later ones overtake
/// @param corruption the chance that one to four bits flip
/// @param delayNanos the time on the way at least
/// @param jitterNanos what the way takes longer at most; jitter alone changes no order
/// @param turnNanos how long a node lets arrived datagrams wait at most before it looks
/// @param inboxDatagrams how many may wait at a node; more are dropped, as by a full socket buffer
public record NetworkFaults(
        double loss,
        double duplication,
        double reordering,
        double corruption,
        long delayNanos,
        long jitterNanos,
        long turnNanos,
        int inboxDatagrams) {

    /// Everything arrives once, in order, `delayNanos` later.
    public static NetworkFaults none(long delayNanos) {
        double loss = 0;
        double duplication = 0;
        double reordering = 0;
        double corruption = 0;
        long jitterNanos = 0;
        long turnNanos = 0;
        int inboxDatagrams = Integer.MAX_VALUE;
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withLoss(double loss) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withDuplication(double duplication) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withReordering(double reordering) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withCorruption(double corruption) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withJitter(long jitterNanos) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withTurn(long turnNanos) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    public NetworkFaults withInbox(int inboxDatagrams) {
        return new NetworkFaults(
                loss,
                duplication,
                reordering,
                corruption,
                delayNanos,
                jitterNanos,
                turnNanos,
                inboxDatagrams);
    }

    /// Whether a datagram can get lost, damaged, repeated or out of order.
    public boolean isReliable() {
        return loss == 0
                && duplication == 0
                && reordering == 0
                && corruption == 0
                && inboxDatagrams == Integer.MAX_VALUE;
    }
}
