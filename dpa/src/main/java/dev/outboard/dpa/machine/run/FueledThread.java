package dev.outboard.dpa.machine.run;

/// DPA-JK-7: a thread of any run, as the code sees it that was put into its program to end it in
/// time.
public interface FueledThread {
    /// The program has gone round loops, or called methods, so often. Ends it if that took too
    /// long, or if the run is over.
    void spendRounds(int rounds);

    /// DPA-INT-4: the program has retired so many instructions of C device code that are no
    /// operations of this thread; each takes one cycle. Ends it as above.
    ///
    /// @return after how many more of them it has to be told again
    int spendInstructions(int count);

    /// What it reaches; its calls take room on the stack there.
    AccessPort port();
}
