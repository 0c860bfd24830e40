package dev.outboard.dpa.elf;

/// What reading a file may cost at most. Parts of a file may be referred to many times, and one
/// byte may stand for a whole entry, so that its size alone bounds little.
final class Budget {
    private static final long FREE = 64 << 10;
    private static final long PER_BYTE = 16;

    private final long limit;
    private long left;

    /// Proportional to the size of the file.
    Budget(long fileBytes) {
        limit = FREE + PER_BYTE * fileBytes;
        left = limit;
    }

    /// Takes `cost` for what stands at the cursor.
    void spend(long cost, ByteCursor where) {
        left -= cost;
        if (left < 0) {
            throw where.error(
                    "names, entries and ranges take more room than the %d bytes that fit such a file"
                            .formatted(limit));
        }
    }
}
