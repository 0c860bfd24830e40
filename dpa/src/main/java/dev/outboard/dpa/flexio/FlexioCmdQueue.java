package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.dpacc.DpaFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/// DPA-FXR-6: calls of the DPA that nobody waits for. The host adds tasks, and some threads of the
/// DPA, its workers, take them in their order; with several workers they need not end in it.
///
/// ```java
/// FlexioCmdQueue queue = FlexioCmdQueue.create(process, new Attributes(4, 8, State.PENDING));
/// for (DpaAddr block : blocks) {
///     queue.add(SumStub.sum, block.value());
/// }
/// queue.run();
/// queue.awaitEmpty(Duration.ofSeconds(10));
/// ```
///
/// A task has to return, as any call; its result goes nowhere. A fault in a task ends the process.
///
/// Closing the queue drops the tasks that wait, counts them and logs how many; those that run come
/// to their end first, but for the minute that any call may take.
///
/// Any thread of the host may use it.
public final class FlexioCmdQueue extends FlexioObject {
    private static final System.Logger LOGGER = System.getLogger(FlexioCmdQueue.class.getName());

    private final Attributes attributes;
    private final Observer observer;
    private final List<ThreadHandle> workers = new ArrayList<>();

    /// The workers that nothing activates. Who has been so for longest comes first.
    private final Queue<ThreadHandle> idle = new ArrayDeque<>();

    private final Queue<DpaCall<DpaThread>> waiting = new ArrayDeque<>();
    private State state;

    /// By which the host has announced the latest task, and with it all before.
    private long announced;

    private FlexioCmdQueue(FlexioProcess process, Attributes attributes) {
        super(process, "command queue", process.device().nextNumber());
        this.attributes = attributes;
        state = attributes.state;
        observer = process.process().observer();
    }

    /// Whether workers take tasks.
    public enum State {
        /// Not before [FlexioCmdQueue#run].
        PENDING,
        /// As soon as there are any.
        RUNNING
    }

    /// How a queue is made.
    ///
    /// @param workers how many tasks run at once, if there are as many execution units for them
    /// @param batchSize how many tasks a worker takes one after the other before it lets other
    ///   threads have its unit. The watchdog counts them as one.
    /// @param state what it begins in
    public record Attributes(int workers, int batchSize, State state) {}

    /// Makes a queue without tasks.
    ///
    /// @throws FlexioException if there is not at least 1 worker, or a batch has not at least 1
    ///   task
    public static FlexioCmdQueue create(FlexioProcess process, Attributes attributes) {
        process.check();
        process.checkNoFault();
        checkPositive("workers", attributes.workers);
        checkPositive("tasks in a batch", attributes.batchSize);
        FlexioCmdQueue created = new FlexioCmdQueue(process, attributes);
        created.makeWorkers();
        process.threadMade();
        return process.adopt(created);
    }

    private static void checkPositive(String what, int count) {
        if (count < 1) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "A command queue has %d %s: it needs at least 1".formatted(count, what));
        }
    }

    private void makeWorkers() {
        for (int i = 0; i < attributes.workers; i++) {
            int index = i;
            ThreadHandle worker =
                    process()
                            .process()
                            .trustedThread(
                                    "%s, worker %d".formatted(this, i),
                                    thread -> work(workers.get(index), thread),
                                    ThreadAttributes.RPC);
            workers.add(worker);
            idle.add(worker);
            process().process().enable(worker, 0);
        }
    }

    /// Adds a task, and does not wait for it. What the host has done before, the task sees.
    ///
    /// @param function marked `@DpaRpc`, with one argument of 64 bits beside its thread
    /// @throws FlexioException if the function is none of those, or the process has ended; nothing
    ///   is added
    public void add(DpaFunction<DpaThread> function, long argument) {
        process().check();
        numberFor(process());
        DpaCall<DpaThread> task = task(function, argument);
        process().perform(host -> put(task, host).ifPresent(host::activate));
    }

    private DpaCall<DpaThread> task(DpaFunction<DpaThread> function, long argument) {
        DpaFunction<DpaThread> loaded = process().loaded(function, DpaFunction.Kind.RPC);
        int bytes = loaded.arguments().bytes();
        if (bytes != Long.BYTES) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Function %s takes %d bytes of arguments: a task takes 8"
                            .formatted(loaded, bytes));
        }
        return new DpaCall<>(
                loaded,
                ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, argument));
    }

    /// @return a worker that has to be activated, if any does
    private synchronized Optional<ThreadHandle> put(DpaCall<DpaThread> task, Host host) {
        numberFor(process());
        announced = process().nextToken();
        observer.announce(host.actor(), Announcement.CALL, announced, 0, 0);
        waiting.add(task);
        return state == State.RUNNING ? Optional.ofNullable(idle.poll()) : Optional.empty();
    }

    /// From now on workers take tasks. If they do so already, nothing changes.
    ///
    /// @throws FlexioException if the queue has been closed, or the process has ended
    public void run() {
        process().check();
        numberFor(process());
        process().perform(host -> start().forEach(host::activate));
    }

    /// @return the workers that have to be activated
    private synchronized List<ThreadHandle> start() {
        List<ThreadHandle> woken = new ArrayList<>();
        if (state == State.PENDING) {
            state = State.RUNNING;
            while (woken.size() < waiting.size() && !idle.isEmpty()) {
                woken.add(idle.remove());
            }
        }
        return woken;
    }

    /// Whether all tasks that were added have returned. Then the host and all threads of the DPA
    /// see what they have stored to DPA memory.
    ///
    /// In turns the machine goes on meanwhile until that is so, or nobody can go on without the
    /// host; so a loop that asks for it ends there too.
    ///
    /// @throws FlexioException FATAL_ERR if the process has met a fatal error
    public boolean isEmpty() {
        return awaitEmpty(Duration.ZERO);
    }

    /// Waits until all tasks that were added have returned, as [#isEmpty] has it.
    ///
    /// @param atMost in turns a time of the machine: when nobody can go on it passes, and ends
    ///   tasks that keep their unit, if it is longer than the watchdog's
    /// @return whether they have
    public boolean awaitEmpty(Duration atMost) {
        process().check();
        numberFor(process());
        boolean empty = process().process().awaitReturns(workers, this::hasNothingWaiting, atMost);
        process().check();
        process().checkNoFault();
        return empty;
    }

    private synchronized boolean hasNothingWaiting() {
        return waiting.isEmpty();
    }

    // Workers

    private void work(ThreadHandle self, DpaThread thread) {
        for (int i = 0; i < attributes.batchSize; i++) {
            Optional<DpaCall<DpaThread>> task = take(self);
            if (task.isEmpty()) {
                break;
            }
            task.get().run(thread);
        }
        if (!restsNow(self)) {
            process().process().activateAgain(self);
        }
    }

    private synchronized Optional<DpaCall<DpaThread>> take(ThreadHandle worker) {
        observer.receive(worker.actor(), announced, 0);
        return Optional.ofNullable(waiting.poll());
    }

    private synchronized boolean restsNow(ThreadHandle worker) {
        return waiting.isEmpty() && idle.add(worker);
    }

    @Override
    void destroy() {
        int dropped = drop();
        if (dropped > 0) {
            process().dropped(dropped);
            LOGGER.log(System.Logger.Level.WARNING, "{0} drops {1} tasks", this, dropped);
        }
        process().process().awaitReturns(workers, () -> true, FlexioProcess.CALL_LIMIT);
        workers.forEach(process().process()::retire);
    }

    private synchronized int drop() {
        int dropped = waiting.size();
        waiting.clear();
        return dropped;
    }
}
