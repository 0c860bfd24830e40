package dev.outboard.dpa.machine.run;

/// DPA-JK-7: a thread of any run, as the code sees it that was put into its program to end it in
/// time.
public interface FueledThread {
    /// The program has gone round loops, or called methods, so often. Ends it if that took too
    /// long, or if the run is over.
    void spendRounds(int rounds);

    /// What it reaches; its calls take room on the stack there.
    AccessPort port();
}
