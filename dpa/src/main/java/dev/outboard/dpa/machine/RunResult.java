package dev.outboard.dpa.machine;

import java.util.List;
import java.util.Optional;

/// How a run ended.
///
/// @param crash what ended it, if it is [End#FAULT]
/// @param stuck the names of those that could not go on, if it is [End#STUCK] or [End#LIMIT]
/// @param activations how many activations of threads have ended
public record RunResult(
        End end, Optional<CrashReport> crash, List<String> stuck, long activations) {

    /// How a run can end.
    public enum End {
        /// Every actor but servers has ended, and no activation is left.
        DONE,
        /// A thread did what the machine forbids.
        FAULT,
        /// Nobody can go on: who has not ended waits or spins for what nobody will do.
        STUCK,
        /// The limit of the run was reached.
        LIMIT
    }

    /// Copies the list.
    public RunResult {
        stuck = List.copyOf(stuck);
    }
}
