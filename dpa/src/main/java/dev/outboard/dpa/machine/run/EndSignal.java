package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Observer.Ending;

/// Leaves a kernel or another program in the middle: at the end of an activation, or because the
/// run is over. An error, so that no program catches it by chance.
@SuppressWarnings("serial") // Never leaves its run.
public final class EndSignal extends Error {
    private final Ending ending;
    private final int exitStatus;

    /// Ends the activation like that.
    public EndSignal(Ending ending) {
        this(ending, 0);
    }

    private EndSignal(Ending ending, int exitStatus) {
        super(ending.toString(), null, false, false);
        this.ending = ending;
        this.exitStatus = exitStatus;
    }

    /// The whole process ends with that status.
    public static EndSignal exit(int exitStatus) {
        return new EndSignal(Ending.FINISH, exitStatus);
    }

    /// The run is over, whatever the program still wanted to do.
    public static EndSignal stop() {
        return new EndSignal(Ending.FAULT);
    }

    /// What the process ends with, or 0 if it goes on.
    public int exitStatus() {
        return exitStatus;
    }

    /// How the activation ends.
    public Ending ending() {
        return ending;
    }
}
