package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioErrorState.Kind;
import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.flexio.FlexioException.Status;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ProcessEndedException;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.nic.AsyncEvent;
import dev.outboard.dpa.nic.NicCounters;
import dev.outboard.dpa.nic.NicEngine;
import dev.outboard.dpa.nic.QueueStatus;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A process of the DPA: a program that the host has loaded, its memory, and what the host has made
/// for it. Any thread of the host may use it. In turns (WEAK, CHECK) the machine stands still
/// unless one of them is in a call of it.
public final class FlexioProcess implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(FlexioProcess.class.getName());

    /// DPA-FXE-9: the exit status of a process that its program has ended without an error.
    private static final int FINISHED = 0x40;

    /// How long a call may take.
    static final Duration CALL_LIMIT = Duration.ofMinutes(1);

    private final HostProcess host;
    private final DpaDevice device;
    private final DpaApp<DpaThread> app;
    private final DpaProcess process;

    /// Where memory is registered at the device of the fabric, if it is of this process alone.
    private final Optional<ProtectionDomain> ownFabricDomain;

    private final NicEngine nic;
    private final FlexioHeap heap;
    private final FlexioUar uar;
    private final FlexioPd domain;
    private final Optional<FlexioPd> givenDomain;
    private final int memoryId;

    /// By their memory ids.
    private final Map<Integer, FlexioBuffer> buffers = new ConcurrentHashMap<>();

    /// DPA-FXR-2: calls are served one at a time, in their order.
    private final ReentrantLock calls = new ReentrantLock(true);

    private final ThreadHandle server;
    private @Nullable DpaCall<DpaThread> call;
    private long result;
    private boolean isCallLost;

    /// The latest first.
    private final Deque<FlexioObject> objects = new ArrayDeque<>();

    private final AtomicLong droppedTasks = new AtomicLong();

    /// Of a runtime on top: its kernels, and what it does after a fatal error. What it leaves at
    /// the end is no news.
    private volatile Supplier<List<KernelStatus>> kernelsOfRuntime = List::of;

    private volatile Runnable whenFatal = () -> {};
    private System.Logger.Level leftovers = System.Logger.Level.INFO;
    private boolean hasThreads;
    private @Nullable DpaFunction<DpaThread> errorHandler;
    private boolean closed;
    private FlexioErrorState userError = FlexioErrorState.NONE;
    private long tokens;

    private FlexioProcess(
            HostProcess host, DpaDevice device, DpaApp<DpaThread> app, Attributes attributes) {
        this.host = host;
        this.device = device;
        this.app = app;
        givenDomain = attributes.domain;
        givenDomain.ifPresent(given -> given.numberFor(this));
        domain = givenDomain.orElseGet(() -> new FlexioPd(this));
        ProgramImage image = ProgramImage.of(app);
        boolean hasObserver = !attributes.observer.equals(Observer.NONE);
        Observer observer = hasObserver ? attributes.observer : device.observer();
        process = DpaProcess.open(device.machine(), image, observer);
        process.load(app);
        ownFabricDomain =
                attributes.fabricDomain.isPresent()
                        ? Optional.empty()
                        : device.fabric().map(Device::allocateProtectionDomain);
        nic =
                new NicEngine(
                        process,
                        "NIC",
                        attributes.maxMessageBytes,
                        device.numbers(),
                        attributes.fabricDomain.or(() -> ownFabricDomain),
                        this::happened);
        heap = new FlexioHeap(this, process);
        uar = new FlexioUar(this, host.function());
        memoryId = device.nextNumber();
        givenDomain.ifPresent(given -> given.acquire(this));
        process.start(this::crashed);
        server = process.trustedThread("RPC", this::serve, ThreadAttributes.RPC);
        process.enable(server, 0);
    }

    /// DPA-FXP-2: how a process is made.
    ///
    /// @param observer follows it, but under FAST: a checker, for one; with [Observer#NONE] the
    ///   device chooses
    /// @param maxMessageBytes the longest message of its queue pairs, unless the device is one of
    ///   the fabric, which has a limit of its own, and the longest copy of the NIC
    /// @param domain its protection domain; if empty, it makes one
    /// @param fabricDomain a protection domain of the device of the fabric, if it has one: peers of
    ///   its queue pairs may use what others have registered there; if empty, it makes one
    /// @param congestionControl whether it takes the congestion control of the device over, which
    ///   is not supported
    public record Attributes(
            Observer observer,
            int maxMessageBytes,
            Optional<FlexioPd> domain,
            Optional<ProtectionDomain> fabricDomain,
            boolean congestionControl) {
        private static final int DEFAULT_MESSAGE_BYTES = 64 << 10;

        /// Without an observer, messages up to 64 KiB, a protection domain of its own.
        public static final Attributes DEFAULT =
                new Attributes(
                        Observer.NONE,
                        DEFAULT_MESSAGE_BYTES,
                        Optional.empty(),
                        Optional.empty(),
                        false);

        /// With an observer.
        public Attributes withObserver(Observer observer) {
            return new Attributes(
                    observer, maxMessageBytes, domain, fabricDomain, congestionControl);
        }

        /// With another longest message.
        public Attributes withMaxMessageBytes(int maxMessageBytes) {
            return new Attributes(
                    observer, maxMessageBytes, domain, fabricDomain, congestionControl);
        }

        /// With a protection domain of its host process, on its device.
        public Attributes withDomain(FlexioPd given) {
            return new Attributes(
                    observer, maxMessageBytes, Optional.of(given), fabricDomain, congestionControl);
        }

        /// With a protection domain of the device of the fabric, which stays open longer.
        public Attributes withFabricDomain(ProtectionDomain given) {
            return new Attributes(
                    observer, maxMessageBytes, domain, Optional.of(given), congestionControl);
        }

        /// With congestion control.
        public Attributes withCongestionControl() {
            return new Attributes(observer, maxMessageBytes, domain, fabricDomain, true);
        }
    }

    /// DPA-FXP-1: loads an app. Its functions can be used with the process from now on.
    ///
    /// @throws FlexioException if the device has no DPA, or the host process is gone
    public static FlexioProcess create(HostProcess host, DpaDevice device, DpaApp<DpaThread> app) {
        return create(host, device, app, Attributes.DEFAULT);
    }

    /// The same with attributes.
    ///
    /// @throws FlexioException also if the protection domain has been closed or is none of this
    ///   host process and device, or with congestion control
    public static FlexioProcess create(
            HostProcess host, DpaDevice device, DpaApp<DpaThread> app, Attributes attributes) {
        host.check();
        device.checkFunction(host.function());
        if (attributes.congestionControl) {
            throw FlexioException.refuse(
                    Reason.NOT_SUPPORTED,
                    "A process cannot take congestion control over: the device keeps it");
        }
        FlexioProcess created = new FlexioProcess(host, device, app, attributes);
        try {
            host.adopt(created);
            device.processes().add(created);
        } catch (FlexioException e) {
            created.close();
            throw e;
        }
        return created;
    }

    // Calls

    /// DPA-FXR-1: runs a function on the DPA and waits for its result.
    ///
    /// @param function made by the stub of the app
    /// @throws FlexioException FATAL_ERR if the process meets a fatal error meanwhile or has met
    ///   one, TIMEOUT after a minute
    public long call(DpaCall<DpaThread> function) {
        DpaFunction<DpaThread> loaded = loaded(function.function(), DpaFunction.Kind.RPC);
        calls.lock();
        try {
            check();
            checkNoFault();
            if (isCallLost) {
                throw FlexioException.refuse(
                        Reason.WRONG_TIME, "A call that took too long is still running");
            }
            call = new DpaCall<>(loaded, function.arguments());
            if (process.call(server, CALL_LIMIT)) {
                return result;
            }
            check();
            checkNoFault();
            isCallLost = true;
            throw new FlexioException(
                    Status.TIMEOUT,
                    Reason.NO_ANSWER,
                    "Function %s has not returned".formatted(loaded));
        } finally {
            calls.unlock();
        }
    }

    /// DPA-FXP-4: names a function of the device that runs once when the process meets a fatal
    /// error, on what is left of it.
    ///
    /// @param function marked `@DpaGlobal`, without arguments beside its thread
    /// @throws FlexioException if the process has threads already
    public void setErrorHandler(DpaFunction<DpaThread> function) {
        check();
        DpaFunction<DpaThread> loaded = loaded(function, DpaFunction.Kind.GLOBAL);
        if (loaded.arguments().bytes() != 0) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Function %s takes arguments: an error handler takes none".formatted(loaded));
        }
        synchronized (this) {
            if (hasThreads) {
                throw FlexioException.refuse(
                        Reason.WRONG_TIME,
                        "An error handler is set before the first thread is made");
            }
            errorHandler = loaded;
        }
    }

    private void crashed() {
        DpaFunction<DpaThread> handler;
        synchronized (this) {
            handler = errorHandler;
        }
        if (handler != null) {
            ByteBuffer nothing = ByteBuffer.allocate(0);
            process.runAfterwards(handler.name(), thread -> handler.body().run(thread, nothing))
                    .crash()
                    .ifPresent(second ->
                            LOGGER.log(
                                    System.Logger.Level.WARNING,
                                    "The error handler of {0} failed: {1}",
                                    this,
                                    second.text()));
        }
        whenFatal.run();
    }

    /// Knows a runtime on top of FlexIO, such as DOCA DPA, that launches kernels.
    ///
    /// @param kernels what [#status] lists; may be asked by any thread at any time
    /// @param whenFatal runs once when the process has met a fatal error
    public void runtime(Supplier<List<KernelStatus>> kernels, Runnable whenFatal) {
        leftovers = System.Logger.Level.DEBUG;
        kernelsOfRuntime = kernels;
        this.whenFatal = whenFatal;
    }

    /// Tells whoever takes a trace that a thread begins to run a kernel of that many threads.
    public void kernelBegins(DpaThread thread, String function, int rank, int threads) {
        process.timeline().beginKernel(thread.number(), function, rank, threads);
    }

    /// The same at its end.
    public void kernelEnds(DpaThread thread) {
        process.timeline().endKernel(thread.number());
    }

    private void serve(DpaThread thread) {
        DpaCall<DpaThread> asked = call;
        if (asked != null) {
            result = asked.run(thread);
        }
    }

    /// A function of the app, as this process runs it: for a runtime on top of FlexIO, whose
    /// [threads][FlexioEventHandler#ofRuntime] run it.
    ///
    /// @throws FlexioException if the function is not in the app, or is of another kind
    public DpaFunction<DpaThread> loaded(DpaFunction<DpaThread> function, DpaFunction.Kind kind) {
        if (!function.program().equals(app.name())) {
            throw FlexioException.refuse(
                    Reason.NOT_IN_APP,
                    "Function %s is not in app %s of this process".formatted(function, app.name()));
        }
        if (function.kind() != kind) {
            throw FlexioException.refuse(
                    Reason.NOT_IN_APP,
                    "Function %s is marked %s: it cannot be used as %s"
                            .formatted(function, function.kind(), kind));
        }
        return process.loaded(function);
    }

    /// The heap.
    public FlexioHeap heap() {
        return heap;
    }

    /// DPA-FXP-3: the UAR that it has by itself: of the function of its host process, which is 0 on
    /// the device itself.
    public FlexioUar uar() {
        return uar;
    }

    /// DPA-FXP-2: the protection domain that it was given, or that it has by itself.
    public FlexioPd domain() {
        return domain;
    }

    /// DPA-FXP-3: what descriptors of [queue memory][FlexioQueueMemory] call its DPA memory.
    public int memoryId() {
        return memoryId;
    }

    /// One more buffer.
    void add(FlexioBuffer buffer) {
        buffers.put(buffer.memoryId(), buffer);
    }

    void forget(FlexioBuffer buffer) {
        buffers.remove(buffer.memoryId());
    }

    /// The buffer of that memory id, if it has one.
    Optional<FlexioBuffer> buffer(int memoryId) {
        return Optional.ofNullable(buffers.get(memoryId));
    }

    /// What it has and does at this moment. Waits neither for its threads nor for calls that go on.
    ///
    /// @throws FlexioException if the process is closed
    public ProcessStatus status() {
        String app = this.app.name();
        RunMode mode = process.mode();
        FlexioErrorState error = errorState();
        List<ThreadReport> threads = process.threads();
        List<QueueStatus> queues = nic.status();
        List<KernelStatus> kernels = kernelsOfRuntime.get();
        FlexioHeap.Usage heap = this.heap.usage();
        ProcessStatus.Discards discards = discards();
        return new ProcessStatus(app, mode, error, threads, queues, kernels, heap, discards);
    }

    private ProcessStatus.Discards discards() {
        NicCounters counters = nic.counters();
        List<FlexioObject> made;
        synchronized (this) {
            made = List.copyOf(objects);
        }
        long messages =
                made.stream()
                        .filter(FlexioMsgStream.class::isInstance)
                        .mapToLong(stream -> ((FlexioMsgStream) stream).dropped())
                        .sum();
        return new ProcessStatus.Discards(
                counters.lostCompletions(),
                counters.lostEvents(),
                counters.foreignDoorbells(),
                counters.staleDoorbells(),
                messages,
                droppedTasks.get());
    }

    /// A command queue was closed, with tasks that had not begun.
    void dropped(int tasks) {
        droppedTasks.addAndGet(tasks);
    }

    // Errors

    /// DPA-FXP-5, DPA-SYS-11: what has gone wrong. Can be asked as long as the object exists.
    public FlexioErrorState errorState() {
        Optional<CrashReport> crash = process.crash();
        if (crash.isPresent()) {
            return new FlexioErrorState(Kind.FATAL, crash.get().fault().code(), crash.get().text());
        }
        int exitStatus = process.exitStatus();
        synchronized (this) {
            if (exitStatus != 0 && exitStatus != FINISHED) {
                return new FlexioErrorState(
                        Kind.USER,
                        exitStatus,
                        "The program has ended the process with status %d".formatted(exitStatus));
            }
            return new FlexioErrorState(userError.kind(), exitStatus, userError.text());
        }
    }

    /// DPA-FXP-5: waits for an error.
    ///
    /// @param atMost in turns a time of the machine
    /// @return what has gone wrong, or that nothing has
    public FlexioErrorState awaitError(Duration atMost) {
        check();
        process.await(() -> errorState().kind() != Kind.NONE || process.exitStatus() != 0, atMost);
        return errorState();
    }

    /// What a thread did that ended the process, if any did.
    public Optional<CrashReport> crashReport() {
        return process.crash();
    }

    /// DPA-FXP-5: writes what can be known of the process into a core file, which `outboard dpa
    /// core` prints; `core-file.schema.json`, a resource beside this class, describes it. The
    /// process may have ended or run. In turns it stands still meanwhile; under FAST its threads go
    /// on, and what they store at the same time may be in the file or not.
    ///
    /// @param file is replaced if it exists
    /// @throws IOException if it cannot be written
    /// @throws FlexioException if the process is closed
    public void coreDump(Path file) throws IOException {
        check();
        try (Writer out = Files.newBufferedWriter(file)) {
            process.look((threads, memory) -> new CoreDump(this, threads, memory).write(out));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// DPA-FXO-7, DPA-ERR-8: whoever rang goes on.
    private void happened(AsyncEvent event) {
        if (event.kind() == AsyncEvent.Kind.FOREIGN_DOORBELL) {
            synchronized (this) {
                if (userError.kind() == Kind.NONE) {
                    userError =
                            new FlexioErrorState(
                                    Kind.USER,
                                    0,
                                    "A doorbell of queue 0x%x was dropped: the process has none of that number"
                                            .formatted(event.queueNumber()));
                }
            }
        }
    }

    // Objects

    /// @throws FlexioException if the process is closed
    void check() {
        host.check();
        synchronized (this) {
            if (closed) {
                throw FlexioException.refuse(
                        Reason.DESTROYED, "%s has been destroyed".formatted(this));
            }
        }
    }

    /// DPA-ERR-13: nothing runs in a process that has ended.
    void checkNoFault() {
        int exitStatus = process.exitStatus();
        if (exitStatus != 0) {
            throw new FlexioException(
                    Status.FATAL_ERR,
                    Reason.PROCESS_ENDED,
                    "The program has ended the process with status %d".formatted(exitStatus));
        }
        Optional<CrashReport> crash = process.crash();
        if (crash.isPresent()) {
            throw new FlexioException(
                    Status.FATAL_ERR,
                    Reason.PROCESS_ENDED,
                    "The process has ended:%n%s".formatted(crash.get().text()));
        }
    }

    /// DPA-SYS-9, DPA-HW-15: the calling thread loads and stores memory that the host reaches
    /// directly: buffers of kind HOST and ARM, at their addresses. So it uses queues whose rings
    /// lie there, through the same [layouts][dev.outboard.dpa.nic.layout.SendEntry] as device code.
    ///
    /// @return what `accesses` returns
    /// @throws FlexioException if the process has ended
    public <T> T onHost(Function<MemoryAccess, T> accesses) {
        return act(accesses::apply);
    }

    /// In turns, lets the machine go on for that time, a virtual one: for a host that waits for
    /// memory to change. At full speed it goes on by itself, and the call returns at once.
    ///
    /// @return false if nobody has anything to do before, or the process has ended
    public boolean goOn(Duration atMost) {
        check();
        return process.goOn(atMost);
    }

    /// Has the NIC look at once at what its queues wait for, which it would else do now and then:
    /// the host has changed memory by itself.
    public void lookAgain() {
        process.command();
    }

    /// Waits until the NIC has ended the entry that it is at: it uses no key any more that was
    /// closed before, and the memory of that can go.
    public void settle() {
        nic.settle();
    }

    /// The calling thread acts, in a process that lives.
    <T> T act(Function<Host, T> calls) {
        check();
        checkNoFault();
        try {
            return process.act(calls);
        } catch (ProcessEndedException e) {
            check();
            checkNoFault();
            throw e;
        }
    }

    /// Checks whether the NIC has done what it was asked for.
    ///
    /// @throws FlexioException if it has not, since the process has ended or it took too long
    void checkDone(boolean done, FlexioObject object) {
        if (!done) {
            check();
            checkNoFault();
            throw new FlexioException(
                    Status.TIMEOUT,
                    Reason.NO_ANSWER,
                    "The NIC has not come to the command for %s".formatted(object));
        }
    }

    /// The calling thread makes something that uses other objects, which are not closed before it.
    ///
    /// @throws FlexioException if one of them is closed or belongs to another process, or what is
    ///   made is refused; then it uses none of them
    <T> T using(List<? extends FlexioObject> used, Function<Host, T> making) {
        int acquired = 0;
        boolean made = false;
        try {
            for (FlexioObject object : used) {
                object.acquire(this);
                acquired++;
            }
            T result = act(making);
            made = true;
            return result;
        } catch (IllegalArgumentException | IndexOutOfBoundsException | FabricException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        } finally {
            if (!made) {
                used.subList(0, acquired).forEach(FlexioObject::release);
            }
        }
    }

    String program() {
        return app.name();
    }

    /// The same without a result.
    void perform(Consumer<Host> calls) {
        act(host -> {
            calls.accept(host);
            return true;
        });
    }

    /// The process of the machine.
    DpaProcess process() {
        return process;
    }

    /// The thread that serves calls.
    ThreadHandle server() {
        return server;
    }

    NicEngine nic() {
        return nic;
    }

    DpaDevice device() {
        return device;
    }

    HostProcess host() {
        return host;
    }

    /// One more object, which has just been made.
    <T extends FlexioObject> T adopt(T object) {
        synchronized (this) {
            objects.push(object);
        }
        return object;
    }

    void forget(FlexioObject object) {
        synchronized (this) {
            objects.remove(object);
        }
    }

    /// Names what the host announces to threads next. The tokens of the machine itself are
    /// positive.
    long nextToken() {
        synchronized (this) {
            return --tokens;
        }
    }

    void threadMade() {
        synchronized (this) {
            hasThreads = true;
        }
    }

    /// DPA-FXP-6: stops all threads of the process and frees all that it has. A second time does
    /// nothing.
    ///
    /// DPA-SYS-12: what is left goes with it, the latest first, and each is logged.
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        process.close();
        device.network().forget(nic);
        nic.close();
        ownFabricDomain.filter(own -> own.device().isOpen()).ifPresent(ProtectionDomain::close);
        device.processes().remove(this);
        host.release(this);
        givenDomain.ifPresent(FlexioObject::release);
        synchronized (this) {
            for (Iterator<FlexioObject> left = objects.iterator(); left.hasNext(); ) {
                FlexioObject object = left.next();
                LOGGER.log(leftovers, "{0} goes with {1}", object, this);
                object.abandon();
            }
            objects.clear();
        }
    }

    @Override
    public String toString() {
        return "process of app " + app.name();
    }
}
