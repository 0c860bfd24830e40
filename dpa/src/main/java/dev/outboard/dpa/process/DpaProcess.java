package dev.outboard.dpa.process;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Explored;
import dev.outboard.dpa.machine.ExternalMemory;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Grants;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MemoryRegion;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.MmioDevice;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.Sites;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import dev.outboard.dpa.machine.explore.Exploration;
import dev.outboard.dpa.machine.load.ProgramLoader;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.Fuel;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessRun;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.trace.Timeline;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A process of the DPA: its memory, its threads, and who acts beside them. It is set up, runs once
/// in the mode that it was opened for, and can be looked at afterwards; or it lives from [#start]
/// to [#close], and is given threads and calls meanwhile. One thread of the host owns it; its
/// memory goes when the process is garbage.
///
/// ```java
/// DpaProcess process = DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.fast());
/// process.load(EchoProgram.class).setUp(process);
/// RunResult result = process.run();
/// ```
public final class DpaProcess {
    private final DpaMachine machine;
    private final RunMode mode;
    private final ProcessState state;
    private final CodeSites sites;
    private @Nullable ProcessRun run;
    private @Nullable Exploration exploration;
    private int threads;
    private int outboxes;

    /// The actor that stands for its owner while it lives.
    private int ownerActor = -1;

    /// Of the program whose kernels are checked, if there is one.
    private @Nullable ProgramLoader loader;

    private @Nullable DpaApp<DpaThread> loadedApp;

    private DpaProcess(DpaMachine machine, RunMode mode, ProcessState state) {
        this.machine = machine;
        this.mode = mode;
        this.state = state;
        sites =
                new CodeSites(
                        mode instanceof RunMode.Turns turns ? turns.edits() : ProgramEdits.NONE);
        observer().sites(sites);
    }

    /// Opens a process that starts from its image, for a run of that mode on a machine of its own.
    public static DpaProcess open(MachineOptions options, ProgramImage image, RunMode mode) {
        Observer observer = mode instanceof RunMode.Turns turns ? turns.observer() : Observer.NONE;
        return open(new DpaMachine(options, mode), image, observer);
    }

    /// Opens a process that starts from its image, on a machine that others may have processes on.
    ///
    /// @param follower follows the run, but under FAST, where several actors act at once
    public static DpaProcess open(DpaMachine machine, ProgramImage image, Observer follower) {
        Observer observer = machine.mode() instanceof RunMode.Fast ? Observer.NONE : follower;
        Arena arena = Arena.ofAuto();
        MachineOptions options = machine.options();
        DpaMemory memory = new DpaMemory(arena, options.storage(), image);
        boolean checked = !observer.equals(Observer.NONE);
        ProcessState state =
                ProcessState.of(
                        options,
                        memory,
                        new Heap(memory.heap(), checked, observer),
                        new ExternalMemory(arena),
                        observer,
                        checked,
                        new Timeline(machine.tracer()));
        return new DpaProcess(machine, machine.observedBy(observer), state);
    }

    /// Makes an instance of a program in a class loader of this process, for a run of its mode: in
    /// FAST loads and stores are as fast as can be, in turns each operation knows its code place.
    /// Kernels that were not loaded like this run as well, but slower.
    ///
    /// @param others classes that belong to the program, beside those nested in its outermost class
    /// @throws dev.outboard.dpa.machine.RefusedProgramException if its kernels touch what they must
    ///   not touch
    public DpaProgram load(Class<? extends DpaProgram> program, Class<?>... others) {
        checkCaller("load");
        ProgramLoader created = new ProgramLoader(state, mode, sites, program, others);
        created.check(program);
        loader = created;
        return (DpaProgram) created.create(program);
    }

