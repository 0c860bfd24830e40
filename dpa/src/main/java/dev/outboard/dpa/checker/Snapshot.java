package dev.outboard.dpa.checker;

/// What a store, an atomic or an announcement carries: all that its actor knew, and what of the
/// actor's own stores comes before it. Shared by all stores between two changes, and used again
/// when no store holds it any more.
final class Snapshot {
    final Knowledge knowledge;

    /// Different for each content.
    long stamp;

    /// What the NIC also sees when it sees this store in DPA memory, heap and rest.
    final long[] pushedWithIt = new long[2];

    private int holders;

    Snapshot(int actors) {
        knowledge = new Knowledge(actors);
    }

    void hold() {
        holders++;
    }

    /// Returns whether nobody holds it any more.
    boolean release() {
        return --holders == 0;
    }
}
