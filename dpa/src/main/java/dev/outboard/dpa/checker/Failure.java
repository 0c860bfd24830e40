package dev.outboard.dpa.checker;

import java.util.BitSet;

/// A completion entry that tells of a failure, until it is used again.
final class Failure {
    /// The NIC that wrote it, and where.
    final int nic;

    final int site;

    /// The threads that have seen it and gone on.
    final BitSet handled = new BitSet();

    Failure(int nic, int site) {
        this.nic = nic;
        this.site = site;
    }
}
