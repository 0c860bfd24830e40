package dev.outboard.dpa.model;

/// The bytes of a line of external memory that a window store may rewrite with what they were when
/// the store was issued. Bytes that the thread itself stores are never among them.
///
/// @param first the first granule
/// @param masks for each granule, the bytes
/// @param values the granules as they were
record RestOfLine(int first, int[] masks, long[] values) {
    RestOfLine without(int granule, int mask) {
        int index = granule - first;
        if (index < 0 || index >= masks.length || (masks[index] & mask) == 0) {
            return this;
        }
        int[] less = masks.clone();
        less[index] &= ~mask;
        return new RestOfLine(first, less, values);
    }

    void digest(Digest digest) {
        digest.add(first);
        for (int i = 0; i < masks.length; i++) {
            digest.add(masks[i]);
            digest.add(Bytes.merge(0, values[i], masks[i]));
        }
    }
}
