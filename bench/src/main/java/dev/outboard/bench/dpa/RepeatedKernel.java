package dev.outboard.bench.dpa;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.process.DpaProgram;

/// A handler that does the same again and again, for as long as it is told to. It speaks with
/// [KernelProcess] through globals and a doorbell, since the loader of the process defines it anew.
abstract class RepeatedKernel implements DpaProgram, Kernel {
    /// How long to go on.
    static final long NANOS = AddressMap.GLOBALS;

    /// What a round took.
    static final long ROUND_NANOS = NANOS + Long.BYTES;

    static final int GLOBAL_BYTES = 2 * Long.BYTES;

    /// The queue whose doorbell says that the globals are filled.
    static final int QUEUE = 1;

    /// What is measured.
    abstract void round(DpaThread thread);

    @Override
    public void run(DpaThread thread) {
        thread.configureOutbox((int) thread.argument());
        long median = RoundTimes.median(thread.load64(NANOS), () -> round(thread));
        thread.store64(ROUND_NANOS, median);
        thread.memoryWriteback();
        thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(QUEUE, 1));
    }
}