    /// Loads an app: its functions run in this process, with globals of its own. A process has one
    /// app.
    ///
    /// @throws dev.outboard.dpa.machine.RefusedProgramException if its functions touch what they
    ///   must not touch
    /// @throws IllegalArgumentException if the image of the process has no room for its globals
    public void load(DpaApp<DpaThread> app) {
        checkCaller("load");
        if (loadedApp != null) {
            throw new IllegalStateException(
                    "The process has loaded app %s already; app %s needs a process of its own"
                            .formatted(loadedApp.name(), app.name()));
        }
        if (!state.memory().holds(AddressMap.GLOBALS, app.globalBytes())) {
            throw new IllegalArgumentException(
                    "App %s needs an image with %d bytes of globals, as ProgramImage.globals makes"
                            .formatted(app.name(), app.globalBytes()));
        }
        loadedApp = app.image().isPresent() ? app : ofClasses(app);
        state.timeline().name(app.name());
        loadedApp.placeGlobals(new DpaAddr(AddressMap.GLOBALS));
    }

    private DpaApp<DpaThread> ofClasses(DpaApp<DpaThread> app) {
        Class<?> stub = app.classes().getFirst();
        Class<?>[] others = app.classes().toArray(Class<?>[]::new);
        ProgramLoader created = new ProgramLoader(state, mode, sites, stub, others);
        created.check(stub);
        return created.app(stub);
    }

    /// The same for a program whose kernels may touch anything, such as a clock to measure the
    /// machine by. Nobody warns of what its threads share outside the machine.
    public DpaProgram loadTrusted(Class<? extends DpaProgram> program, Class<?>... others) {
        checkCaller("loadTrusted");
        return (DpaProgram) new ProgramLoader(state, mode, sites, program, others).create(program);
    }

    /// DPA-JK-6, DPA-ERR-14: a kernel calls nothing of the host.
    private static void checkCaller(String method) {
        if (Fuel.current() != null) {
            throw new FaultSignal(
                    Fault.HOST_CALL, "%s of DpaProcess is for the host only".formatted(method));
        }
    }

    /// The heap.
    public Heap heap() {
        checkCaller("heap");
        return state.heap();
    }

    /// How it runs.
    public RunMode mode() {
        return mode;
    }

    /// How many bytes the heap has.
    public long heapBytes() {
        return state.memory().heap().byteSize();
    }

    /// The memory outside the process that it may be given keys for.
    public ExternalMemory external() {
        checkCaller("external");
        return state.external();
    }

    /// DPA-FXW-11: adds the registers of a device to the external memory. What a thread stores
    /// there has to leave it, as the observer is told.
    public ExternalRegion addRegisters(String name, long lengthBytes, MmioDevice device) {
        ExternalRegion region = external().addRegisters(name, lengthBytes, device);
        observer().role(region.address(), lengthBytes, Observer.WordRole.FLAG, -1);
        return region;
    }

    /// Who follows the run, to be told roles and names.
    public Observer observer() {
        checkCaller("observer");
        return state.observer();
    }

    /// The places of the program that the observer is told the numbers of.
    public Sites sites() {
        checkCaller("sites");
        return sites;
    }

    /// Asks for an activation of a handler right after the begin of the run.
    public void activate(ThreadHandle thread) {
        checkSetUp();
        state.activated().add(thread);
    }

    /// Its windows and outboxes.
    public Grants grants() {
        checkCaller("grants");
        return state.grants();
    }

    /// What its threads print to.
    public Messages messages() {
        checkCaller("messages");
        return state.messages();
    }

    /// Creates an outbox for queues of UAR 0.
    ///
    /// @return its number, for [dev.outboard.dpa.machine.DpaThread#configureOutbox]
    public int createOutbox() {
        checkCaller("createOutbox");
        int number = ++outboxes;
        state.grants().addOutbox(number, 0);
        return number;
    }

    /// Creates a thread that runs once, on any unit.
    public ThreadHandle thread(String name, Kernel kernel) {
        return thread(name, kernel, ThreadAttributes.DEFAULT);
    }

    /// DPA-HW-4: creates a thread.
    ///
    /// @throws IllegalArgumentException if the machine has no unit for its affinity
    public ThreadHandle thread(String name, Kernel kernel, ThreadAttributes attributes) {
        if (loader != null) {
            checkCaller("thread");
            loader.check(name, kernel);
        }
        return create(name, kernel, attributes);
    }

