package dev.outboard.dpa.checker;

import org.jspecify.annotations.Nullable;

/// The latest doorbells, interrupts, calls and returns, by token, and what each carries.
final class Announcements {
    /// Tokens that are no further apart than this are remembered together.
    static final int MOST = 4096;

    private static final int FIRST = 64;

    private final Snapshots snapshots;
    private Entry[] entries = new Entry[0];

    private static final class Entry {
        long token;
        int actor;
        long epoch;
        int site;
        @Nullable Snapshot carried;
    }

    Announcements(Snapshots snapshots) {
        this.snapshots = snapshots;
        grow(FIRST);
    }

    /// Room for more, each at the place of its token.
    private void grow(int size) {
        Entry[] old = entries;
        entries = new Entry[size];
        for (Entry entry : old) {
            entries[(int) entry.token & (size - 1)] = entry;
        }
        for (int i = 0; i < size; i++) {
            if (entries[i] == null) {
                entries[i] = new Entry();
                entries[i].token = i;
            }
        }
    }

    private Entry entry(long token) {
        return entries[(int) token & (entries.length - 1)];
    }

    void announce(long token, int actor, long epoch, int site, Snapshot carries) {
        carries.hold();
        Entry entry = entry(token);
        while (entry.carried != null && entries.length < MOST) {
            grow(entries.length * 2);
            entry = entry(token);
        }
        if (entry.carried != null) {
            snapshots.release(entry.carried);
        }
        entry.token = token;
        entry.actor = actor;
        entry.epoch = epoch;
        entry.site = site;
        entry.carried = carries;
    }

    /// Lets an actor learn of the announcement; one that is forgotten tells nothing.
    void receive(ActorState by, long token, int site) {
        Entry entry = entry(token);
        if (entry.carried != null && entry.token == token && entry.actor != by.number) {
            by.join(entry.actor, entry.epoch, entry.site, AddressKind.OUTBOX, entry.carried, site);
        }
    }
}
