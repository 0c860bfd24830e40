package dev.outboard.dpa.process;

import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.fast.FastMachine;
import dev.outboard.dpa.machine.fast.FastRun;
import dev.outboard.dpa.machine.run.CodeSites;
import dev.outboard.dpa.machine.run.ProcessRun;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.turns.TurnMachine;
import dev.outboard.dpa.machine.turns.TurnRun;
import dev.outboard.dpa.trace.Tracer;
import org.jspecify.annotations.Nullable;

/// The DPA of a device: execution units, which all processes on it share.
///
/// DPA-SYS-5: that is all they share: each process has memory, threads and outboxes of its own.
public final class DpaMachine {
    private final MachineOptions options;
    private final RunMode mode;
    private final @Nullable FastMachine fast;
    private final @Nullable TurnMachine turns;
    private final Tracer tracer;

    /// A machine that runs all its processes in that mode.
    public DpaMachine(MachineOptions options, RunMode mode) {
        this.options = options;
        this.mode = mode;
        fast = mode instanceof RunMode.Fast ? new FastMachine(options) : null;
        turns = mode instanceof RunMode.Turns inTurns ? new TurnMachine(options, inTurns) : null;
        tracer = turns == null ? Tracer.monotonic() : new Tracer("virtual time", turns::nanos);
    }

    /// How it is built.
    public MachineOptions options() {
        return options;
    }

    /// How it runs programs.
    public RunMode mode() {
        return mode;
    }

    /// Begins traces of all its processes. Their times are those of a monotonic clock; in turns,
    /// where one actor acts after the other, the virtual time that all have taken together.
    public Tracer tracer() {
        return tracer;
    }

    /// The run of a process on it.
    ProcessRun run(ProcessState process, RunMode ofProcess, CodeSites sites) {
        return switch (ofProcess) {
            case RunMode.Fast limited when fast != null ->
                    new FastRun(fast, process, limited.limit());
            case RunMode.Turns inTurns when turns != null ->
                    new TurnRun(turns, process, inTurns, sites);
            default ->
                    throw new IllegalStateException(
                            "The process was opened for EXPLORE: call explore");
        };
    }

    /// The mode of a process that has an observer of its own.
    RunMode observedBy(Observer observer) {
        return switch (mode) {
            case RunMode.Turns inTurns -> inTurns.withObserver(observer);
            default -> mode;
        };
    }
}
