package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that note what they do.
@DpaProgram("steps")
final class Steps {
    /// In a log: how many entries it has, and where they begin.
    static final int ENTRIES = 8;

    private Steps() {}

    /// Appends a value to a log.
    @DpaGlobal
    static void note(DpaThread thread, DpaAddr log, long value) {
        long index = thread.atomic64(AtomicOp.ADD, log.value(), 1, AtomicOrder.ACQUIRE_RELEASE);
        thread.store64(log.value() + ENTRIES + Long.BYTES * index, value);
    }

    /// Each thread stores its rank and how many there are.
    @DpaGlobal
    static void ranks(DpaThread thread, DpaAddr words) {
        int rank = DocaDpaDev.threadRank(thread);
        thread.store64(words.value() + (long) rank * Long.BYTES, rank);
        DocaDpaDev.yieldUnit(thread);
        long count = words.value() + (long) DocaDpaDev.numThreads(thread) * Long.BYTES;
        thread.atomic64(AtomicOp.ADD, count, DocaDpaDev.numThreads(thread), AtomicOrder.RELAXED);
    }

    /// Each thread adds to an event several times.
    @DpaGlobal
    static void addTo(DpaThread thread, long event, int times, long addend) {
        for (int i = 0; i < times; i++) {
            DocaDpaDevSyncEvent.updateAdd(thread, event, addend);
        }
    }

    /// Sets an event.
    @DpaGlobal
    static void set(DpaThread thread, long event, long value) {
        DocaDpaDevSyncEvent.updateSet(thread, event, value);
    }

    /// Tells an event, and then counts in a word up to a number.
    @DpaGlobal
    static void tellAndCount(DpaThread thread, long event, DpaAddr word, int number) {
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
        for (int i = 1; i <= number; i++) {
            thread.store64(word.value(), i);
        }
    }

    /// Waits for an event, appends what it has then to a log, and adds 1 to another event.
    @DpaGlobal
    static void follow(DpaThread thread, long event, long threshold, DpaAddr log, long next) {
        DocaDpaDevSyncEvent.waitGt(thread, event, threshold);
        note(thread, log, DocaDpaDevSyncEvent.get(thread, event));
        DocaDpaDevSyncEvent.updateAdd(thread, next, 1);
    }

    /// Tells an event that it has begun, and waits for another one.
    @DpaGlobal
    static void startAndFollow(DpaThread thread, long started, long event, DpaAddr log) {
        DocaDpaDevSyncEvent.updateAdd(thread, started, 1);
        DocaDpaDevSyncEvent.waitGt(thread, event, 0);
        note(thread, log, 1);
    }

    /// Works on words without any fence, and then tells an event.
    @DpaGlobal
    static void produce(DpaThread thread, DpaAddr words, int count, long value, long event) {
        for (int i = 0; i < count; i++) {
            thread.store64(words.value() + (long) i * Long.BYTES, value + i);
        }
        DocaDpaDevSyncEvent.updateAdd(thread, event, 1);
    }

    /// Waits for an event, and adds up what another kernel has made.
    @DpaGlobal
    static void consume(DpaThread thread, DpaAddr words, int count, long event, DpaAddr log) {
        DocaDpaDevSyncEvent.waitGt(thread, event, 0, -1);
        note(thread, log, sum(thread, words, count));
    }

    /// Adds up words.
    @DpaRpc
    static long sum(DpaThread thread, DpaAddr words, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += thread.load64(words.value() + (long) i * Long.BYTES);
        }
        return sum;
    }

    /// The threads of that rank and above reach for nothing.
    @DpaGlobal
    static void fail(DpaThread thread, int rank) {
        if (DocaDpaDev.threadRank(thread) >= rank) {
            thread.store64(8, 1);
        }
    }

    /// The value of an event.
    @DpaRpc
    static long valueOf(DpaThread thread, long event) {
        return DocaDpaDevSyncEvent.get(thread, event);
    }

    /// Ends the activation, which a kernel must not do.
    @DpaGlobal
    static void leave(DpaThread thread, long nothing) {
        thread.reschedule();
    }
}
