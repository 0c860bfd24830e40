package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels that take long.
@DpaProgram("patience")
final class Patience {
    private Patience() {}

    /// Loads a word again and again.
    ///
    /// @param rest after how many loads the unit is given away; 0 if never
    @DpaGlobal
    static void work(DpaThread thread, DpaAddr word, int loads, int rest) {
        for (int i = 1; i <= loads; i++) {
            thread.load64(word.value());
            if (rest != 0 && i % rest == 0) {
                DocaDpaDev.yieldUnit(thread);
            }
        }
    }

    /// Gives its unit away until somebody has added to a word.
    @DpaGlobal
    static void rest(DpaThread thread, DpaAddr word) {
        while (thread.atomic64(AtomicOp.ADD, word.value(), 0, AtomicOrder.ACQUIRE) == 0) {
            DocaDpaDev.yieldUnit(thread);
        }
    }

    /// Adds to a word.
    @DpaGlobal
    static void raise(DpaThread thread, DpaAddr word) {
        thread.atomic64(AtomicOp.ADD, word.value(), 1, AtomicOrder.RELEASE);
    }
}
