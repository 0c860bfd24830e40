package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpacc.DpaAddr;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/// DPA-KL-1: the kernels of a context. Each waits at a gate until its event has the value. The
/// gatekeeper, a handler of the DPA, then wakes a worker for each of its threads; with more threads
/// than workers, the first come are served first. The last thread of a kernel tells the completion
/// event and frees the gate.
///
/// What is guarded by this object is looked at between operations of the machine, never across one.
final class Kernels {
    /// How many threads of kernels are there at once, at most.
    private static final int MOST_WORKERS = 512;

    private static final int LOG_GATES = 10;
    private static final int MOST_GATES = 1 << LOG_GATES;
    private static final int LINE = 64;
    private static final Duration RPC_LIMIT = Duration.ofMinutes(1);

    private final FlexioProcess process;
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

    /// Threads of kernels that have not ended.
    private int outstanding;

    /// Whether an RPC has taken so long that nobody waits for it any more.
    private boolean isRpcLost;

    /// A thread of a kernel that has not begun.
    private record Ticket(Gate gate, int rank) {}

    Kernels(Loaded loaded) {
        process = loaded.process();
        outbox = loaded.outbox();
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

    /// Submits a kernel.
    ///
    /// @param threshold of the event that it waits for, if it waits for one
    void launch(Launch launch, Optional<DpaEvent> wait, long threshold) {
        makeWorkers(launch.threads);
        Gate gate = gate();
        gate.hold(process, launch, wait, threshold);
    }

    private synchronized void checkRpc() {
        if (isRpcLost) {
            throw new DocaException(
                    DocaError.BAD_STATE, "an RPC that took too long is still running");
        }
    }

    /// DPA-KL-12: runs a function and waits for its result.
    long rpc(Launch launch) {
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
        long kind = launch.isRpc ? ThreadContext.RPC : ThreadContext.KERNEL;
        self.begin(thread, ticket.rank, launch.threads, kind);
        thread.atomic64(AtomicOp.ADD, remaining, 0, AtomicOrder.ACQUIRE);
        long result = launch.call.run(thread);
        thread.memoryWriteback();
        thread.windowWriteback();
        thread.systemFence();
        long left = thread.atomic64(AtomicOp.ADD, remaining, -1, AtomicOrder.ACQUIRE_RELEASE) - 1;
        if (left == 0) {
            end(thread, gate, launch, result);
        } else {
            ended(1);
        }
    }

    /// DPA-KL-7: the last thread tells the completion event.
    private void end(DpaThread thread, Gate gate, Launch launch, long result) {
        launch.result = result;
        free(gate);
        launch.completion.ifPresent(told -> tell(thread, told));
        if (launch.isRpc) {
            thread.configureOutbox(outbox);
            FlexioDev.triggerCompletionQueue(thread, returning);
        }
    }

    private static void tell(DpaThread thread, Launch.Completion told) {
        told.event().update();
        if (told.isAdd()) {
            DocaDpaDevSyncEvent.updateAdd(thread, told.event().handle(), told.count());
        } else {
            DocaDpaDevSyncEvent.updateSet(thread, told.event().handle(), told.count());
        }
        told.event().updated();
    }

    private synchronized void ended(int threads) {
        outstanding -= threads;
    }

    private void free(Gate gate) {
        gate.free();
        synchronized (this) {
            freeGates.add(gate);
            outstanding--;
        }
    }
}
