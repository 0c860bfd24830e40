package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.run.CodeSites;
import java.util.function.LongFunction;

/// What is known of the source of code, by the index of an instruction.
///
/// @param base the address of index 0
/// @param places the place of an address
record RvPlaces(long base, LongFunction<CodePlace> places, RvLoops loops)
        implements CodeSites.Instructions {
    @Override
    public CodePlace place(int index) {
        return places.apply(base + (long) index * Short.BYTES);
    }

    @Override
    public boolean isPoll(int index) {
        return loops.isPoll(index);
    }
}
