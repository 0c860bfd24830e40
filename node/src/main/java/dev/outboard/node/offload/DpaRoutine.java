package dev.outboard.node.offload;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.DocaDpa;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.fabric.Device;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.watch.NodeTrace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A routine that is a kernel of a data-path accelerator: an RPC launches it. Its threads reach
/// copies of the regions through their windows.
///
/// RPCs run side by side. One whose kernel faults ends the process of the accelerator, and with it
/// the kernels of the others, which begin again, each in a process of its own; the next RPC finds a
/// new process.
public final class DpaRoutine implements OffloadedRoutine {
    private static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT.withStorage(
                    new MachineOptions.Storage(64L << 20, 8 << 10, false));

    private final DocaDev dev;
    private final DpaDevice dpa = DpaDevice.of(OPTIONS, RunMode.fast());
    private final DpaApp<DpaThread> app;
    private final Kernel kernel;
    private @Nullable DocaDpa current;
    private Optional<Trace> launches = Optional.empty();

    /// How many RPCs use an accelerator.
    private final Map<DocaDpa, Integer> users = new HashMap<>();

    /// Those that several RPCs have used at a time, since nobody did.
    private final Set<DocaDpa> shared = new HashSet<>();

    /// What an RPC launches.
    public interface Kernel {
        /// Looks at the RPC, and says what to launch.
        ///
        /// @param job what the kernel is given, which has to be launched with it
        /// @throws RoutineException if the RPC is none for it
        Launch launch(RpcContext rpc, Job job) throws RoutineException;
    }

    /// A kernel and its threads.
    ///
    /// @param threads 1 to 128
    public record Launch(DpaCall<DpaThread> kernel, int threads) {}

    private DpaRoutine(DocaDev dev, DpaApp<DpaThread> app, Kernel kernel) {
        this.dev = dev;
        this.app = app;
        this.kernel = kernel;
    }

    /// On an accelerator of its own.
    ///
    /// @param device of the node
    public static DpaRoutine of(Device device, DpaApp<DpaThread> app, Kernel kernel) {
        return new DpaRoutine(DocaDev.of(device), app, kernel);
    }

    @Override
    public boolean isWaiting() {
        return true;
    }

    @Override
    public void show(NodeTrace trace) {
        trace.add(dpa.trace());
        launches = Optional.of(trace.trace());
    }

    @Override
    public int run(RpcContext rpc) throws RoutineException {
        DocaDpa on = acquire();
        try {
            return runOn(on, rpc);
        } catch (DocaException e) {
            if (!isShared(on)) {
                throw failed(e);
            }
        } finally {
            release(on);
        }
        // It may have been the kernel of another RPC that has faulted. The regions are as they
        // were.
        try (DocaDpa alone = open()) {
            return runOn(alone, rpc);
        } catch (DocaException e) {
            throw failed(e);
        }
    }

    private int runOn(DocaDpa on, RpcContext rpc) throws RoutineException {
        try (Job job = new Job(on, rpc.parameters())) {
            job.run(rpc.id(), kernel.launch(rpc, job));
            return ReturnCode.SUCCESS;
        }
    }

    private static RoutineException failed(DocaException e) {
        return TargetError.FAILED.because("the kernel of the DPA: " + e.getMessage());
    }

    private DocaDpa open() throws RoutineException {
        try {
            return DocaDpa.create(dev, dpa).app(app).start();
        } catch (DocaException e) {
            throw TargetError.FAILED.because("the DPA cannot be opened: " + e.getMessage());
        }
    }

    /// The accelerator, another one after a fault.
    private synchronized DocaDpa acquire() throws RoutineException {
        DocaDpa on = current;
        if (on == null || on.peekAtLastError() != DocaError.SUCCESS) {
            on = open();
            current = on;
        }
        if (users.merge(on, 1, Integer::sum) > 1) {
            shared.add(on);
        }
        return on;
    }

