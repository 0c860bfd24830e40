package dev.outboard.dpa.doca;

import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.dpa.doca.dev.RdmaDescriptor;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;
import java.time.Duration;

/// DPA-RD-11: hears device code that needs a queue pair: it writes its need into the descriptor of
/// the RDMA context and interrupts the host, where a thread waits.
final class Demands implements AutoCloseable {
    /// The thread is interrupted when it is to end; it looks this often by itself.
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final FlexioProcess process;
    private final RdmaQueues.Demand told;
    private final FlexioMsix vector;
    private final int bell;
    private final Thread thread;
    private volatile long descriptor;
    private volatile boolean closed;

    Demands(Holdings holdings, RdmaQueues.Demand told) {
        process = holdings.loaded.process();
        this.told = told;
        vector = holdings.keep(FlexioMsix.create(process));
        bell = Bell.create(holdings, made -> made.interrupting(vector));
        thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("demands of an RDMA context")
                        .unstarted(this::serve);
    }

    /// What device code rings.
    int bell() {
        return bell;
    }

    /// @param of the RDMA context
    void start(DpaAddr of) {
        descriptor = of.value();
        thread.start();
    }

    private void serve() {
        try {
            while (!closed) {
                if (vector.await(LOOK)) {
                    serveOne();
                }
            }
        } catch (FlexioException processHasEnded) {
            // nobody asks any more
        }
    }

    private void serveOne() {
        DpaAddr wanted = new DpaAddr(descriptor + RdmaDescriptor.WANTED);
        long[] need = process.heap().copyWordsOut(wanted, 2);
        told.needed((int) need[0], (int) need[1]);
        process.heap().copyWordsIn(new DpaAddr(descriptor + RdmaDescriptor.ASKED), 0);
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
