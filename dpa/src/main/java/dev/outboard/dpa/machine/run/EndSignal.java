package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Observer.Ending;

/// Leaves a kernel or another program in the middle: at the end of an activation, or because the
/// run is over. An error, so that no program catches it by chance.
@SuppressWarnings("serial") // Never leaves its run.
public final class EndSignal extends Error {
    private final Ending ending;

    /// Ends the activation like that.
    public EndSignal(Ending ending) {
        super(ending.toString(), null, false, false);
        this.ending = ending;
    }

    /// The run is over, whatever the program still wanted to do.
    public static EndSignal stop() {
        return new EndSignal(Ending.FAULT);
    }

    /// How the activation ends.
    public Ending ending() {
        return ending;
    }
}
