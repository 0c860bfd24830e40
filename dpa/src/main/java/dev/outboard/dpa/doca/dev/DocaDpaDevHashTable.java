package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;

/// DPA-DM-7: hash tables in device code, from keys of 32 bits to values of 64: `doca_dpa_dev.h`.
/// Kernels call it, with the [handle][dev.outboard.dpa.doca.DocaDpaHashTable#handle] of a table.
///
/// Any number of threads may use a table at once: each call is one step towards the others.
public final class DocaDpaDevHashTable {
    private static final int SCATTER = 0x9E37_79B1;
    private static final int NONE = -1;

    private DocaDpaDevHashTable() {}

    /// `doca_dpa_dev_hash_table_add`: gives a key a value, in place of the one that it has.
    ///
    /// A new key ends the context if the table is full.
    public static void add(DpaThread thread, long table, int key, long value) {
        thread.spinLock(table + HashTableLayout.LOCK);
        int capacity = capacity(thread, table);
        int at = slot(key, capacity);
        int probes = 0;
        while (probes < capacity && isUsed(thread, table, at) && key(thread, table, at) != key) {
            at = next(at, capacity);
            probes++;
        }
        if (probes == capacity) {
            throw new FaultSignal(
                    Fault.HASH_TABLE_FULL,
                    "hash table 0x%x has %d entries, all used: no room for key 0x%x"
                            .formatted(table, capacity, key));
        }
        if (!isUsed(thread, table, at)) {
            count(thread, table, 1);
        }
        put(thread, table, at, key, value);
        thread.spinUnlock(table + HashTableLayout.LOCK);
    }

    /// `doca_dpa_dev_hash_table_remove`: takes a key away, with its value. Nothing happens if the
    /// table does not have it.
    public static void remove(DpaThread thread, long table, int key) {
        thread.spinLock(table + HashTableLayout.LOCK);
        int found = where(thread, table, key);
        if (found != NONE) {
            count(thread, table, -1);
            close(thread, table, found);
        }
        thread.spinUnlock(table + HashTableLayout.LOCK);
    }

    /// `doca_dpa_dev_hash_table_find`: looks for the value of a key.
    ///
    /// @param to the address of DPA memory where the value goes; left alone without one
    /// @return whether the table has the key
    public static boolean find(DpaThread thread, long table, int key, long to) {
        thread.spinLock(table + HashTableLayout.LOCK);
        int found = where(thread, table, key);
        if (found != NONE) {
            thread.store64(to, thread.load64(entry(table, found) + HashTableLayout.VALUE));
        }
        thread.spinUnlock(table + HashTableLayout.LOCK);
        return found != NONE;
    }

    private static int where(DpaThread thread, long table, int key) {
        int capacity = capacity(thread, table);
        int at = slot(key, capacity);
        for (int probes = 0; probes < capacity && isUsed(thread, table, at); probes++) {
            if (key(thread, table, at) == key) {
                return at;
            }
            at = next(at, capacity);
        }
        return NONE;
    }

    /// Frees an entry. Keys after it that have found it used move up, since who looks for one of
    /// them stops at the first free entry.
    private static void close(DpaThread thread, long table, int freed) {
        int capacity = capacity(thread, table);
        int free = freed;
        int at = next(freed, capacity);
        while (at != freed && isUsed(thread, table, at)) {
            int key = key(thread, table, at);
            int fromFirst = (at - slot(key, capacity)) & (capacity - 1);
            int fromFree = (at - free) & (capacity - 1);
            if (fromFirst >= fromFree) {
                long value = thread.load64(entry(table, at) + HashTableLayout.VALUE);
                put(thread, table, free, key, value);
                free = at;
            }
            at = next(at, capacity);
        }
        thread.store64(entry(table, free) + HashTableLayout.KEY, 0);
    }

    private static void put(DpaThread thread, long table, int at, int key, long value) {
        long word = HashTableLayout.IN_USE | (key & 0xFFFF_FFFFL);
        thread.store64(entry(table, at) + HashTableLayout.KEY, word);
        thread.store64(entry(table, at) + HashTableLayout.VALUE, value);
    }

    private static void count(DpaThread thread, long table, int more) {
        long used = thread.load64(table + HashTableLayout.USED);
        thread.store64(table + HashTableLayout.USED, used + more);
    }

    private static boolean isUsed(DpaThread thread, long table, int at) {
        long word = thread.load64(entry(table, at) + HashTableLayout.KEY);
        return (word & HashTableLayout.IN_USE) != 0;
    }

    private static int key(DpaThread thread, long table, int at) {
        return (int) thread.load64(entry(table, at) + HashTableLayout.KEY);
    }

    private static long entry(long table, int at) {
        return table + HashTableLayout.ENTRIES + (long) at * HashTableLayout.ENTRY_BYTES;
    }

    private static int capacity(DpaThread thread, long table) {
        return (int) thread.load64(table + HashTableLayout.CAPACITY);
    }

    private static int slot(int key, int capacity) {
        int scattered = key * SCATTER;
        return (scattered ^ (scattered >>> Short.SIZE)) & (capacity - 1);
    }

    private static int next(int at, int capacity) {
        return (at + 1) & (capacity - 1);
    }
}
