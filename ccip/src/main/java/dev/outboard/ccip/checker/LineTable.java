package dev.outboard.ccip.checker;

import java.util.Arrays;

/// Per line of host memory: the latest write of the AFU, as a word of the caller's, and how many
/// reads are outstanding. Open addressing with linear probing, four lines at a time: those that one
/// request may have. Their slots follow one another; a slot is valid until the next line is taken
/// in or given up.
///
/// CCIP-ORD-55: hazards are tracked line by line, until they are ordered.
final class LineTable {
    /// With so many groups, answered writes are forgotten rather than the table made larger.
    private static final int LARGE = 1 << 12;

    private static final int LINE_BITS = 2;
    private static final int LINES = 1 << LINE_BITS;

    // The words of a group: its number + 1, or 0 if it is free; 16 bits per line with the reads
    // that are outstanding, of which an FIU holds fewer; and, in the second half, the write of each
    // line, 0 if there is none.
    private static final int WORDS = 8;
    private static final int READS = 1;
    private static final int WRITES = 4;
    private static final int READ_BITS = 16;
    private static final long READ_MASK = (1L << READ_BITS) - 1;

    private long[] words = new long[WORDS << 9];
    private int mask = words.length - 1;
    private int used;

    /// Which writes are still of interest.
    interface Interest {
        /// Whether anything may still go wrong with this write.
        boolean isOpen(long write);

        /// Whether it had its response.
        boolean isAnswered(long write);
    }

    /// The slot of this line, or -1.
    int find(long line) {
        long key = key(line);
        int group = home(key);
        while (words[group] != key) {
            if (words[group] == 0) {
                return -1;
            }
            group = group + WORDS & mask;
        }
        return slotIn(group, line);
    }

    /// The slot of this line, a new one if it has none.
    int slot(long line, Interest interest) {
        long key = key(line);
        int group = home(key);
        while (words[group] != key) {
            if (words[group] == 0) {
                if (2 * used * WORDS > mask) {
                    rebuild(interest);
                    return slot(line, interest);
                }
                used++;
                words[group] = key;
                break;
            }
            group = group + WORDS & mask;
        }
        return slotIn(group, line);
    }

    private static long key(long line) {
        return (line >>> LINE_BITS) + 1;
    }

    private static int slotIn(int group, long line) {
        return group + WRITES + ((int) line & LINES - 1);
    }

    /// The slot after the last one that may be of the same request.
    int end(int slot) {
        return group(slot) + WORDS;
    }

    long write(int slot) {
        return words[slot];
    }

    void setWrite(int slot, long write) {
        words[slot] = write;
    }

    boolean hasReads(int slot) {
        return (words[reads(slot)] >>> shift(slot) & READ_MASK) != 0;
    }

    void addRead(int slot) {
        words[reads(slot)] += 1L << shift(slot);
    }

    void removeRead(int slot) {
        words[reads(slot)] -= 1L << shift(slot);
    }

    private static int group(int slot) {
        return slot & -WORDS;
    }

    private static int reads(int slot) {
        return group(slot) + READS;
    }

    private static int shift(int slot) {
        return (slot & LINES - 1) * READ_BITS;
    }

    /// Forgets the line and its neighbours if there is no write and no read of any.
    void giveUp(int slot) {
        int group = group(slot);
        if (isEmpty(group)) {
            remove(group);
        }
    }

    private boolean isEmpty(int group) {
        if (words[group + READS] != 0) {
            return false;
        }
        long any = 0;
        for (int line = 0; line < LINES; line++) {
            any |= words[group + WRITES + line];
        }
        return any == 0;
    }

    /// Frees a group that is empty. What was put beyond it because of it moves up.
    private void remove(int group) {
        used--;
        int hole = group;
        int at = group + WORDS & mask;
        while (words[at] != 0) {
            if ((at - home(words[at]) & mask) >= (at - hole & mask)) {
                System.arraycopy(words, at, words, hole, WORDS);
                hole = at;
            }
            at = at + WORDS & mask;
        }
        Arrays.fill(words, hole, hole + WORDS, 0);
    }

    void clear() {
        Arrays.fill(words, 0);
        used = 0;
    }

    /// Half of the groups are in use: forgets what is no longer of interest, and if that is little
    /// takes twice the groups.
    private void rebuild(Interest interest) {
        boolean large = words.length >= LARGE * WORDS;
        for (int group = 0; group < words.length; ) {
            if (words[group] != 0 && !isKept(group, large, interest)) {
                remove(group);
            } else {
                group += WORDS;
            }
        }
        if (4 * used * WORDS > mask) {
            long[] old = words;
            words = new long[2 * old.length];
            mask = words.length - 1;
            for (int group = 0; group < old.length; group += WORDS) {
                if (old[group] != 0) {
                    System.arraycopy(old, group, words, free(old[group]), WORDS);
                }
            }
        }
    }

    private int free(long key) {
        int group = home(key);
        while (words[group] != 0) {
            group = group + WORDS & mask;
        }
        return group;
    }

    private boolean isKept(int group, boolean large, Interest interest) {
        for (int slot = group + WRITES; slot < group + WORDS; slot++) {
            long write = words[slot];
            if (write != 0 && (!interest.isOpen(write) || (large && interest.isAnswered(write)))) {
                words[slot] = 0;
            }
        }
        return !isEmpty(group);
    }

    private int home(long key) {
        return (int) ((key * 0x9E3779B97F4A7C15L) >>> 40) * WORDS & mask;
    }
}
