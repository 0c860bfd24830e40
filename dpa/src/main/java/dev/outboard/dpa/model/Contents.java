package dev.outboard.dpa.model;

import java.util.Arrays;

/// DPA-OPM-3, DPA-OPM-4: what is in memory, by granule. Of all the writes to a granule of DPA
/// memory two matter: the last one, which DPA threads read, and the newest that the NIC sees.
final class Contents {
    /// What DPA threads read of DPA memory.
    long[] memory;

    /// What the NIC reads of it.
    long[] seen;

    /// External memory.
    long[] external;

    Contents(long[] memory, long[] external) {
        this.memory = memory.clone();
        this.seen = memory.clone();
        this.external = external.clone();
    }

    private Contents(Contents original) {
        memory = original.memory.clone();
        seen = original.seen.clone();
        external = original.external.clone();
    }

    Contents copy() {
        return new Contents(this);
    }

    void addMemory(int granule, long value) {
        if (granule >= memory.length) {
            memory = Arrays.copyOf(memory, 2 * granule + 1);
            seen = Arrays.copyOf(seen, memory.length);
        }
        memory[granule] = value;
        seen[granule] = value;
    }

    void addExternal(int granule, long value) {
        if (granule >= external.length) {
            external = Arrays.copyOf(external, 2 * granule + 1);
        }
        external[granule] = value;
    }

    void writeMemory(int granule, long value, int mask) {
        memory[granule] = Bytes.merge(memory[granule], value, mask);
    }

    void writeExternal(int granule, long value, int mask) {
        external[granule] = Bytes.merge(external[granule], value, mask);
    }

    /// The NIC sees the last write to the granule.
    void show(int granule) {
        seen[granule] = memory[granule];
    }

    void digest(Digest digest) {
        for (long granule : memory) {
            digest.add(granule);
        }
        for (long granule : seen) {
            digest.add(granule);
        }
        for (long granule : external) {
            digest.add(granule);
        }
    }
}
