package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaGlobalVar;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program whose functions the host calls.
@DpaProgram("ledger")
final class Ledger {
    @DpaGlobalVar(bytes = 8)
    static DpaAddr calls;

    private Ledger() {}

    /// Adds to a word and counts the calls.
    @DpaRpc
    static long add(DpaThread thread, DpaAddr word, long amount) {
        long sum = thread.load64(word.value()) + amount;
        thread.store64(word.value(), sum);
        thread.store64(calls.value(), thread.load64(calls.value()) + 1);
        return sum;
    }

    /// How often [#add] was called.
    @DpaRpc
    static long calls(DpaThread thread) {
        return thread.load64(calls.value());
    }

    /// Loads what the argument says.
    @DpaRpc
    static long load(DpaThread thread, DpaAddr word) {
        return thread.load64(word.value());
    }

    /// Waits for a word that nobody writes.
    @DpaRpc
    static long await(DpaThread thread, DpaAddr word) {
        while (thread.load64(word.value()) == 0) {
            // Not yet.
        }
        return 1;
    }

    /// Counts in a word for ever.
    @DpaRpc
    static long count(DpaThread thread, DpaAddr word) {
        thread.print("counting");
        while (true) {
            thread.store64(word.value(), thread.load64(word.value()) + 1);
        }
    }

    /// Does not return.
    @DpaRpc
    static long reschedule(DpaThread thread) {
        thread.reschedule();
        return 0;
    }

    /// Does not return.
    @DpaRpc
    static long finish(DpaThread thread) {
        thread.finish();
        return 0;
    }

    /// Does not return.
    @DpaRpc
    static long retrigger(DpaThread thread) {
        thread.retrigger();
        return 0;
    }

    /// Counts in the globals that the process has failed.
    @DpaGlobal
    static void failed(DpaThread thread) {
        thread.store64(calls.value(), thread.load64(calls.value()) - 100);
    }

    /// Counts its activations in a word.
    @DpaGlobal
    static void activated(DpaThread thread, long word) {
        thread.store64(word, thread.load64(word) + 1);
        thread.memoryWriteback();
        thread.reschedule();
    }

    /// Takes what no handler takes.
    @DpaGlobal
    static void many(DpaThread thread, long first, long second) {
        thread.store64(first, second);
    }
}
