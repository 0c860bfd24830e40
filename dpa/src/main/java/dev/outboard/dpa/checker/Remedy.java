package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.ProgramEdits;
import java.util.Optional;

/// What to insert, and between which two places of one actor's program: after the first, before the
/// second.
///
/// @param operation what
/// @param after the place that it follows
/// @param before the place that it precedes; empty where that is the end of the activation, or the
///   next round of a loop
public record Remedy(Operation operation, Spot after, Optional<Spot> before) {

    /// What can be inserted.
    public enum Operation {
        /// Stores to DPA memory reach the NIC.
        MEMORY_WRITEBACK("memory_writeback", "memoryWriteback()"),
        /// Window stores reach external memory.
        WINDOW_WRITEBACK("window_writeback", "windowWriteback()"),
        /// Cached window reads are dropped.
        READ_INV("read_inv", "windowReadInv()"),
        /// Stores to DPA memory appear in order.
        MEMORY_FENCE("fence(MEMORY,W,W)", "memoryFence(Op.W, Op.W)"),
        /// Window stores appear in order.
        WINDOW_FENCE("fence(MMIO,W,W)", "windowFence(Op.W, Op.W)");

        private final String litmus;
        private final String java;

        Operation(String litmus, String java) {
            this.litmus = litmus;
            this.java = java;
        }

        /// As litmus programs write it.
        public String litmus() {
            return litmus;
        }

        /// As Java kernels write it, a call of the thread.
        public String java() {
            return java;
        }

        /// The operation as an insertion into a kernel.
        ProgramEdits.Operation edit() {
            return new ProgramEdits.Operation("thread.%s;".formatted(java), this::execute);
        }

        private void execute(DpaThread thread) {
            switch (this) {
                case MEMORY_WRITEBACK -> thread.memoryWriteback();
                case WINDOW_WRITEBACK -> thread.windowWriteback();
                case READ_INV -> thread.windowReadInv();
                case MEMORY_FENCE -> thread.memoryFence(Op.W, Op.W);
                case WINDOW_FENCE -> thread.windowFence(Op.W, Op.W);
            }
        }
    }

    /// One sentence.
    @Override
    public String toString() {
        return before.map(end ->
                        "Insert %s between the %s and the %s."
                                .formatted(operation.litmus(), after, end))
                .orElseGet(() -> "Insert %s after the %s.".formatted(operation.litmus(), after));
    }
}
