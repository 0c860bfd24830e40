package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevHashTable;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that use hash tables.
@DpaProgram("tables")
final class Tables {
    /// What is told of a key that is not there.
    static final long NOTHING = -77;

    private Tables() {}

    /// Gives a key a value.
    @DpaRpc
    static long add(DpaThread thread, long table, int key, long value) {
        DocaDpaDevHashTable.add(thread, table, key, value);
        return 0;
    }

    /// Takes a key away.
    @DpaRpc
    static long remove(DpaThread thread, long table, int key) {
        DocaDpaDevHashTable.remove(thread, table, key);
        return 0;
    }

    /// The value of a key, or that there is none.
    @DpaRpc
    static long find(DpaThread thread, long table, int key) {
        long value = thread.allocateStack(8);
        return DocaDpaDevHashTable.find(thread, table, key, value) ? thread.load64(value) : NOTHING;
    }

    /// When all threads are there, each adds keys of its own, finds them, takes every other one
    /// away, and counts what is as it must be; again and again.
    @DpaGlobal
    static void use(DpaThread thread, long table, int rounds, int each, DpaAddr good, long there) {
        int rank = DocaDpaDev.threadRank(thread);
        int threads = DocaDpaDev.numThreads(thread);
        long value = thread.allocateStack(8);
        DocaDpaDevSyncEvent.updateAdd(thread, there, 1);
        DocaDpaDevSyncEvent.waitGt(thread, there, threads - 1L);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < each; i++) {
                DocaDpaDevHashTable.add(thread, table, rank + i * threads, rank * 1000L + i);
            }
            for (int i = 0; i < each; i += 2) {
                DocaDpaDevHashTable.remove(thread, table, rank + i * threads);
            }
            for (int i = 0; i < each; i++) {
                int key = rank + i * threads;
                boolean found = DocaDpaDevHashTable.find(thread, table, key, value);
                boolean right =
                        i % 2 == 0 ? !found : found && thread.load64(value) == rank * 1000L + i;
                if (right) {
                    thread.atomic64(AtomicOp.ADD, good.value(), 1, AtomicOrder.RELAXED);
                }
            }
        }
    }
}
