package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.ArrayHandle;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.doca.spi.MemoryHandle;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.doca.spi.RemoteMemory;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.Launch.Completion;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// DPA-DC-1: a DPA context: DOCA's `doca_dpa`. It belongs to a device and loads a program, whose
/// kernels it launches; [sync events][SyncEvent] order them.
///
/// ```java
/// try (DocaDpa dpa = DocaDpa.create(dev, DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()))
///         .app(SumStub.APP).start();
///         SyncEvent done = new SyncEvent(dev).publisher(dpa).subscriber(Location.CPU).start()) {
///     DpaAddr numbers = dpa.memAlloc(1 << 20);
///     dpa.launchUpdateAdd(null, 0, done, 1, 128, SumStub.sum(numbers, 1 << 17));
///     done.waitGt(0, -1, Spin.PARK);
/// }
/// ```
///
/// Created, given a program, started, used by any number of threads, stopped and closed by whoever
/// created it. It can be [extended][#extend] to other functions of the card.
///
/// DPA-DC-3: after a fault of a kernel everything but closing it is refused with BAD_STATE, and
/// [#peekAtLastError] says why.
public final class DocaDpa implements ExecutionEnvironment, AutoCloseable {
    /// DPA-KL-6: the most threads of a kernel.
    private static final int MOST_THREADS = 128;

    private final DocaDev dev;
    private final NicFunction function;
    private final DpaDevice device;
    private final HostProcess host;

    /// Of the base context and all that it was extended to, by their handles.
    private final Map<Long, DpaEvent> events;

    /// Which this extends; empty if it is one itself.
    private final Optional<DocaDpa> extended;

    /// What it is extended to.
    private final Set<DocaDpa> extensions = new HashSet<>();

    /// Threads, completion contexts and the like that are started.
    private final Set<Lifecycle> parts = new HashSet<>();

    /// What is known by mmaps, and goes with the context.
    private final Set<DpaMemoryHandle> memories = new HashSet<>();

    private @Nullable DpaApp<DpaThread> app;
    private Optional<Path> log = Optional.empty();
    private DocaDpaLogLevel logLevel = DocaDpaLogLevel.INFO;
    private @Nullable Started started;
    private boolean closed;

    /// From a start to the next stop.
    private record Started(Loaded loaded, Kernels kernels, CrashFiles crash, RemoteNames names) {
        FlexioProcess process() {
            return loaded.process();
        }

        boolean lives() {
            return process().errorState().isRunning();
        }
    }

    private DocaDpa(DocaDev dev, DpaDevice device) {
        this.dev = dev;
        function = function(dev);
        this.device = device;
        host = HostProcess.open();
        events = new ConcurrentHashMap<>();
        extended = Optional.empty();
    }

    private DocaDpa(DocaDev dev, DocaDpa base, Started started) {
        this.dev = dev;
        function = function(dev);
        this.started = started;
        device = base.device;
        host = base.host;
        events = base.events;
        extended = Optional.of(base);
    }

