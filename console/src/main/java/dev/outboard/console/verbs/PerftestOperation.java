package dev.outboard.console.verbs;

/// What a perftest measures.
enum PerftestOperation {
    SEND,
    WRITE,
    READ,
    FETCH_AND_ADD,
    COMPARE_AND_SWAP;

    boolean isAtomic() {
        return this == FETCH_AND_ADD || this == COMPARE_AND_SWAP;
    }

    /// Makes the request of `end` one of this kind, to the memory of `peer`.
    void aim(PerftestEnd end, PerftestPeer peer) {
        switch (this) {
            case SEND -> end.request().send();
            case WRITE -> end.request().write(peer.memory(), peer.key());
            case READ -> end.request().read(peer.memory(), peer.key());
            case FETCH_AND_ADD -> end.request().fetchAndAdd(peer.memory(), peer.key(), 1);
            case COMPARE_AND_SWAP -> end.request().compareAndSwap(peer.memory(), peer.key(), 0, 1);
        }
    }
}
