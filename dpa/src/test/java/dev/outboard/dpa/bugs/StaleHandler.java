package dev.outboard.dpa.bugs;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Rights;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;

/// A handler looks up a limit in the memory of the host each time it is woken. The cache of its
/// window outlives its activations, so the second one may work with the limit of the first,
/// although the host changed it before it woke the handler.
final class StaleHandler implements DpaProgram {
    static final long OLD = 10;
    static final long NEW = 20;

    private long used;

    @Override
    public void setUp(DpaProcess process) {
        ExternalRegion table = process.external().add("table", ExternalKind.HOST, 64);
        int key = process.external().register(table, Rights.READ_WRITE).number();
        process.write64(table.address(), OLD);
        used = process.heap().allocate(64);
        process.write64(used, 0);
        ThreadHandle handler =
                process.thread(
                        "handler",
                        thread -> run(thread, key, table.address()),
                        ThreadAttributes.HANDLER);
        process.activate(handler);
        process.host(
                "host",
                host -> {
                    while (host.copyFrom(used, 1)[0] == 0) {
                        host.pause();
                    }
                    host.store64(table.address(), NEW);
                    host.activate(handler);
                });
    }

    private void run(DpaThread thread, int key, long table) {
        boolean first = thread.load64(used) == 0;
        if (first) {
            thread.configureWindow(key);
        }
        long limit = thread.load64(table);
        thread.store64(used, limit);
        thread.memoryWriteback();
        if (first) {
            thread.reschedule();
        }
        thread.finish();
    }

    /// The limit that the handler used last.
    long used(DpaProcess process) {
        return process.read64(used);
    }
}
