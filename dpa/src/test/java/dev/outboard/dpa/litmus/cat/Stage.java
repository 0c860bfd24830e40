package dev.outboard.dpa.litmus.cat;

/// What an execution consists of, in the order in which it is chosen.
enum Stage {
    /// The events and all that the program says of them.
    PROGRAM,
    /// Which window stores are written to external memory.
    DRAINED,
    /// Where each read has its value from.
    READS,
    /// The order of the writes of each place.
    COHERENCE,
    /// Which writes the NIC was shown one by one.
    VIEW;

    static Stage of(String name) {
        return switch (name) {
            case "NEVER" -> DRAINED;
            case "rf", "fwd", "held", "cao" -> READS;
            case "co" -> COHERENCE;
            case "vis" -> VIEW;
            default -> PROGRAM;
        };
    }
}
