package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.ThreadReport;
import dev.outboard.dpa.machine.ThreadStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/// A run of one mode: of a process that was set up and runs to its end ([#run]), or of one that
/// lives while its host makes threads and queues and calls it ([#start] to [#end]).
public interface ProcessRun {

    /// Activates all threads that run once, lets everybody act, and comes back when nobody but
    /// servers does any more.
    RunResult run();

    /// What the NIC sees in DPA memory after the run.
    byte[] seenByNic(long address, int lengthBytes);

    /// Asks for an activation of a thread, from any actor.
    void activate(ThreadHandle thread);

    /// Has the NIC look for commands, as [Host#command] does, on behalf of any actor of the
    /// machine.
    ///
    /// @return false if the run is over
    boolean command();

    // A process that lives

    /// Lets everybody act from now on.
    ///
    /// @param whenCrashed called once if a thread has ended the process, by a thread of the host:
    ///   one that has called in, or one of its own
    void start(Runnable whenCrashed);

    /// One more actor. A thread that is added does nothing before it is enabled; events that come
    /// earlier activate it then.
    void add(ActorPlan plan);

    /// Lets a thread run, with that argument.
    void enable(ThreadHandle thread, long argument);

    /// Ends a thread for good, at its next operation if it runs.
    void retire(ThreadHandle thread);

    /// The calling thread of the host acts.
    ///
    /// @throws dev.outboard.dpa.machine.ProcessEndedException if the process has ended
    <T> T act(Function<Host, T> calls);

    /// Lets the others act until a condition holds. They may change what it looks at while it does.
    ///
    /// @return false if it does not hold: the process has stopped, or the time is over, or nobody
    ///   can make it true
    boolean await(BooleanSupplier condition, Duration atMost);

    /// Where time is virtual, lets the others act for that time; else they do so by themselves.
    ///
    /// @return false if nobody has anything to do before, or the process has stopped
    boolean goOn(Duration atMost);

    /// Waits for an interrupt and takes it.
    ///
    /// @return as [#await]
    boolean awaitInterrupt(int vector, Duration atMost);

    /// Activates a thread that serves calls, and waits until it has returned: then the calling
    /// thread knows all that the thread did.
    ///
    /// @return whether it has
    boolean call(ThreadHandle thread, Duration atMost);

    /// Lets the others act until threads that serve calls have returned from all that they were
    /// activated for, and a condition holds: then the calling thread knows all that they did.
    ///
    /// @return as [#await]
    boolean awaitReturns(List<ThreadHandle> called, BooleanSupplier condition, Duration atMost);

    /// The status that a thread has ended the process with by itself, or 0.
    int exitStatus();

    /// What has ended the process, if anything has.
    Optional<CrashReport> crash();

    /// Lets somebody look at the process, and tells what its threads are doing, by their numbers;
    /// of a process that has stopped, what they were doing then. DPA memory of the process holds
    /// what has been stored. In turns nobody acts meanwhile.
    void look(Consumer<List<ThreadStatus>> look);

    /// What its threads are doing, or were doing when it stopped, and how often they were
    /// activated, by their numbers. Looks from the side and waits for nobody.
    List<ThreadReport> report();

    /// Ends everybody. A second time does nothing.
    void end();
}
