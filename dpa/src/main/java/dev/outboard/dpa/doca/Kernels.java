package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.doca.dev.EventWait;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioErrorState;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.KernelStatus;
import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpacc.DpaAddr;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// DPA-KL-1: the kernels of a context. Each waits at a gate until its event has the value. The
/// gatekeeper, a handler of the DPA, then wakes a worker for each of its threads; with more threads
/// than workers, the first come are served first. The last thread of a kernel tells the completion
/// event and frees the gate.
///
/// What is guarded by this object is looked at between operations of the machine, never across one.
final class Kernels {
    /// How many threads of kernels are there at once, at most.
    private static final int MOST_WORKERS = 512;

    /// DPA-KL-4: the highest threshold by a profile of BlueField-3.
    private static final long MOST_THRESHOLD_OF_BF3 = 254;

    private static final int LOG_GATES = 10;
    private static final int MOST_GATES = 1 << LOG_GATES;
    private static final int LINE = 64;
    private static final Duration RPC_LIMIT = Duration.ofMinutes(1);

    /// How long the machine goes on before the CPU looks again.
    private static final Duration BETWEEN_LOOKS = Duration.ofNanos(100_000);

    /// How long the last steps of a kernel may take, on a machine that does much else.
    private static final long LAST_STEPS_NANOS = 1_000_000_000L;

    private static final long LOOK_NANOS = 10_000;

    /// Held by who submits a kernel, or runs a function and waits.
    private final ReentrantLock calls = new ReentrantLock(true);

    private final FlexioProcess process;
    private final DpaDevice device;

    /// Of the context, by their handles.
    private final Map<Long, DpaEvent> events;

    private final int outbox;

    /// Of its workers. They live as long as the process.
    private final Holdings holdings;

    private final FlexioCq passed;
    private final DpaAddr passedRing;
    private final DpaAddr passedRecord;
    private final FlexioMsix returned;
    private final int returning;

    /// Of the gatekeeper: how many completions of gates it has taken.
    private long taken;

    private final List<Gate> gates = new ArrayList<>();
    private final Queue<Gate> freeGates = new ArrayDeque<>();
    private final Queue<Worker> idle = new ArrayDeque<>();
    private final Queue<Ticket> tickets = new ArrayDeque<>();
    private int workers;

    /// Those that run a thread of a kernel, in the order of their beginning.
    private final Map<Worker, Ticket> running = new LinkedHashMap<>();

    /// Threads of kernels that have not ended.
    private int outstanding;

    /// Whether an RPC has taken so long that nobody waits for it any more.
    private boolean isRpcLost;

    /// A thread of a kernel that has not begun.
    private record Ticket(Gate gate, int rank) {}

