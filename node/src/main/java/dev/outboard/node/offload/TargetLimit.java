package dev.outboard.node.offload;

/// How many calls a target computes at a time, of all routines together.
///
/// @param calls at a time, at least 1
/// @param waiting how many more may wait, for as long as each may take; any other is refused with
///   [TargetError#BUSY]
public record TargetLimit(int calls, int waiting) {
    /// As many as come.
    public static final TargetLimit NONE = new TargetLimit(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /// Refuses what no call passes.
    public TargetLimit {
        if (calls < 1) {
            throw new IllegalArgumentException(
                    "calls at a time on a target: %d; valid: at least 1".formatted(calls));
        }
        if (waiting < 0) {
            throw new IllegalArgumentException(
                    "calls that wait for a target: %d; valid: 0 or more".formatted(waiting));
        }
    }
}
