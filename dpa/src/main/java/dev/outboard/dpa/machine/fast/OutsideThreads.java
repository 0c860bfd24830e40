package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.run.EndSignal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The threads of a run on which actors outside run: virtual ones, and for a NIC with a wire
/// platform threads, since only those may sleep at a socket.
final class OutsideThreads {
    private final FastRun run;
    private final Outsiders outsiders;
    private final Carriers carriers;

    /// Those that have not ended.
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    OutsideThreads(FastRun run, Outsiders outsiders, Carriers carriers) {
        this.run = run;
        this.outsiders = outsiders;
        this.carriers = carriers;
    }

    /// Starts an actor.
    void start(Outsider outsider, Consumer<FastOutside> program) {
        outsiders.begin(outsider);
        BooleanSupplier task =
                () -> {
                    program.accept(run.outside(outsider));
                    return true;
                };
        carriers.start(thread(outsider, task, false));
    }

    /// Starts a NIC that others work for.
    void start(NicSeat seat) {
        outsiders.begin(seat.outsider());
        carriers.start(thread(seat.outsider(), () -> seat.serve(true), seat.hasWire()));
    }

    /// One more thread for a NIC, whose own thread has something else to do. It begins asleep.
    Thread substitute(NicSeat seat) {
        Thread thread = thread(seat.outsider(), () -> seat.serve(false), true);
        thread.start();
        return thread;
    }

    /// The names of those that have not ended.
    Stream<String> living() {
        return threads.stream().filter(Thread::isAlive).map(Thread::getName);
    }

    boolean isEmpty() {
        return threads.isEmpty();
    }

    /// @param task does what the actor does, and tells whether that is the end of it
    private Thread thread(Outsider outsider, BooleanSupplier task, boolean wired) {
        String name = outsider.plan.name();
        Thread thread =
                wired
                        ? new NicThread(name, () -> run(outsider, task))
                        : Thread.ofVirtual().name(name).unstarted(() -> run(outsider, task));
        threads.add(thread);
        return thread;
    }

    private void run(Outsider outsider, BooleanSupplier task) {
        boolean ends = true;
        try {
            ends = task.getAsBoolean();
        } catch (EndSignal over) {
            // The run is over.
        } catch (Throwable thrown) {
            run.fail(thrown);
        }
        if (ends) {
            run.change(() -> outsiders.end(outsider));
        }
        carriers.leave();
        threads.remove(Thread.currentThread());
        if (run.hasStopped()) {
            run.change(() -> {});
        }
    }
}
