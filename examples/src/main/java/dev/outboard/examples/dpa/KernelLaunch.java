package dev.outboard.examples.dpa;

import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpacc.DpaAddr;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/// Launches a kernel that waits for an event, makes a log, and completes another event.
///
/// ```java
/// KernelLaunch.run(DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()), out);
/// ```
public final class KernelLaunch {
    private static final int THREADS = 4;
    private static final int THRESHOLD = 5;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private KernelLaunch() {}

    /// Does so, and prints the log.
    public static void run(DpaDevice device, PrintWriter out) throws InterruptedException {
        DocaDevInfo info = DocaDevInfo.find("", one -> one.environments().contains(Kind.DPA));
        try (DocaDev dev = DocaDev.open(info);
                DocaDpa dpa = DocaDpa.create(dev, device).app(LaunchKernelsStub.APP).start();
                SyncEvent go = new SyncEvent(dev).publisher(Location.CPU).subscriber(dpa).start();
                SyncEvent done =
                        new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
            DpaAddr log = dpa.memAlloc((long) THREADS * Long.BYTES);
            dpa.launchUpdateAdd(
                    go, THRESHOLD, done, 1, THREADS, LaunchKernelsStub.note(go.handle(dpa), log));
            out.printf("launched; it waits for %d%n", THRESHOLD);
            go.updateSet(THRESHOLD);
            done.waitGt(0, -1, Spin.PARK, LIMIT);
            print(dpa, log, out);
            dpa.memFree(log);
        }
    }

    private static void print(DocaDpa dpa, DpaAddr log, PrintWriter out) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment notes = arena.allocate(ValueLayout.JAVA_LONG, THREADS);
            dpa.copyFromDpa(notes, log);
            for (int rank = 0; rank < THREADS; rank++) {
                out.printf(
                        "thread %d of %d began at %d%n",
                        rank, THREADS, notes.getAtIndex(ValueLayout.JAVA_LONG, rank));
            }
        }
    }
}