    /// A context without a program.
    ///
    /// @param device what runs its kernels. If queue pairs of it are carried by a device of the
    ///   fabric, that is the one that `dev` is of.
    /// @throws DocaException with INVALID_VALUE if it is another one, with NOT_SUPPORTED if the
    ///   device has no DPA, or its mode is EXPLORE
    public static DocaDpa create(DocaDev dev, DpaDevice device) {
        DocaException.nonNull(dev, "dev");
        DocaException.nonNull(device, "device");
        if (!device.capabilities().supported()) {
            throw new DocaException(DocaError.NOT_SUPPORTED, "the device has no DPA");
        }
        if (device.mode() instanceof RunMode.Explore) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "EXPLORE runs threads that are all there at its begin: no host launches kernels");
        }
        Device below = dev.protectionDomain().device();
        if (device.fabric().isPresent() && !device.fabric().get().equals(below)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "queue pairs of the DPA are carried by %s, and %s is of %s"
                            .formatted(device.fabric().get().name(), dev, below.name()));
        }
        return new DocaDpa(dev, device);
    }

    /// Chooses the program.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the context is started or closed
    public synchronized DocaDpa app(DpaApp<DpaThread> program) {
        requireIdle();
        app = DocaException.nonNull(program, "program");
        return this;
    }

    /// DPA-DC-3: `doca_dpa_log_file_set_path`: where the log is: device code
    /// [logs][dev.outboard.dpa.doca.dev.DocaDpaDevLog] to its end, and without a path to standard
    /// output. After a fault of a kernel there is a file beside it that says what has happened, and
    /// a core file, which `outboard dpa core` prints: its name with `.crash` and with `.core`
    /// added. Without a path there are none.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the context is started or closed
    public synchronized DocaDpa logPath(Path file) {
        requireIdle();
        log = Optional.of(DocaException.nonNull(file, "file"));
        return this;
    }

    /// `doca_dpa_set_log_level`: how important what device code logs must be; INFO by default.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the context is started or closed
    public synchronized DocaDpa logLevel(DocaDpaLogLevel level) {
        requireIdle();
        logLevel = DocaException.nonNull(level, "level");
        return this;
    }

    /// Loads the program: kernels can be launched from now on.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if the context is started or closed, has no program, or
    ///   extends another one
    public synchronized DocaDpa start() {
        requireIdle();
        DpaApp<DpaThread> program = app;
        if (program == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " has no program");
        }
        started =
                DocaErrors.of(() -> {
                    FlexioProcess.Attributes plain = FlexioProcess.Attributes.DEFAULT;
                    FlexioProcess process =
                            FlexioProcess.create(
                                    host,
                                    device,
                                    program,
                                    fabric(dev).map(plain::withFabricDomain).orElse(plain));
                    DeviceLog.open(process, logLevel, log);
                    Loaded loaded = new Functions(process, function.number()).home();
                    Kernels kernels = new Kernels(loaded, device, events);
                    CrashFiles crash = new CrashFiles(process, log);
                    process.runtime(kernels::status, crash::write);
                    RemoteNames names = new RemoteNames(process, device.fabric().isPresent());
                    return new Started(loaded, kernels, crash, names);
                });
        return this;
    }

    private static NicFunction function(DocaDev dev) {
        return dev.protectionDomain().device().function();
    }

    /// Where queue pairs are on the fabric, if the device of the DPA is on one.
    private Optional<ProtectionDomain> fabric(DocaDev on) {
        return device.fabric().map(_ -> on.protectionDomain());
    }

    /// DPA-DC-2: `doca_dpa_device_extend`: a context on another function of the card, virtual or
    /// sub. It is started, and has the program of this one: what one of them allocates, launches
    /// and calls, the other one knows. Sync events, memory, RDMA contexts and the like that are
    /// made with it are on the other function. Device code
    /// [selects][dev.outboard.dpa.doca.dev.DocaDpaDev#deviceSet] that by its [#handle] before it
    /// uses them.
    ///
    /// Stop or close it before this one. It is not started again.
    ///
    /// @param other of a function that this process may have: `card.openFunction(1)`
    /// @throws DocaException with BAD_STATE if this one is not started or extends another one
    ///   itself; with INVALID_VALUE if that is no other function of the card; with NO_MEMORY
    public synchronized DocaDpa extend(DocaDev other) {
        DocaException.nonNull(other, "other");
        Started running = running();
        if (extended.isPresent()) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "%s extends %s: extend that".formatted(this, extended.get()));
        }
        List<NicFunction> functions = dev.protectionDomain().device().functions();
        if (!functions.contains(function(other)) || function(other).equals(function)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%s is function %s; valid: another one than %s of %s"
                            .formatted(other, function(other), function, functions));
        }
        Loaded loaded =
                DocaErrors.of(() ->
                        running.loaded.functions().extend(function(other).number(), fabric(other)));
        DocaDpa made =
                new DocaDpa(
                        other,
                        this,
                        new Started(loaded, running.kernels, running.crash, running.names));
        extensions.add(made);
        return made;
    }

    /// The one that has the program, of which this is one function.
    DocaDpa base() {
        return extended.orElse(this);
    }

    private synchronized void forget(DocaDpa extension) {
        extensions.remove(extension);
    }

    /// DPA-DC-2: `doca_dpa_get_dpa_handle`: what device code knows it by.
    ///
    /// @throws DocaException with BAD_STATE if it is not started
    public long handle() {
        return running().loaded.handle();
    }

    /// Ends all that it runs, and frees what it has on the DPA. Does nothing if it is not started.
    /// Waits up to a second for kernels that are about to end.
    ///
    /// @throws DocaException with IN_USE if sync events, RDMA contexts, threads or completion
    ///   contexts that are started use it, it is extended, or kernels have not ended, which may use
    ///   any function; nothing has changed
    public synchronized void stop() {
        Started running = started;
        if (running == null) {
            return;
        }
        running.kernels.settle();
        int kernels = running.lives() ? running.kernels.running() : 0;
        long events = ownEvents().count();
        if (events > 0 || !parts.isEmpty() || !extensions.isEmpty() || kernels > 0) {
            throw new DocaException(
                    DocaError.IN_USE,
                    "%s is used by %d sync events and by %s that are started, extended to %s, and %d kernels have not ended"
                            .formatted(this, events, parts, extensions, kernels));
        }
        if (extended.isPresent()) {
            memories.forEach(DpaMemoryHandle::close);
            memories.clear();
            DocaErrors.giveBack(
                    running.process(), () -> running.loaded.functions().leave(running.loaded));
            extended.get().forget(this);
        } else {
            if (!running.lives()) {
                running.crash.write();
            }
            running.process().close();
        }
        started = null;
    }

    private Stream<DpaEvent> ownEvents() {
        Loaded own = running().loaded;
        return events.values().stream().filter(event -> event.loaded().equals(own));
    }

    /// Stops it, and gives it up. Closing twice is harmless.
    ///
    /// @throws DocaException as [#stop]
    @Override
    public synchronized void close() {
        stop();
        if (extended.isEmpty()) {
            host.close();
        }
        closed = true;
    }

    /// DPA-DC-3: whether a kernel has met a fatal error since the start. Asking changes nothing.
    ///
    /// @return SUCCESS, or BAD_STATE
    public DocaError peekAtLastError() {
        return running().lives() ? DocaError.SUCCESS : DocaError.BAD_STATE;
    }

    /// DPA-KL-6: how many threads a kernel may have.
    public int maxThreadsPerKernel() {
        return MOST_THREADS;
    }

    /// DPA-KL-11: `doca_dpa_get_kernel_max_run_time`: how long a thread of a kernel may keep its
    /// execution unit, in virtual time. One that keeps it longer is a fault. A thread that gives
    /// its unit away has all the time again.
    public Duration kernelMaxRunTime() {
        return Duration.ofNanos(device.options().timing().watchdogNanos());
    }

    // Kernels

    /// DPA-KL-2: `doca_dpa_kernel_launch_update_add`: submits a kernel, and does not wait for it.
    ///
    /// @param wait the kernel begins when its value is at least `threshold`; null if at once
    /// @param threshold unsigned; at most 254 if the machine runs by a profile of BlueField-3
    /// @param completion `count` is added to it when the last thread of the kernel has returned;
    ///   null if nobody is told. It may be the event that is waited for.
    /// @param threads from 1 to [#maxThreadsPerKernel]
    /// @param kernel made by the stub of the program, of a function that is marked `@DpaGlobal`
    /// @throws DocaException with INVALID_VALUE if the function or an event is none for this, or
    ///   the threads are too few or too many, or the threshold too high; with AGAIN if 1024 kernels
    ///   have not ended; nothing is submitted
    public void launchUpdateAdd(
            @Nullable SyncEvent wait,
            long threshold,
            @Nullable SyncEvent completion,
            long count,
            int threads,
            DpaCall<DpaThread> kernel) {
        launch(wait, threshold, completion(completion, true, count), threads, kernel);
    }

    /// DPA-KL-2: `doca_dpa_kernel_launch_update_set`: the same, and the completion event is set to
    /// `count`.
    ///
    /// @throws DocaException as [#launchUpdateAdd]
    public void launchUpdateSet(
            @Nullable SyncEvent wait,
            long threshold,
            @Nullable SyncEvent completion,
            long count,
            int threads,
            DpaCall<DpaThread> kernel) {
        launch(wait, threshold, completion(completion, false, count), threads, kernel);
    }

    private void launch(
            @Nullable SyncEvent wait,
            long threshold,
            Optional<Completion> completion,
            int threads,
            DpaCall<DpaThread> kernel) {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a kernel of %d threads; valid: 1 to %d".formatted(threads, MOST_THREADS));
        }
        Optional<DpaEvent> event = Optional.ofNullable(wait).map(this::known);
        if (event.isPresent() && !event.get().waits()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, wait + " does not have the DPA as a subscriber");
        }
        Launch launch =
                new Launch(loaded(kernel, DpaFunction.Kind.GLOBAL), threads, completion, false);
        DocaErrors.of(() -> running().kernels.launch(launch, event, threshold));
    }

    private Optional<Completion> completion(@Nullable SyncEvent event, boolean isAdd, long count) {
        if (event == null) {
            return Optional.empty();
        }
        DpaEvent told = known(event);
        if (!told.updates()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, event + " does not have the DPA as a publisher");
        }
        return Optional.of(new Completion(told, isAdd, count));
    }

    private DpaCall<DpaThread> loaded(DpaCall<DpaThread> call, DpaFunction.Kind kind) {
        DocaException.nonNull(call, "kernel");
        return DocaErrors.of(() ->
                new DpaCall<>(running().process().loaded(call.function(), kind), call.arguments()));
    }

    private DpaEvent known(SyncEvent event) {
        long handle;
        try {
            handle = event.handle(this);
        } catch (DocaException e) {
            throw new DocaException(DocaError.INVALID_VALUE, String.valueOf(e.getMessage()), e);
        }
        DpaEvent found;
        synchronized (this) {
            found = events.get(handle);
        }
        if (found == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, event + " is of another DPA context than " + this);
        }
        return found;
    }

    /// DPA-KL-12: `doca_dpa_rpc`: runs a function on one thread of the DPA and waits for its
    /// result.
    ///
    /// @param function made by the stub of the program, of a function that is marked `@DpaRpc`
    /// @throws DocaException with INVALID_VALUE if the function is none of the program, with
    ///   BAD_STATE after a fault, with TIME_OUT after a minute
    public long rpc(DpaCall<DpaThread> function) {
        Launch launch =
                new Launch(loaded(function, DpaFunction.Kind.RPC), 1, Optional.empty(), true);
        return DocaErrors.of(() -> running().kernels.rpc(launch));
    }

    // Memory

    /// DPA-DM-1: `doca_dpa_mem_alloc`: a block of the heap of the DPA, aligned to 64 bytes.
    ///
    /// DPA-DM-2: its content is arbitrary.
    ///
    /// @throws DocaException with NO_MEMORY if there is no room for it
    public DpaAddr memAlloc(long lengthBytes) {
        return DocaErrors.of(() -> heap().allocate(lengthBytes));
    }

    /// `doca_dpa_mem_free`: gives a block back. No kernel uses it any more; a checker reports one
    /// that does.
    ///
    /// @throws DocaException with INVALID_VALUE if it is none
    public void memFree(DpaAddr block) {
        DocaErrors.of(() -> heap().free(block));
    }

    /// `doca_dpa_h2d_memcpy`: copies to a block; done when the call returns.
    ///
    /// @throws DocaException with INVALID_VALUE if the bytes do not lie in one block
    public void copyToDpa(DpaAddr to, MemorySegment from) {
        DocaErrors.of(() -> heap().copyIn(to, from.toArray(ValueLayout.JAVA_BYTE)));
    }

    /// `doca_dpa_d2h_memcpy`: copies from a block; done when the call returns.
    ///
    /// @throws DocaException as [#copyToDpa]
    public void copyFromDpa(MemorySegment to, DpaAddr from) {
        DocaErrors.of(() -> {
            byte[] bytes = heap().copyOut(from, Math.toIntExact(to.byteSize()));
            to.copyFrom(MemorySegment.ofArray(bytes));
        });
    }

    /// `doca_dpa_h2d_buf_memcpy`: copies the data section of a buffer to a block; done when the
    /// call returns.
    ///
    /// @throws DocaException with INVALID_VALUE if the bytes do not lie in one block, the buffer is
    ///   in a list, or the DPA cannot take its memory; with BAD_STATE if its mmap is not started
    public void copyToDpa(DpaAddr to, Buf from) {
        DocaErrors.of(() -> heap().copyIn(to, HostBytes.read(process(), this, from)));
    }

    /// `doca_dpa_d2h_buf_memcpy`: copies from a block to the tail of a buffer, which is in its data
    /// section then; done when the call returns.
    ///
    /// @throws DocaException also with INVALID_VALUE if the tail is too short, with NOT_PERMITTED
    ///   if the buffer must not be written
    public void copyFromDpa(Buf to, DpaAddr from, int lengthBytes) {
        DocaErrors.of(
                () -> HostBytes.append(process(), this, to, heap().copyOut(from, lengthBytes)));
    }

    /// `doca_dpa_memset`: fills bytes of a block.
    ///
    /// @throws DocaException as [#copyToDpa]
    public void memset(DpaAddr to, int value, int lengthBytes) {
        DocaErrors.of(() -> heap().fill(to, lengthBytes, (byte) value));
    }

    private FlexioHeap heap() {
        return process().heap();
    }

    /// Whether a device of the fabric carries its queue pairs.
    boolean isOnFabric() {
        return device.fabric().isPresent();
    }

    /// What it runs in.
    FlexioProcess process() {
        return running().process();
    }

    /// The program on its function.
    Loaded loaded() {
        return running().loaded;
    }

    // For objects of DOCA

    @Override
    public Kind kind() {
        return Kind.DPA;
    }

    @Override
    public EventCell cell(MemorySegment memory, EventUse declared) {
        return event(memory, declared);
    }

    /// The event that has its value there, which it may know already.
    synchronized DpaEvent eventAt(MemorySegment memory) {
        return ownEvents()
                .filter(event -> event.isAt(memory))
                .findFirst()
                .orElseGet(() -> event(memory, new EventUse(false, false, true)));
    }

    private synchronized DpaEvent event(MemorySegment memory, EventUse declared) {
        Started running = running();
        DpaEvent made =
                DocaErrors.of(() ->
                        new DpaEvent(
                                running.loaded, memory, declared, running.kernels, this::forget));
        events.put(made.handle(), made);
        running.names.add(memory.address(), made.key(), made.address());
        return made;
    }

    /// DPA-HW-15: memory of the host.
    @Override
    public MemoryHandle memory(MemorySegment memory, Set<AccessFlag> permissions) {
        Started running = running();
        return DocaErrors.of(() -> {
            DpaMemoryHandle made = DpaMemoryHandle.ofHost(running.loaded, memory, permissions);
            keep(made);
            running.names.add(memory.address(), made.key(), made.address());
            return made;
        });
    }

    /// Memory of the heap: `doca_mmap_set_dpa_memrange`.
    @Override
    public MemoryHandle ownMemory(long address, long lengthBytes, Set<AccessFlag> permissions) {
        Loaded loaded = loaded();
        DpaAddr block = new DpaAddr(address);
        if (lengthBytes > Integer.MAX_VALUE) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%d bytes at %s do not lie in one live block of the heap"
                            .formatted(lengthBytes, block));
        }
        DpaMemoryHandle made =
                DocaErrors.of(() ->
                        DpaMemoryHandle.ofHeap(loaded, block, (int) lengthBytes, permissions));
        keep(made);
        return made;
    }

    @Override
    public ArrayHandle array(MemoryHandle memory, long startOffset, long elementBytes, int count) {
        Loaded loaded = loaded();
        if (!(memory instanceof DpaMemoryHandle own)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "%s is none of %s".formatted(memory, this));
        }
        return DocaErrors.of(
                () -> DpaArrayHandle.of(loaded, own, startOffset, elementBytes, count));
    }

    @Override
    public ArrayHandle remoteArray(
            RemoteMemory memory, long startOffset, long elementBytes, int count) {
        Loaded loaded = loaded();
        return DocaErrors.of(
                () -> DpaArrayHandle.ofPeer(loaded, memory, startOffset, elementBytes, count));
    }

    @Override
    public RemoteMemory remoteMemory(long address, int key) {
        return running().names.memory(address, key);
    }

    @Override
    public long remoteEvent(long address, int key) {
        return DocaErrors.of(() -> running().names.event(address, key));
    }

    @Override
    public RdmaQueues rdma(RdmaQueues.Attributes attributes) {
        return DocaErrors.of(() -> new DpaRdma(this, attributes));
    }

    private synchronized void keep(DpaMemoryHandle memory) {
        memories.removeIf(one -> !one.isOpen());
        memories.add(memory);
    }

    private synchronized void forget(DpaEvent event) {
        events.remove(event.handle());
    }

    /// An object of the context starts.
    ///
    /// @param making makes what it has on the DPA; if that fails, all of it is given back
    synchronized Holdings add(Lifecycle part, Consumer<Holdings> making) {
        Holdings holdings = new Holdings(running().loaded);
        boolean made = false;
        try {
            DocaErrors.of(() -> making.accept(holdings));
            made = true;
        } finally {
            if (!made) {
                giveBack(holdings);
            }
        }
        parts.add(part);
        return holdings;
    }

    /// An object of the context stops.
    synchronized void remove(Lifecycle part, Holdings holdings) {
        giveBack(holdings);
        parts.remove(part);
    }

    /// After a fault what there was goes with the process.
    private void giveBack(Holdings holdings) {
        DocaErrors.giveBack(running().process(), holdings::close);
    }

    private synchronized Started running() {
        if (started == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is not started");
        }
        return started;
    }

    private void requireIdle() {
        if (closed || started != null || extended.isPresent()) {
            String why = extended.isPresent() ? " extends another one" : " is started already";
            throw new DocaException(DocaError.BAD_STATE, this + (closed ? " is closed" : why));
        }
    }

    @Override
    public String toString() {
        return extended.isPresent()
                ? "DPA context on function " + function.number()
                : "DPA context";
    }
}
