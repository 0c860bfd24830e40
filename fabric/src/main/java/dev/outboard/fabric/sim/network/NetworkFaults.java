package dev.outboard.fabric.sim.network;

import java.util.function.Consumer;

/// What a [SimulatedNetwork] does to datagrams: a value. Chances are 0 to 1 and count per datagram.
///
/// ```java
/// var faults = NetworkFaults.none(5_000).withLoss(0.01).withJitter(2_000);
/// ```
public final class NetworkFaults {
    private double loss;
    private double duplication;
    private double reordering;
    private double corruption;
    private long delayNanos;
    private long jitterNanos;
    private long turnNanos;
    private int inboxDatagrams;
    private long bitsPerSecond;

    private NetworkFaults(long delayNanos) {
        this.delayNanos = delayNanos;
        this.inboxDatagrams = Integer.MAX_VALUE;
    }

    private NetworkFaults(NetworkFaults other) {
        loss = other.loss;
        duplication = other.duplication;
        reordering = other.reordering;
        corruption = other.corruption;
        delayNanos = other.delayNanos;
        jitterNanos = other.jitterNanos;
        turnNanos = other.turnNanos;
        inboxDatagrams = other.inboxDatagrams;
        bitsPerSecond = other.bitsPerSecond;
    }

    /// Everything arrives once, in order, `delayNanos` later.
    public static NetworkFaults none(long delayNanos) {
        return new NetworkFaults(delayNanos);
    }

    private NetworkFaults with(Consumer<NetworkFaults> change) {
        NetworkFaults changed = new NetworkFaults(this);
        change.accept(changed);
        return changed;
    }

    public NetworkFaults withLoss(double loss) {
        return with(changed -> changed.loss = loss);
    }

    public NetworkFaults withDuplication(double duplication) {
        return with(changed -> changed.duplication = duplication);
    }

    public NetworkFaults withReordering(double reordering) {
        return with(changed -> changed.reordering = reordering);
    }

    public NetworkFaults withCorruption(double corruption) {
        return with(changed -> changed.corruption = corruption);
    }

    public NetworkFaults withJitter(long jitterNanos) {
        return with(changed -> changed.jitterNanos = jitterNanos);
    }

    public NetworkFaults withTurn(long turnNanos) {
        return with(changed -> changed.turnNanos = turnNanos);
    }

    public NetworkFaults withInbox(int inboxDatagrams) {
        return with(changed -> changed.inboxDatagrams = inboxDatagrams);
    }

    public NetworkFaults withBandwidth(long bitsPerSecond) {
        return with(changed -> changed.bitsPerSecond = bitsPerSecond);
    }

    /// The chance to vanish.
    public double loss() {
        return loss;
    }

    /// The chance to arrive twice.
    public double duplication() {
        return duplication;
    }

    /// The chance to be held back so that later ones overtake.
    public double reordering() {
        return reordering;
    }

    /// The chance that one to four bits flip.
    public double corruption() {
        return corruption;
    }

    /// The time on the way at least.
    public long delayNanos() {
        return delayNanos;
    }

    /// What the way takes longer at most; jitter alone changes no order.
    public long jitterNanos() {
        return jitterNanos;
    }

    /// How long a node lets arrived datagrams wait at most before it looks.
    public long turnNanos() {
        return turnNanos;
    }

    /// How many may wait at a node; more are dropped, as by a full socket buffer.
    public int inboxDatagrams() {
        return inboxDatagrams;
    }

    /// How fast a node can send; 0 for at once.
    public long bitsPerSecond() {
        return bitsPerSecond;
    }

    /// Whether a datagram can get lost, damaged, repeated or out of order.
    public boolean isReliable() {
        return loss == 0
                && duplication == 0
                && reordering == 0
                && corruption == 0
                && inboxDatagrams == Integer.MAX_VALUE;
    }

    @Override
    public String toString() {
        return "loss %s, duplication %s, reordering %s, corruption %s, delay %d ns, jitter %d ns, turn %d ns, inbox %d, %d bits per second"
                .formatted(
                        loss,
                        duplication,
                        reordering,
                        corruption,
                        delayNanos,
                        jitterNanos,
                        turnNanos,
                        inboxDatagrams,
                        bitsPerSecond);
    }
}
