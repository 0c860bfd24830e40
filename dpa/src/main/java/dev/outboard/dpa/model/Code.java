package dev.outboard.dpa.model;

/// What an actor has still to do. Immutable: going on makes another one, so that an execution can
/// be copied at any moment.
public interface Code {
    /// The number of the DPA thread that runs it, or a negative number if NIC or host do.
    int thread();

    /// Whether it may stop anywhere.
    boolean isOptional();

    /// Whether nothing is left to do.
    boolean isEnded();

    /// How many actions may be the next one; 1 for DPA threads.
    int alternatives();

    /// The next action, of those that may be.
    Action action(int alternative);

    /// Whether the next action is the load of a loop that goes on until it gives some value.
    boolean isPoll();

    /// What is left after that action.
    ///
    /// @param result what the action gave
    Code resume(int alternative, long result);

    /// Whether it may still load that granule of external memory through the window. May say yes
    /// where it does not know.
    boolean mayLoadWindow(int granule);

    /// Whether it may still read that granule of DPA memory as the NIC does. May say yes where it
    /// does not know.
    boolean mayReadAsNic(int granule);

    /// Adds all that can matter from now on.
    void digest(Digest digest);
}
