package dev.outboard.dpa.litmus;

import java.util.BitSet;
import java.util.List;

/// The compiled program of an actor.
///
/// @param thread its number among the DPA threads, or -1
/// @param registers the names of its registers; those that no text names begin with a sign
/// @param places for each instruction, and the end, the statement that it comes from
record ActorProgram(
        Actor actor,
        int thread,
        Instruction[] instructions,
        List<String> registers,
        Place[] places,
        Reads reads) {
    /// For each instruction, and the end, the granules that it or a later one may read.
    ///
    /// @param window of external memory, through the window
    /// @param nic of DPA memory, as the NIC reads it
    record Reads(BitSet[] window, BitSet[] nic) {}
}
