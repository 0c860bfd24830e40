package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// What a [CmAgent] counted. Read it on the agent's thread.
public final class CmCounters {
    private final long[] received = new long[CmAttribute.values().length];
    private final long[] sent = new long[CmAttribute.values().length];
    private final long[] flawed = new long[DatagramFlaw.values().length];
    private final long[] discarded = new long[CmDiscard.values().length];
    private long resent;
    private long withheld;

    CmCounters() {}

    void countReceived(CmAttribute attribute) {
        received[attribute.ordinal()]++;
    }

    void countSent(CmAttribute attribute) {
        sent[attribute.ordinal()]++;
    }

    void countResent() {
        resent++;
    }

    void countWithheld() {
        withheld++;
    }

    void countDiscarded(DatagramFlaw reason) {
        flawed[reason.ordinal()]++;
    }

    void countDiscarded(CmDiscard reason) {
        discarded[reason.ordinal()]++;
    }

    /// Well-formed messages of this kind that arrived.
    public long received(CmAttribute attribute) {
        return received[attribute.ordinal()];
    }

    /// Messages of this kind that were sent, without repetitions by timer.
    public long sent(CmAttribute attribute) {
        return sent[attribute.ordinal()];
    }

    /// Messages that were sent again because nobody answered in time.
    public long resent() {
        return resent;
    }

    /// Messages that were not sent because the peer's address may be forged, see [Signalling].
    public long withheld() {
        return withheld;
    }

    /// Datagrams dropped for this reason.
    public long discarded(DatagramFlaw reason) {
        return flawed[reason.ordinal()];
    }

    /// Messages dropped for this reason.
    public long discarded(CmDiscard reason) {
        return discarded[reason.ordinal()];
    }

    /// All counters that are not 0, by name.
    public Map<String, Long> snapshot() {
        Map<String, Long> counters = new TreeMap<>();
        for (CmAttribute attribute : CmAttribute.values()) {
            add(counters, "cm.received." + name(attribute), received(attribute));
            add(counters, "cm.sent." + name(attribute), sent(attribute));
        }
        for (DatagramFlaw reason : DatagramFlaw.values()) {
            add(counters, "cm.discarded." + name(reason), discarded(reason));
        }
        for (CmDiscard reason : CmDiscard.values()) {
            add(counters, "cm.discarded." + name(reason), discarded(reason));
        }
        add(counters, "cm.resent", resent);
        add(counters, "cm.withheld", withheld);
        return counters;
    }

    private static void add(Map<String, Long> counters, String name, long count) {
        if (count != 0) {
            counters.put(name, count);
        }
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
