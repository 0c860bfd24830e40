package dev.outboard.dpa.process;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Explored;
import dev.outboard.dpa.machine.ExternalMemory;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ProgramEdits;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.Sites;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.explore.Exploration;
import dev.outboard.dpa.machine.fast.FastRun;
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
import dev.outboard.dpa.machine.turns.TurnRun;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import java.lang.foreign.Arena;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A process of the DPA: its memory, its threads, and who acts beside them. It is set up, runs once
/// in the mode that it was opened for, and can be looked at afterwards. One thread of the host owns
/// it; its memory goes when the process is garbage.
///
/// ```java
/// DpaProcess process = DpaProcess.open(MachineOptions.DEFAULT, ProgramImage.EMPTY, RunMode.fast());
/// process.load(EchoProgram.class).setUp(process);
/// RunResult result = process.run();
/// ```
public final class DpaProcess {
    private final RunMode mode;
    private final ProcessState state;
    private final CodeSites sites;
    private @Nullable ProcessRun run;
    private @Nullable Exploration exploration;
    private int threads;

    /// Of the program whose kernels are checked, if there is one.
    private @Nullable ProgramLoader loader;

    private @Nullable DpaApp<DpaThread> loadedApp;

    private DpaProcess(RunMode mode, ProcessState state) {
        this.mode = mode;
        this.state = state;
        sites =
                new CodeSites(
                        mode instanceof RunMode.Turns turns ? turns.edits() : ProgramEdits.NONE);
        observer().sites(sites);
    }

    /// Opens a process that starts from its image, for a run of that mode.
    public static DpaProcess open(MachineOptions options, ProgramImage image, RunMode mode) {
        Arena arena = Arena.ofAuto();
        DpaMemory memory = new DpaMemory(arena, options.storage(), image);
        Observer observer = mode instanceof RunMode.Turns turns ? turns.observer() : Observer.NONE;
        boolean checked = !observer.equals(Observer.NONE);
        ProcessState state =
                ProcessState.of(
                        options,
                        memory,
                        new Heap(memory.heap(), checked, observer),
                        new ExternalMemory(arena),
                        observer,
                        checked);
        return new DpaProcess(mode, state);
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
        Class<?> stub = app.classes().getFirst();
        Class<?>[] others = app.classes().toArray(Class<?>[]::new);
        ProgramLoader created = new ProgramLoader(state, mode, sites, stub, others);
        created.check(stub);
        loadedApp = created.app(stub);
        loadedApp.placeGlobals(new DpaAddr(AddressMap.GLOBALS));
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

    /// The memory outside the process that it may be given keys for.
    public ExternalMemory external() {
        checkCaller("external");
        return state.external();
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

    /// Creates an outbox.
    ///
    /// @return its number, for [dev.outboard.dpa.machine.DpaThread#configureOutbox]
    public int createOutbox() {
        checkCaller("createOutbox");
        return state.outboxes().incrementAndGet();
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
        checkSetUp();
        attributes.affinity().check(state.options().units());
        ThreadHandle handle = new ThreadHandle(state.actors().size(), threads++, name);
        state.memory().addStack();
        state.actors().add(new ThreadPlan(handle, kernel, attributes));
        observer().actor(handle.actor(), Observer.ActorKind.THREAD, name);
        observer()
                .stack(
                        handle.actor(),
                        AddressMap.stack(handle.number()),
                        state.options().storage().stackBytes());
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
        DpaFunction<DpaThread> made = call.function();
        if (loadedApp == null || !loadedApp.name().equals(made.program())) {
            throw new IllegalArgumentException(
                    "The process has not loaded app %s of function %s; it has %s"
                            .formatted(
                                    made.program(),
                                    made,
                                    loadedApp == null ? "none" : "app " + loadedApp.name()));
        }
        DpaFunction<DpaThread> loaded = loadedApp.function(made.name());
        return create(
                made.name(), thread -> loaded.body().run(thread, call.arguments()), attributes);
    }

    /// Creates a NIC, or a queue of one, whose program the run waits for.
    ///
    /// @return its number among all actors
    public int nic(String name, Nic.Program program) {
        return add(new NicPlan(state.actors().size(), name, program, false));
    }

    /// Creates a NIC that serves for as long as the others run.
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
        checkSetUp();
        state.actors().add(plan);
        Observer.ActorKind kind =
                plan instanceof NicPlan ? Observer.ActorKind.NIC : Observer.ActorKind.HOST;
        observer().actor(plan.actor(), kind, plan.name());
        return plan.actor();
    }

    /// Runs the process.
    ///
    /// @throws IllegalStateException if it has run, or if a program outside the DPA failed
    public RunResult run() {
        checkSetUp();
        ProcessRun created =
                switch (mode) {
                    case RunMode.Fast fast -> new FastRun(state, fast.limit());
                    case RunMode.Turns turns -> new TurnRun(state, turns, sites);
                    case RunMode.Explore explore ->
                            throw new IllegalStateException(
                                    "The process was opened for EXPLORE: call explore");
                };
        run = created;
        state.activated().forEach(created::activate);
        return created.run();
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

    /// What memory of any kind holds, before or after the run. Of DPA memory that is what threads
    /// see.
    public byte[] read(long address, int lengthBytes) {
        checkCaller("read");
        return OutsidePort.read(state, address, lengthBytes);
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

    /// Fills memory of any kind, before the run.
    public void write(long address, byte... bytes) {
        checkCaller("write");
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
