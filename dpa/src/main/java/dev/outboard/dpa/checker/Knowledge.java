package dev.outboard.dpa.checker;

import java.util.Arrays;

/// Vector clocks: for each actor, up to which of its stores, by their running numbers, something is
/// known. What is known stays true, so that two such vectors are joined by taking the greater
/// number everywhere.
final class Knowledge {
    /// The holder goes by it: it has seen the store, or something that the writer did after it.
    /// This is what the program means; the others say what it may rely on.
    static final int SEEN = 0;

    /// DPA threads see the store; plus [AddressKind#HEAP] or [AddressKind#REST].
    static final int ORDERED = 1;

    /// The NIC sees the store to DPA memory; plus the kind.
    static final int PUSHED = 3;

    /// The window store has reached external memory.
    static final int OUT = 5;

    /// As [#PUSHED], but through an effect of a fence that must not be relied on.
    static final int PUSHED_BY_FENCE = 6;

    /// As [#OUT], but through an effect of a fence that must not be relied on.
    static final int OUT_BY_FENCE = 8;

    /// Another thread has executed a memory_writeback after it had seen the store.
    static final int FOREIGN_MEMORY = 9;

    /// Another thread has executed a window_writeback after it had seen the store.
    static final int FOREIGN_WINDOW = 10;

    /// Numbers of an actor.
    static final int FIELDS = 11;

    /// The site of the event up to which SEEN goes.
    static final int SEEN_SITE = 0;

    /// What that event is: an [AddressKind].
    static final int SEEN_KIND = 1;

    /// Where the foreign memory_writeback stands, and the actor that executed it.
    static final int FOREIGN_MEMORY_SITE = 2;

    /// Where the foreign window_writeback stands, and the actor that executed it.
    static final int FOREIGN_WINDOW_SITE = 4;

    /// Tags of an actor.
    static final int TAGS = 6;

    private long[] upTo;
    private int[] tags;

    Knowledge(int actors) {
        upTo = new long[actors * FIELDS];
        tags = new int[actors * TAGS];
    }

    /// There are so many actors now.
    void reach(int actors) {
        upTo = Arrays.copyOf(upTo, actors * FIELDS);
        tags = Arrays.copyOf(tags, actors * TAGS);
    }

    /// Of how many actors.
    int actors() {
        return upTo.length / FIELDS;
    }

    long get(int actor, int field) {
        return upTo[(actor * FIELDS) + field];
    }

    void set(int actor, int field, long number) {
        upTo[(actor * FIELDS) + field] = number;
    }

    /// Raises a number.
    void raise(int actor, int field, long number) {
        int at = (actor * FIELDS) + field;
        upTo[at] = Math.max(upTo[at], number);
    }

    int tag(int actor, int tag) {
        return tags[(actor * TAGS) + tag];
    }

    void tag(int actor, int tag, int value) {
        tags[(actor * TAGS) + tag] = value;
    }

    void copyFrom(Knowledge other) {
        if (upTo.length != other.upTo.length) {
            reach(other.actors());
        }
        System.arraycopy(other.upTo, 0, upTo, 0, upTo.length);
        System.arraycopy(other.tags, 0, tags, 0, tags.length);
    }

    /// The event of `actor` up to which `SEEN` goes.
    void seen(int actor, long number, int site, int kind) {
        upTo[(actor * FIELDS) + SEEN] = number;
        tags[(actor * TAGS) + SEEN_SITE] = site;
        tags[(actor * TAGS) + SEEN_KIND] = kind;
    }
}
