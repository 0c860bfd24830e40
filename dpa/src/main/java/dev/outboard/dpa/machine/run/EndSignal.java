package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Observer.Ending;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/// Leaves a kernel or another program in the middle: at the end of an activation, or because the
/// run is over. An error, so that no program catches it by chance.
@SuppressWarnings("serial") // Never leaves its run.
public final class EndSignal extends Error {
    private static final Map<Ending, EndSignal> SIGNALS = new EnumMap<>(Ending.class);

    static {
        for (Ending ending : Ending.values()) {
            SIGNALS.put(ending, new EndSignal(ending, 0));
        }
    }

    private final Ending ending;
    private final int exitStatus;

    private EndSignal(Ending ending, int exitStatus) {
        super(ending.toString(), null, false, false);
        this.ending = ending;
        this.exitStatus = exitStatus;
    }

    /// Ends the activation like that. Allocates nothing.
    public static EndSignal of(Ending ending) {
        return Objects.requireNonNull(SIGNALS.get(ending));
    }

    /// The whole process ends with that status.
    public static EndSignal exit(int exitStatus) {
        return new EndSignal(Ending.FINISH, exitStatus);
    }

    /// The run is over, whatever the program still wanted to do.
    public static EndSignal stop() {
        return of(Ending.FAULT);
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
