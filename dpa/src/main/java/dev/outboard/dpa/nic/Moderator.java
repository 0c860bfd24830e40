package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.Moderation.Mode;
import java.util.List;

/// DPA-FXQ-2c: when entries of one completion queue make an event. Only the actor of the NIC
/// touches it, but for [#moderation].
final class Moderator {
    private final CompletionQueue queue;

    /// Where the NIC finds those that wait for a time.
    private final List<Moderator> waiting;

    private volatile Moderation moderation = Moderation.NONE;

    /// Entries since the latest event.
    private int entries;

    private boolean hasEvent;
    private long latestEvent;
    private long latestEntry;

    /// While it is among those that wait.
    private long deadline;

    Moderator(CompletionQueue queue, List<Moderator> waiting) {
        this.queue = queue;
        this.waiting = waiting;
    }

    Moderation moderation() {
        return moderation;
    }

    /// Another moderation. Entries that have come are looked at anew.
    void moderate(Nic nic, Moderation other) {
        moderation = other;
        queue.announce(nic);
    }

    /// So many entries have come that software has not taken.
    void untaken(int count) {
        entries = count;
    }

    void entered(Nic nic) {
        entries++;
        if (moderation.hasPeriod()) {
            latestEntry = nic.nanos();
        }
    }

    /// Whether an armed queue that has entries makes an event now. If not, it is asked again in
    /// time.
    boolean isTime(Nic nic) {
        Moderation current = moderation;
        if (current.isNone() || current.isEnough(entries)) {
            return true;
        }
        if (!current.hasPeriod()) {
            return false;
        }
        long left = left(nic, current);
        if (left > 0 && !waiting.contains(this)) {
            waiting.add(this);
            deadline = nic.nanos() + left;
            nic.commandAfter(left);
        }
        return left <= 0;
    }

    private long left(Nic nic, Moderation current) {
        if (current.mode() == Mode.EVENT && !hasEvent) {
            return 0;
        }
        long from = current.mode() == Mode.EVENT ? latestEvent : latestEntry;
        return from + current.periodNanos() - nic.nanos();
    }

    /// Whether any has come since the latest event.
    boolean hasEntries() {
        return entries > 0;
    }

    void told(Nic nic) {
        entries = 0;
        if (moderation.hasPeriod()) {
            hasEvent = true;
            latestEvent = nic.nanos();
        }
    }

    /// Looks whether the time that it waits for is over.
    void look(Nic nic) {
        if (nic.nanos() - deadline >= 0) {
            waiting.remove(this);
            queue.announce(nic);
        }
    }

    /// Its queue is gone.
    void remove() {
        waiting.remove(this);
    }
}
