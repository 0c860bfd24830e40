package dev.outboard.dpa.doca.dev;

/// What the handle of a hash table points to: DPA memory, which the host fills. After a line for
/// the table itself come its entries, of two words each.
public final class HashTableLayout {
    /// A spin lock, which whoever uses the table holds.
    public static final int LOCK = 0;

    /// How many entries there are, a power of two.
    public static final int CAPACITY = 8;

    /// How many of them have a key.
    public static final int USED = 16;

    /// Where the entries begin.
    public static final int ENTRIES = 64;

    /// In an entry: the key in the low half, and [#IN_USE] if there is one.
    public static final int KEY = 0;

    /// In an entry: the value of the key.
    public static final int VALUE = 8;

    /// How long an entry is.
    public static final int ENTRY_BYTES = 16;

    /// Set in the word of the key if the entry has one.
    public static final long IN_USE = 1L << 32;

    private HashTableLayout() {}
}
