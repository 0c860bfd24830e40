package dev.outboard.dpa.machine;

import org.jspecify.annotations.Nullable;

/// Keys by their numbers, found without a lock and without an allocation while others come and go:
/// linear probing in an array that is never changed but replaced.
final class KeyTable {
    /// A power of two, at most half full.
    private volatile @Nullable ExternalKey[] table = new ExternalKey[2];

    private int size;

    @Nullable ExternalKey find(int number) {
        @Nullable ExternalKey[] in = table;
        return in[place(in, number)];
    }

    /// It takes the place of the one that has its number, if there is one.
    synchronized void put(ExternalKey key) {
        replace(key.number(), key);
    }

    /// If it is that one which has its number.
    synchronized void remove(ExternalKey key) {
        if (key.equals(find(key.number()))) {
            replace(key.number(), null);
        }
    }

    private void replace(int number, @Nullable ExternalKey by) {
        @Nullable ExternalKey[] old = table;
        @Nullable ExternalKey[] made =
                new ExternalKey[old.length / 2 > size ? old.length : 2 * old.length];
        size = 0;
        for (ExternalKey key : old) {
            if (key != null && key.number() != number) {
                add(made, key);
            }
        }
        if (by != null) {
            add(made, by);
        }
        table = made;
    }

    private void add(@Nullable ExternalKey[] to, ExternalKey key) {
        to[place(to, key.number())] = key;
        size++;
    }

    /// Where it is, or would be.
    private static int place(@Nullable ExternalKey[] in, int number) {
        int place = ((number * 0x9E3779B9) >>> 8) & (in.length - 1);
        while (true) {
            ExternalKey there = in[place];
            if (there == null || there.number() == number) {
                return place;
            }
            place = (place + 1) & (in.length - 1);
        }
    }
}