    Kernels(Loaded loaded, DpaDevice device, Map<Long, DpaEvent> events) {
        this.device = device;
        this.events = events;
        process = loaded.process();
        outbox = loaded.outbox().number();
        holdings = new Holdings(loaded);
        passedRing = process.heap().zeros(CompletionEntry.BYTES << LOG_GATES);
        passedRecord = process.heap().zeros(LINE);
        FlexioEventHandler gatekeeper =
                FlexioEventHandler.ofRuntime(process, "gatekeeper", this::admit, new DpaAddr(0));
        passed =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(passedRing, LOG_GATES, passedRecord)
                                .with(Arming.ALWAYS)
                                .activating(gatekeeper));
        returned = FlexioMsix.create(process);
        returning = Bell.create(holdings, bell -> bell.interrupting(returned));
    }

    /// How many kernels have not ended.
    synchronized int running() {
        return gates.size() - freeGates.size();
    }

    /// One that has told the host all that it waits for may not have returned yet, and nobody can
    /// wait for that: it gets a moment.
    void settle() {
        long start = System.nanoTime();
        while (running() > 0
                && System.nanoTime() - start < LAST_STEPS_NANOS
                && process.goOn(BETWEEN_LOOKS)) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
    }

    /// Submits a kernel.
    ///
    /// @param threshold of the event that it waits for, if it waits for one
    void launch(Launch launch, Optional<DpaEvent> wait, long threshold) {
        if (wait.isPresent()) {
            checkThreshold(threshold);
        }
        calls.lock();
        try {
            makeWorkers(launch.threads);
            Gate gate = gate();
            gate.hold(process, launch, wait, threshold);
        } finally {
            calls.unlock();
        }
    }

    private void checkThreshold(long threshold) {
        boolean isBf3 =
                device.mode() instanceof RunMode.Turns turns
                        && turns.weak().filter(Profile::fencesWriteBack).isPresent();
        if (isBf3 && Long.compareUnsigned(threshold, MOST_THRESHOLD_OF_BF3) > 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a kernel that waits for %s; valid by a profile of BlueField-3: 0 to %d"
                            .formatted(Long.toUnsignedString(threshold), MOST_THRESHOLD_OF_BF3));
        }
    }

    private synchronized void checkRpc() {
        if (isRpcLost) {
            throw new DocaException(
                    DocaError.BAD_STATE, "an RPC that took too long is still running");
        }
    }

    /// DPA-KL-12: runs a function and waits for its result.
    long rpc(Launch launch) {
        calls.lock();
        try {
            checkRpc();
            launch(launch, Optional.empty(), 0);
            if (returned.await(RPC_LIMIT)) {
                return launch.result;
            }
            // A fault is told by this.
            process.onHost(host -> true);
            synchronized (this) {
                isRpcLost = true;
            }
        } finally {
            calls.unlock();
        }
        throw new DocaException(
                DocaError.TIME_OUT, "%s has not returned".formatted(launch.call.function()));
    }

    private void makeWorkers(int threads) {
        int missing;
        int first;
        synchronized (this) {
            outstanding += threads;
            first = workers;
            missing = Math.min(outstanding, MOST_WORKERS) - workers;
            workers += Math.max(missing, 0);
        }
        for (int i = 0; i < missing; i++) {
            Worker made = new Worker(holdings, first + i, this::work);
            synchronized (this) {
                idle.add(made);
            }
        }
    }

    private Gate gate() {
        int number;
        synchronized (this) {
            Gate free = freeGates.poll();
            if (free != null) {
                return free;
            }
            number = gates.size();
        }
        if (number == MOST_GATES) {
            throw new DocaException(
                    DocaError.AGAIN,
                    "%d kernels have not ended, and no more can wait".formatted(number));
        }
        Gate made = new Gate(process, number, passed);
        synchronized (this) {
            gates.add(made);
        }
        return made;
    }

    // On the DPA

    /// The gatekeeper: kernels whose events have their values begin.
    private void admit(DpaThread thread) {
        thread.configureOutbox(outbox);
        while (true) {
            long entry = passedRing.value() + (taken & (MOST_GATES - 1)) * CompletionEntry.BYTES;
            if (!CompletionEntry.isReady(thread, entry, taken, LOG_GATES)) {
                return;
            }
            int number = CompletionEntry.userIndex(thread, entry);
            taken++;
            DoorbellRecord.setConsumerIndex(thread, passedRecord.value(), (int) taken);
            thread.memoryWriteback();
            Gate gate = at(number);
            gate.pass();
            thread.atomic64(
                    AtomicOp.ADD,
                    gate.remaining.value(),
                    gate.launch().threads,
                    AtomicOrder.ACQUIRE_RELEASE);
            for (Worker worker : assign(gate)) {
                FlexioDev.triggerCompletionQueue(thread, worker.wake);
            }
        }
    }

    private synchronized Gate at(int number) {
        return gates.get(number);
    }

    /// @return the workers that have to be woken
    private synchronized List<Worker> assign(Gate gate) {
        int threads = gate.launch().threads;
        for (int rank = 0; rank < threads; rank++) {
            tickets.add(new Ticket(gate, rank));
        }
        List<Worker> woken = new ArrayList<>();
        while (woken.size() < threads && !idle.isEmpty()) {
            woken.add(idle.remove());
        }
        return woken;
    }

    /// A worker has been woken: it is a thread of a kernel.
    private void work(Worker self, DpaThread thread) {
        Optional<Ticket> ticket = take(self);
        if (ticket.isPresent()) {
            run(self, thread, ticket.get());
            if (!rests(self)) {
                thread.configureOutbox(outbox);
                FlexioDev.triggerCompletionQueue(thread, self.wake);
            }
        }
    }

    private synchronized Optional<Ticket> take(Worker self) {
        Ticket next = tickets.poll();
        if (next == null) {
            idle.add(self);
        } else {
            running.put(self, next);
        }
        return Optional.ofNullable(next);
    }

    private synchronized boolean rests(Worker self) {
        return tickets.isEmpty() && idle.add(self);
    }

    /// DPA-KL-8: what the thread has written is visible before the kernel is told as ended.
    private void run(Worker self, DpaThread thread, Ticket ticket) {
        Gate gate = ticket.gate;
        Launch launch = gate.launch();
        long remaining = gate.remaining.value();
        String function = launch.call.function().name();
        process.kernelBegins(thread, function, ticket.rank, launch.threads);
        long kind = launch.isRpc ? ThreadContext.RPC : ThreadContext.KERNEL;
        self.begin(thread, ticket.rank, launch.threads, kind);
        thread.atomic64(AtomicOp.ADD, remaining, 0, AtomicOrder.ACQUIRE);
        long result = runFunction(thread, launch);
        thread.memoryWriteback();
        thread.windowWriteback();
        thread.systemFence();
        // Before others can see that the kernel has ended, so that a trace has it in this order.
        process.kernelEnds(thread);
        long left = thread.atomic64(AtomicOp.ADD, remaining, -1, AtomicOrder.ACQUIRE_RELEASE) - 1;
        if (left == 0) {
            launch.result = result;
            ended(self, launch);
            end(thread, gate, launch);
        } else {
            ended(self, launch);
        }
    }

    /// DPA-ERR-25: a deadlock is what ends a thread that would else have waited too long.
    private long runFunction(DpaThread thread, Launch launch) {
        try {
            return launch.call.run(thread);
        } catch (FaultSignal fault) {
            if (fault.fault() == Fault.WATCHDOG && isDeadlock()) {
                FaultSignal deadlock = new FaultSignal(Fault.DEADLOCK, waiting());
                deadlock.setStackTrace(fault.getStackTrace());
                throw deadlock;
            }
            throw fault;
        }
    }

    /// DPA-KL-7: the last thread tells the completion event.
    private void end(DpaThread thread, Gate gate, Launch launch) {
        free(gate);
        launch.completion.ifPresent(told -> tell(thread, told));
        if (launch.isRpc) {
            thread.configureOutbox(outbox);
            FlexioDev.triggerCompletionQueue(thread, returning);
        }
    }

    private static void tell(DpaThread thread, Launch.Completion told) {
        told.event().update();
        DocaDpaDev.deviceSet(thread, told.event().loaded().handle());
        if (told.isAdd()) {
            DocaDpaDevSyncEvent.updateAdd(thread, told.event().handle(), told.count());
        } else {
            DocaDpaDevSyncEvent.updateSet(thread, told.event().handle(), told.count());
        }
        told.event().updated();
    }

    private synchronized void ended(Worker self, Launch launch) {
        running.remove(self);
        launch.ended++;
        outstanding--;
    }

    // Who waits

    /// DPA-KL-14: the CPU waits: the machine goes on, where it does not by itself. In a deadlock,
    /// time passes until the watchdog ends it.
    ///
    /// @return false if nobody can go on
    boolean goOn() {
        boolean goesOn = process.goOn(BETWEEN_LOOKS);
        if (!goesOn && process.errorState().isRunning() && isDeadlock()) {
            process.awaitError(Duration.ofNanos(device.options().timing().watchdogNanos() + 1));
        }
        return goesOn;
    }

    /// Nobody goes on, and the CPU waits.
    ///
    /// @throws DocaException with BAD_STATE after a fault, with TIME_OUT if kernels wait for
    ///   something that the CPU or peers can do
    void checkWaiting() {
        FlexioErrorState state = process.errorState();
        if (!state.isRunning()) {
            throw new DocaException(DocaError.BAD_STATE, state.text());
        }
        String waiting = waiting();
        if (!waiting.isEmpty()) {
            throw new DocaException(
                    DocaError.TIME_OUT,
                    "nobody goes on until the CPU or a peer acts:\n  " + waiting);
        }
    }

    /// DPA-KL-14: whether threads that wait hold all execution units, and nobody but threads of the
    /// context may update what they wait for. A kernel that is launched then gets no unit, so that
    /// nothing the CPU can do makes any of them go on.
    private synchronized boolean isDeadlock() {
        int held = 0;
        for (Worker worker : running.keySet()) {
            Optional<EventWait.Condition> wait = worker.wait.now();
            if (wait.isPresent()) {
                DpaEvent event = events.get(wait.get().event());
                if (event == null || event.othersUpdate()) {
                    return false;
                }
                held++;
            }
        }
        return held == device.capabilities().usableUnits();
    }

    /// Who waits for what, in words.
    private String waiting() {
        List<String> lines = new ArrayList<>();
        for (KernelStatus kernel : status()) {
            String name = "kernel " + kernel.function();
            for (KernelStatus.Wait wait : kernel.waits()) {
                lines.add("%s: %s".formatted(name, wait.text()));
            }
            int unitless = kernel.threads() - kernel.running() - kernel.ended();
            if (kernel.isBegun() ? unitless > 0 : kernel.waits().isEmpty()) {
                lines.add("%s: %d threads wait for an execution unit".formatted(name, unitless));
            }
        }
        return String.join("\n  ", lines);
    }

    /// The kernels that have not ended, for whoever looks from the side.
    synchronized List<KernelStatus> status() {
        List<KernelStatus> all = new ArrayList<>();
        for (Gate gate : gates) {
            gate.occupant().ifPresent(launch -> all.add(status(gate, launch)));
        }
        return all;
    }

    private KernelStatus status(Gate gate, Launch launch) {
        List<KernelStatus.Wait> waits = new ArrayList<>();
        gate.waiting().ifPresent(waits::add);
        int threads = 0;
        for (Map.Entry<Worker, Ticket> one : running.entrySet()) {
            if (one.getValue().gate.equals(gate)) {
                threads++;
                int rank = one.getValue().rank;
                one.getKey()
                        .wait
                        .now()
                        .map(wait ->
                                new KernelStatus.Wait(
                                        rank,
                                        wait.event(),
                                        wait.value(),
                                        wait.threshold(),
                                        wait.mask()))
                        .ifPresent(waits::add);
            }
        }
        return new KernelStatus(
                launch.call.function().name(),
                launch.threads,
                launch.isBegun,
                threads,
                launch.ended,
                waits);
    }

    private void free(Gate gate) {
        gate.free();
        synchronized (this) {
            freeGates.add(gate);
        }
    }
}