    private ThreadHandle create(String name, Kernel kernel, ThreadAttributes attributes) {
        if (!lives()) {
            checkSetUp();
        }
        attributes.affinity().check(state.options().units());
        ThreadHandle handle = new ThreadHandle(state.actors().size(), threads++, name);
        state.memory().addStack();
        ThreadPlan plan = new ThreadPlan(handle, kernel, attributes);
        state.actors().add(plan);
        observer().actor(handle.actor(), Observer.ActorKind.THREAD, name);
        observer()
                .stack(
                        handle.actor(),
                        AddressMap.stack(handle.number()),
                        state.options().storage().stackBytes());
        if (lives()) {
            living().add(plan);
        }
        return handle;
    }

    /// Creates a thread that runs a function of the app once.
    ///
    /// @param call made by the stub of the app
    /// @throws IllegalArgumentException if the process has not loaded that app
    public ThreadHandle thread(DpaCall<DpaThread> call) {
        return thread(call, ThreadAttributes.DEFAULT);
    }

    /// Creates a thread that runs a function of the app.
    ///
    /// @param call made by the stub of the app
    /// @throws IllegalArgumentException if the process has not loaded that app, or the machine has
    ///   no unit for the affinity
    public ThreadHandle thread(DpaCall<DpaThread> call, ThreadAttributes attributes) {
        DpaFunction<DpaThread> loaded = loaded(call.function());
        return create(
                loaded.name(), thread -> loaded.body().run(thread, call.arguments()), attributes);
    }

    /// The function as this process has loaded it: it runs the code of this process, with its
    /// globals.
    ///
    /// @param made as the stub of the app has it
    /// @throws IllegalArgumentException if the process has not loaded that app
    public DpaFunction<DpaThread> loaded(DpaFunction<DpaThread> made) {
        if (loadedApp == null || !loadedApp.name().equals(made.program())) {
            throw new IllegalArgumentException(
                    "The process has not loaded app %s of function %s; it has %s"
                            .formatted(
                                    made.program(),
                                    made,
                                    loadedApp == null ? "none" : "app " + loadedApp.name()));
        }
        return loadedApp.function(made.name());
    }

    /// Creates a thread for a kernel that is no part of the program, such as one that serves calls.
    public ThreadHandle trustedThread(String name, Kernel kernel, ThreadAttributes attributes) {
        checkCaller("trustedThread");
        return create(name, kernel, attributes);
    }

    /// Creates a NIC, or a queue of one, whose program the run waits for.
    ///
    /// @return its number among all actors
    public int nic(String name, Nic.Program program) {
        return add(new NicPlan(state.actors().size(), name, program, false));
    }

    /// Creates a NIC that serves for as long as the others run; also while the process lives.
    ///
    /// @return its number among all actors
    public int nicServer(String name, Nic.Program program) {
        return add(new NicPlan(state.actors().size(), name, program, true));
    }

    /// Creates a thread of the host whose program the run waits for.
    ///
    /// @return its number among all actors
    public int host(String name, Host.Program program) {
        return add(new HostPlan(state.actors().size(), name, program, false));
    }

    /// Creates a thread of the host that serves for as long as the others run.
    ///
    /// @return its number among all actors
    public int hostServer(String name, Host.Program program) {
        return add(new HostPlan(state.actors().size(), name, program, true));
    }

    private int add(ActorPlan plan) {
        if (!lives()) {
            checkSetUp();
        }
        state.actors().add(plan);
        Observer.ActorKind kind =
                plan instanceof NicPlan ? Observer.ActorKind.NIC : Observer.ActorKind.HOST;
        observer().actor(plan.actor(), kind, plan.name());
        if (lives()) {
            living().add(plan);
        }
        return plan.actor();
    }

    /// Runs the process.
    ///
    /// @throws IllegalStateException if it has run, or if a program outside the DPA failed
    public RunResult run() {
        checkSetUp();
        run = machine.run(state, mode, sites);
        return run.run();
    }

    // A process that lives

