package dev.outboard.dpa.model;

import java.util.Arrays;

/// DPA-OPM-10: an operation of the NIC that was posted to a queue and is not done: writes, which
/// appear in their order or in any. The operations of a queue are done one after the other.
///
/// @param queue its number
/// @param writes what is still to be written
public record Posted(int queue, boolean anyOrder, NicWrite[] writes) {
    /// One write of the NIC.
    ///
    /// @param external whether to external memory
    public record NicWrite(boolean external, int address, int sizeBytes, long value) {}

    /// How many writes may be the next one.
    int choices() {
        return anyOrder ? writes.length : 1;
    }

    /// Whether it is the first of its queue.
    static boolean isFirst(Posted[] all, int index) {
        for (int i = 0; i < index; i++) {
            if (all[i].queue == all[index].queue) {
                return false;
            }
        }
        return true;
    }

    /// All operations without one write of one of them.
    static Posted[] without(Posted[] all, int index, int choice) {
        Posted rest = all[index].without(choice);
        if (rest.writes.length > 0) {
            Posted[] changed = all.clone();
            changed[index] = rest;
            return changed;
        }
        Posted[] fewer = Arrays.copyOf(all, all.length - 1);
        System.arraycopy(all, index + 1, fewer, index, fewer.length - index);
        return fewer;
    }

    private Posted without(int index) {
        NicWrite[] fewer = new NicWrite[writes.length - 1];
        System.arraycopy(writes, 0, fewer, 0, index);
        System.arraycopy(writes, index + 1, fewer, index, fewer.length - index);
        return new Posted(queue, anyOrder, fewer);
    }

    void digest(Digest digest) {
        digest.add(((long) queue << 33) | ((long) writes.length << 1) | (anyOrder ? 1 : 0));
        for (NicWrite write : writes) {
            digest.add(((long) write.address() << 8) | write.sizeBytes());
            digest.add(write.value());
            digest.add(write.external() ? 1 : 0);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Posted posted
                && queue == posted.queue
                && anyOrder == posted.anyOrder
                && Arrays.equals(writes, posted.writes);
    }

    @Override
    public int hashCode() {
        return 31 * queue + Arrays.hashCode(writes);
    }
}
