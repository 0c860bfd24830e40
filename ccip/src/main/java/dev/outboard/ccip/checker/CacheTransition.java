package dev.outboard.ccip.checker;

import java.util.List;

/// What a lookup of the FPGA cache found, and what comes of it: a row of its transition table
/// (CCI-P manual 1.3.12.1).
///
/// @param row the number of the row in the catalog: 1 to 22
/// @param request what the line is looked up for
/// @param hit whether the cache holds the line
/// @param before the state in which the cache held the line, or after a miss the victim in its
///   place
/// @param phases the UPI transactions, in order
public record CacheTransition(
        int row, Request request, boolean hit, State before, List<Phase> phases) {
    /// Whether another line has to make room.
    public boolean evicts() {
        return !hit && before != State.I;
    }

    /// After how many phases the CCI-P response is sent.
    public int response() {
        return evicts() ? 2 : 1;
    }

    /// The state the line is left in.
    public State after() {
        return phases.getLast().after();
    }

    /// What a line is looked up for.
    public enum Request {
        WRLINE_I,
        WRLINE_M,
        WRPUSH_I,
        RDLINE_I,
        RDLINE_S,
        /// The FIU itself reads a line of UMsgs, as with RDLINE_S.
        UMSG
    }

    /// The state of a line of the cache: modified, shared or invalid.
    public enum State {
        M,
        S,
        I
    }

    /// What the cache says on UPI.
    public enum Command {
        /// Nothing: the cache is enough.
        NONE("none"),
        /// Asks for ownership without data.
        INV_I_TO_E("InvItoE"),
        /// Reads and has the directory track the line.
        RD_CODE("RdCode"),
        /// Reads without being tracked.
        RD_CUR("RdCur"),
        /// Reads with ownership: for a write that does not fill the line.
        RD_INV_OWN("RdInvOwn"),
        /// Writes a modified line to memory.
        WB_M_TO_I("WbMtoI"),
        /// Writes a modified line into the last level cache of its processor.
        WB_PUSH_M_TO_I("WbPushMtoI"),
        /// Drops a clean line.
        EVCT_CLN("EvctCln");

        private final String text;

        Command(String text) {
            this.text = text;
        }

        /// As the manual writes it.
        @Override
        public String toString() {
            return text;
        }
    }

    /// A UPI transaction and the state it leaves the line in.
    ///
    /// @param command the transaction, or [Command#NONE]
    /// @param after the state of the line it is about
    public record Phase(Command command, State after) {}
}