    /// Lets the process live until [#close]: it runs what it is given meanwhile. Its owner may be
    /// any thread of the host, one at a time.
    ///
    /// In turns the machine stands still unless its owner acts or waits, so that what happens
    /// follows from programs, seed and what the owner does.
    public void start() {
        start(() -> {});
    }

    /// The same.
    ///
    /// @param whenCrashed called once if a thread ends the process
    public void start(Runnable whenCrashed) {
        checkSetUp();
        int owner = add(HostPlan.owner(state.actors().size()));
        ProcessRun created = machine.run(state, mode, sites);
        created.start(whenCrashed);
        run = created;
        ownerActor = owner;
    }

    /// Whether it has been started.
    private boolean lives() {
        return ownerActor >= 0;
    }

    private ProcessRun living() {
        checkCaller("a call of a living process");
        return started();
    }

    private ProcessRun started() {
        if (run == null || !lives()) {
            throw new IllegalStateException("The process does not live: call start first");
        }
        return run;
    }

    /// Lets a thread run that was created since the process lives, with an argument of 64 bits: at
    /// once, or when events activate it. Events that came earlier do so now.
    public void enable(ThreadHandle thread, long argument) {
        living().enable(thread, argument);
    }

    /// Ends a thread for good, at its next operation if it runs.
    public void retire(ThreadHandle thread) {
        living().retire(thread);
    }

    /// For an actor of the machine, perhaps of another process: has the NIC look for commands.
    ///
    /// @return false if the process has ended
    public boolean command() {
        ProcessRun current = run;
        return current != null && current.command();
    }

    /// The calling thread acts as the host: it loads, stores, copies and rings.
    public <T> T act(Function<Host, T> calls) {
        return living().act(calls);
    }

    /// Lets the process go on until a condition holds, which is asked again whenever something may
    /// have changed it.
    ///
    /// @param atMost in turns a time of the machine: when nobody can go on it passes, and ends
    ///   threads that keep their unit, if it is longer than the watchdog's
    /// @return whether it holds
    public boolean await(BooleanSupplier condition, Duration atMost) {
        return living().await(condition, atMost);
    }

    /// Where time is virtual, lets the machine go on for that time; else it does so by itself.
    ///
    /// @return false if nobody has anything to do before, or the process has ended
    public boolean goOn(Duration atMost) {
        return living().goOn(atMost);
    }

    /// Waits for an interrupt of that vector and takes it.
    ///
    /// @param atMost as in [#await]
    /// @return whether there was one
    public boolean awaitInterrupt(int vector, Duration atMost) {
        return living().awaitInterrupt(vector, atMost);
    }

    /// Activates a thread that serves calls, and waits until it has returned.
    ///
    /// @param atMost as in [#await]
    /// @return whether it has
    public boolean call(ThreadHandle thread, Duration atMost) {
        return living().call(thread, atMost);
    }

    /// For a trusted kernel of a thread that serves calls: the thread is activated once more when
    /// it has returned, after others that wait for its unit.
    public void activateAgain(ThreadHandle thread) {
        started().activate(thread);
    }

    /// Waits until threads that serve calls have returned from all that they were activated for,
    /// and a condition holds.
    ///
    /// @param atMost as in [#await]
    /// @return whether they have, and it does
    public boolean awaitReturns(
            List<ThreadHandle> called, BooleanSupplier condition, Duration atMost) {
        return living().awaitReturns(called, condition, atMost);
    }

    /// The status that a thread has ended it with by itself, or 0. Conditions of [#await] may ask
    /// for it, whoever looks at them.
    public int exitStatus() {
        return started().exitStatus();
    }

    /// What has ended it, if anything has. Conditions may ask for it, too.
    public Optional<CrashReport> crash() {
        return started().crash();
    }

    /// Lets somebody look at it, whether it runs or has ended: at what its threads are doing, in
    /// the order of their making, or were doing when it ended; and at its memory, where stores that
    /// are still on their way are missing. In turns nobody acts meanwhile; under FAST threads go
    /// on.
    public void look(BiConsumer<List<ThreadStatus>, List<MemoryRegion>> look) {
        living().look(threads -> look.accept(threads, state.memory().regions()));
    }

