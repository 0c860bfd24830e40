package dev.outboard.dpa.rv;

/// A [RvRegion] as a method of Java. Immutable; all harts of a process share it.
abstract class CompiledRegion {
    /// What the places are addresses of at which the machine may throw something.
    final long[] places;

    /// For each place the registers whose values are in local variables, as bits.
    final int[] dirty;

    CompiledRegion(long[] places, int[] dirty) {
        this.places = places;
        this.dirty = dirty;
    }

    /// Runs from its first instruction on, until it is left. All registers are in the hart then.
    ///
    /// @param depth how many of these calls are around it
    /// @return where it goes on
    abstract long run(RvHart hart, int depth);
}