    /// Whether RPCs have used it side by side.
    private synchronized boolean isShared(DocaDpa on) {
        return shared.contains(on);
    }

    private synchronized void release(DocaDpa on) {
        int left = users.merge(on, -1, Integer::sum);
        if (left == 0) {
            users.remove(on);
            shared.remove(on);
            if (!on.equals(current)) {
                on.close();
            }
        }
    }

    @Override
    public synchronized void close() {
        if (current != null) {
            current.close();
        }
        dev.close();
    }

    /// What the kernel of one RPC is given.
    public final class Job implements AutoCloseable {
        private final DocaDpa on;
        private final Arena arena = Arena.ofShared();
        private final List<Mmap> regions = new ArrayList<>();
        private final List<DpaAddr> blocks = new ArrayList<>();
        private final List<Runnable> copiesBack = new ArrayList<>();

        private Job(DocaDpa on, List<RoutineRegion> parameters) {
            this.on = on;
            try {
                parameters.forEach(this::add);
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        /// Whoever ends its connection in the middle of a kernel takes nothing away from that.
        private void add(RoutineRegion region) {
            long words = Math.ceilDiv(Math.max(region.size(), 1), Long.BYTES);
            Mmap own =
                    Mmap.builder()
                            .device(dev)
                            .memrange(words * Long.BYTES)
                            .permissions(AccessFlag.LOCAL_READ_WRITE)
                            .build()
                            .start();
            regions.add(own);
            MemorySegment.copy(region.memory(), 0, own.segment(), 0, region.size());
            if (region.isOutput() || region.flags() == 0) {
                copiesBack.add(() ->
                        MemorySegment.copy(own.segment(), 0, region.memory(), 0, region.size()));
            }
        }

        /// The key of a region for windows.
        public int key(int region) {
            return regions.get(region).handle(on);
        }

        /// The external address of a region.
        public long address(int region) {
            return regions.get(region).addressFor(on);
        }

        /// A block of the accelerator's heap for as long as the RPC takes, aligned to 64 bytes.
        ///
        /// @throws DocaException with NO_MEMORY if there is no room for it
        public DpaAddr block(long bytes) {
            DpaAddr made = on.memAlloc(bytes);
            blocks.add(made);
            return made;
        }

        /// A block that begins with these words.
        public DpaAddr words(long... words) {
            DpaAddr made = block((long) words.length * Long.BYTES);
            on.copyToDpa(made, arena.allocateFrom(ValueLayout.JAVA_LONG, words));
            return made;
        }

        private void run(long rpc, Launch launch) {
            long from = System.nanoTime();
            boolean hasRun = false;
            try {
                await(launch);
                hasRun = true;
            } finally {
                tell(launch, hasRun, from, rpc);
            }
            copiesBack.forEach(Runnable::run);
        }

        private void tell(Launch launch, boolean hasRun, long from, long rpc) {
            String what =
                    "%s%s: %d threads"
                            .formatted(
                                    launch.kernel.function().name(),
                                    hasRun ? "" : " that failed",
                                    launch.threads);
            launches.ifPresent(
                    trace -> trace.slice("DPA", "launches", what, from, System.nanoTime(), rpc));
        }

        /// Nothing interrupts it: regions stay for as long as the kernel may use them.
        private void await(Launch launch) {
            boolean interrupted = false;
            try (SyncEvent done =
                    new SyncEvent(dev).publisher(on).subscriber(Location.CPU).start()) {
                on.launchUpdateAdd(null, 0, done, 1, launch.threads, launch.kernel);
                boolean isOver = false;
                while (!isOver) {
                    try {
                        done.waitGt(0, -1, Spin.PARK);
                        isOver = true;
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public void close() {
            boolean lives = on.peekAtLastError() == DocaError.SUCCESS;
            if (lives) {
                blocks.forEach(on::memFree);
            }
            regions.forEach(Mmap::close);
            arena.close();
        }
    }
}