    /// What its threads are doing and have done, in the order of their making, for whoever looks
    /// from the side: it waits for nobody. In turns what changes meanwhile may be seen or not.
    public List<ThreadReport> threads() {
        return started().report();
    }

    /// What it tells whoever takes a trace of its machine.
    public Timeline timeline() {
        return state.timeline();
    }

    /// DPA-FXP-4: runs a kernel on what is left of the process, which has ended, until it returns.
    public RunResult runAfterwards(String name, Kernel kernel) {
        living().end();
        ThreadHandle handle = new ThreadHandle(0, 0, name);
        ProcessState left =
                ProcessState.of(
                        state.options(),
                        state.memory(),
                        state.heap(),
                        state.external(),
                        Observer.NONE,
                        false,
                        Timeline.OFF);
        left.actors().add(new ThreadPlan(handle, kernel, ThreadAttributes.DEFAULT));
        return machine.run(left, machine.observedBy(Observer.NONE), sites).run();
    }

    /// DPA-FXP-6: ends all its threads.
    public void close() {
        living().end();
    }

    /// Explores the process, which was opened for EXPLORE.
    ///
    /// @param outcome what to tell of a run that has ended like that. When it is called, the
    ///   programs have last been run as in that run, and memory holds what it held at its end.
    public Explored explore(Function<RunResult, String> outcome) {
        checkSetUp();
        if (!(mode instanceof RunMode.Explore explore)) {
            throw new IllegalStateException(
                    "The process was opened for %s, not for EXPLORE".formatted(mode));
        }
        exploration = new Exploration(state, explore, outcome);
        return exploration.run();
    }

    private void checkSetUp() {
        checkCaller("set-up");
        if (run != null || exploration != null) {
            throw new IllegalStateException("The process has run: a process runs once");
        }
    }

    /// The memory itself, for a device of the host that works on it under FAST.
    ///
    /// @throws IndexOutOfBoundsException if the process has no such memory
    public MemorySegment bytes(long address, long lengthBytes) {
        checkCaller("bytes");
        return OutsidePort.segment(state, address, lengthBytes);
    }

    /// What memory of any kind holds, before or after the run: of DPA memory that is what threads
    /// see. While the process lives, a copy that its owner makes.
    public byte[] read(long address, int lengthBytes) {
        checkCaller("read");
        if (lives()) {
            return act(host -> host.copyFrom(address, lengthBytes));
        }
        return OutsidePort.read(state, address, lengthBytes);
    }

    /// 8 bytes of memory as they lie there once the process has ended, for whoever looks at what is
    /// left.
    public long peek64(long address) {
        checkCaller("peek64");
        return OutsidePort.word(OutsidePort.read(state, address, Long.BYTES), 0, Long.BYTES);
    }

    /// 8 bytes of memory of any kind, before or after the run.
    public long read64(long address) {
        return OutsidePort.word(read(address, Long.BYTES), 0, Long.BYTES);
    }

    /// DPA-FXH-5: what the NIC sees in DPA memory after the run, and a copy of the host gets.
    public byte[] seenByNic(long address, int lengthBytes) {
        checkCaller("seenByNic");
        if (exploration != null) {
            return exploration.seenByNic(address, lengthBytes);
        }
        if (run == null) {
            throw new IllegalStateException("The process has not run yet");
        }
        return run.seenByNic(address, lengthBytes);
    }

    /// Fills memory of any kind, before the run or by a copy that its owner makes while the process
    /// lives.
    public void write(long address, byte... bytes) {
        checkCaller("write");
        if (lives()) {
            act(host -> {
                host.copyTo(address, bytes);
                return 0;
            });
            return;
        }
        OutsidePort.write(state, address, bytes);
        observer().initialize(address, bytes.length);
    }

    /// Fills 8 bytes of memory of any kind, before the run.
    public void write64(long address, long value) {
        byte[] bytes = new byte[Long.BYTES];
        OutsidePort.put(bytes, 0, Long.BYTES, value);
        write(address, bytes);
    }
}
