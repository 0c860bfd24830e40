package dev.outboard.fabric.roce.rc;

/// A receive request of a campaign: the place of its pieces in the receive region. Between pieces
/// lie bytes that must not change.
///
/// @param index its place in the order of posting, and its id
/// @param message the message that takes it
record PlannedReceive(int index, long[] offsets, int[] lengths, PlannedMessage message) {
    int length() {
        int sum = 0;
        for (int length : lengths) {
            sum += length;
        }
        return sum;
    }
}
