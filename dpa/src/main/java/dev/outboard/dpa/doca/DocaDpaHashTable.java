package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.HashTableLayout;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;

/// DPA-DM-7: a hash table in DPA memory: DOCA's `doca_dpa_hash_table`. Kernels fill it and look
/// into it, by [functions][dev.outboard.dpa.doca.dev.DocaDpaDevHashTable] of theirs. It is closed
/// by whoever made it, and lives no longer than its context does; any thread.
public final class DocaDpaHashTable implements AutoCloseable {
    private static final int MOST_ENTRIES = 1 << 26;

    private final FlexioProcess process;
    private final DpaAddr table;
    private final int entries;
    private boolean closed;

    private DocaDpaHashTable(FlexioProcess process, DpaAddr table, int entries) {
        this.process = process;
        this.table = table;
        this.entries = entries;
    }

    /// `doca_dpa_hash_table_create`: makes an empty table.
    ///
    /// @param entries how many keys it takes, rounded up to a power of two
    /// @throws DocaException with INVALID_VALUE if they are none or more than 2^26, with NO_MEMORY
    ///   if the heap has no room for them, with BAD_STATE if the context does not run
    public static DocaDpaHashTable create(DocaDpa dpa, int entries) {
        DocaException.nonNull(dpa, "dpa");
        if (entries < 1 || entries > MOST_ENTRIES) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a hash table of %d entries; valid: 1 to %d".formatted(entries, MOST_ENTRIES));
        }
        int rounded = entries == 1 ? 1 : Integer.highestOneBit(entries - 1) << 1;
        FlexioProcess process = dpa.process();
        int lengthBytes = HashTableLayout.ENTRIES + rounded * HashTableLayout.ENTRY_BYTES;
        return DocaErrors.of(() -> {
            DpaAddr table = process.heap().zeros(lengthBytes);
            process.heap().copyWordsIn(table.plus(HashTableLayout.CAPACITY), rounded);
            return new DocaDpaHashTable(process, table, rounded);
        });
    }

    /// How many keys it takes.
    public int entries() {
        return entries;
    }

    /// `doca_dpa_hash_table_get_dpa_handle`: what kernels know it by.
    ///
    /// @throws DocaException with BAD_STATE if it is closed
    public synchronized long handle() {
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
        return table.value();
    }

    /// `doca_dpa_hash_table_destroy`: gives its memory back. No kernel uses it any more. Closing
    /// twice is harmless.
    @Override
    public synchronized void close() {
        if (!closed) {
            DocaErrors.giveBack(() -> process.heap().free(table));
        }
        closed = true;
    }

    @Override
    public String toString() {
        return "hash table of %d entries".formatted(entries);
    }
}
