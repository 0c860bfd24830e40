package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program whose functions are tasks of a command queue.
@DpaProgram("chores")
final class Chores {
    /// In a log: how many entries it has, and where those begin.
    static final int COUNT = 0;

    static final int ENTRIES = 8;

    /// In a job: its log, what to note there, and where the square of that goes.
    static final int LOG = 0;

    static final int VALUE = 8;
    static final int SQUARE = 16;
    static final int JOB_BYTES = 24;

    /// In a gate: whether it is open, how many wait at it, and how many did so at most at once.
    static final int OPEN = 0;

    static final int WAITING = 64;
    static final int MOST = 128;
    static final int GATE_BYTES = 192;

    /// How far [#count] counts.
    static final int LONG = 3000;

    private Chores() {}

    /// Appends a value to a log, and leaves its square in the job.
    @DpaRpc
    static long note(DpaThread thread, DpaAddr job) {
        long value = thread.load64(job.value() + VALUE);
        append(thread, thread.load64(job.value() + LOG), value);
        thread.store64(job.value() + SQUARE, value * value);
        return value;
    }

    /// Appends the number of the thread that runs it to a log.
    @DpaRpc
    static long sign(DpaThread thread, DpaAddr log) {
        append(thread, log.value(), thread.number());
        return 0;
    }

    private static void append(DpaThread thread, long log, long value) {
        long index = thread.atomic64(AtomicOp.ADD, log + COUNT, 1, AtomicOrder.RELAXED);
        thread.store64(log + ENTRIES + index * Long.BYTES, value);
    }

    /// Waits until the gate is open.
    @DpaRpc
    static long pass(DpaThread thread, DpaAddr gate) {
        long former = thread.atomic64(AtomicOp.ADD, gate.value() + WAITING, 1, AtomicOrder.RELAXED);
        thread.atomic64(AtomicOp.MAX, gate.value() + MOST, former + 1, AtomicOrder.RELAXED);
        thread.memoryWriteback();
        while (thread.load64(gate.value() + OPEN) == 0) {
            // Not yet.
        }
        thread.atomic64(AtomicOp.ADD, gate.value() + WAITING, -1, AtomicOrder.RELAXED);
        return 0;
    }

    /// Takes its time, and shows how far it is.
    @DpaRpc
    static long count(DpaThread thread, DpaAddr word) {
        for (int i = 1; i <= LONG; i++) {
            thread.store64(word.value(), i);
            thread.memoryWriteback();
        }
        return 0;
    }

    /// Adds the squares of a few jobs that lie one after the other.
    @DpaRpc
    static long sum(DpaThread thread, DpaAddr first, int jobs) {
        long sum = 0;
        for (int i = 0; i < jobs; i++) {
            sum += thread.load64(first.value() + (long) i * JOB_BYTES + SQUARE);
        }
        return sum;
    }

    /// Loads from any address.
    @DpaRpc
    static long load(DpaThread thread, DpaAddr word) {
        return thread.load64(word.value());
    }

    /// Does not return.
    @DpaRpc
    static long leave(DpaThread thread, long ignored) {
        thread.reschedule();
        return ignored;
    }

    /// No function of that kind is a task.
    @DpaGlobal
    static void event(DpaThread thread, long word) {
        thread.store64(word, 1);
    }
}
