package dev.outboard.dpa.rv;

import java.util.ArrayList;
import java.util.List;

/// Instructions of a [RvRegion] that run one after the other. Addresses are indexes of halves of
/// the code.
final class RvBlock {
    /// Where the first one is.
    final int begin;

    /// Where each of them is.
    final List<Integer> instructions = new ArrayList<>();

    /// What follows the last one in the code.
    int end;

    /// Bits of registers that only local variables may hold when it begins.
    int dirty;

    /// Bits of registers that somebody may read after its begin before they are written.
    int live;

    RvBlock(int begin) {
        this.begin = begin;
    }

    /// Where its last instruction is.
    int last() {
        return instructions.getLast();
    }
}
