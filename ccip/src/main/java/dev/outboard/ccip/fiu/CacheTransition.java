package dev.outboard.ccip.fiu;

import java.util.List;

/// A row of the transition table of the FPGA cache (CCI-P manual 1.3.12.1).
///
/// @param row the number of the row in the catalog: 1 to 22
/// @param hit whether the cache holds the line
/// @param phases the UPI transactions, in order
/// @param response after how many phases the CCI-P response is sent
/// @param after the state the line is left in
record CacheTransition(int row, boolean hit, List<Phase> phases, int response, State after) {
    /// The state of a line of the cache.
    enum State {
        M,
        S,
        I
    }

    /// What the cache says on UPI.
    enum Command {
        /// Nothing: the cache is enough.
        NONE,
        /// Asks for ownership without data.
        INV_I_TO_E,
        /// Reads and has the directory track the line.
        RD_CODE,
        /// Reads without being tracked.
        RD_CUR,
        /// Writes a modified line to memory.
        WB_M_TO_I,
        /// Writes a modified line into the last level cache of its processor.
        WB_PUSH_M_TO_I,
        /// Drops a clean line.
        EVCT_CLN
    }

    /// A UPI transaction and the state it leaves the line in.
    record Phase(Command command, State after) {}
}
