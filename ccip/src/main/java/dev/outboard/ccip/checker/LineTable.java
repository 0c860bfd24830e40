package dev.outboard.ccip.checker;

import java.util.Arrays;

/// Per line of host memory: the latest write of the AFU, as a word of the caller's, and how many
/// reads are outstanding. Open addressing with linear probing, where the lines of a request lie
/// side by side; a slot is valid until the next line is taken in or removed.
final class LineTable {
    /// With so many slots, answered writes are forgotten rather than the table made larger.
    private static final int LARGE = 1 << 14;

    /// Lines of a request at most, which are aligned.
    private static final int GROUP = 4;

    private static final int READS_SHIFT = 44;
    private static final long KEY = (1L << READS_SHIFT) - 1;
    private static final long ONE_READ = 1L << READS_SHIFT;

    /// Two elements per slot: line + 1, or 0 if free, below the number of outstanding reads; and
    /// the write, 0 if none.
    private long[] slots = new long[2 << 11];

    private int mask = (slots.length >> 1) - 1;
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
        int slot = home(line);
        while (true) {
            long key = slots[2 * slot] & KEY;
            if (key == line + 1) {
                return slot;
            }
            if (key == 0) {
                return -1;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The slot of this line, a new one if it has none.
    int slot(long line, Interest interest) {
        int slot = home(line);
        while (true) {
            long key = slots[2 * slot] & KEY;
            if (key == line + 1) {
                return slot;
            }
            if (key == 0) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        if (used > mask / 2) {
            rebuild(interest);
            return slot(line, interest);
        }
        used++;
        slots[2 * slot] = line + 1;
        slots[2 * slot + 1] = 0;
        return slot;
    }

    long write(int slot) {
        return slots[2 * slot + 1];
    }

    void setWrite(int slot, long write) {
        slots[2 * slot + 1] = write;
    }

    boolean hasReads(int slot) {
        return slots[2 * slot] >>> READS_SHIFT != 0;
    }

    void addRead(int slot) {
        slots[2 * slot] += ONE_READ;
    }

    void removeRead(int slot) {
        slots[2 * slot] -= ONE_READ;
    }

    /// Forgets a line. What was put beyond it because of it moves up.
    void remove(int slot) {
        used--;
        int hole = slot;
        int at = (slot + 1) & mask;
        while (slots[2 * at] != 0) {
            int home = home((slots[2 * at] & KEY) - 1);
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                slots[2 * hole] = slots[2 * at];
                slots[2 * hole + 1] = slots[2 * at + 1];
                hole = at;
            }
            at = (at + 1) & mask;
        }
        slots[2 * hole] = 0;
    }

    void clear() {
        Arrays.fill(slots, 0);
        used = 0;
    }

    /// Half of the slots are in use: forgets what is no longer of interest, and if that is little
    /// takes twice the slots.
    private void rebuild(Interest interest) {
        boolean large = mask >= LARGE - 1;
        for (int slot = 0; slot <= mask; ) {
            if (slots[2 * slot] == 0 || isKept(slot, large, interest)) {
                slot++;
            } else {
                remove(slot);
            }
        }
        if (used > mask / 4) {
            long[] old = slots;
            slots = new long[2 * old.length];
            mask = (slots.length >> 1) - 1;
            used = 0;
            for (int at = 0; at < old.length; at += 2) {
                if (old[at] != 0) {
                    int slot = slot((old[at] & KEY) - 1, interest);
                    slots[2 * slot] = old[at];
                    slots[2 * slot + 1] = old[at + 1];
                }
            }
        }
    }

    private boolean isKept(int slot, boolean large, Interest interest) {
        long write = write(slot);
        boolean isWriteKept =
                write != 0 && interest.isOpen(write) && !(large && interest.isAnswered(write));
        return isWriteKept || hasReads(slot);
    }

    private int home(long line) {
        int group = (int) ((line / GROUP * 0x9E3779B97F4A7C15L) >>> 40);
        return (group * GROUP + (int) (line % GROUP)) & mask;
    }
}
