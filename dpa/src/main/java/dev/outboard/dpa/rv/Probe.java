package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;

/// Follows what [harts][RvHart#follow] run. It is called by the thread that runs the program, which
/// goes on when it returns.
public interface Probe {
    /// The hart is about to run an instruction. Its registers hold what all earlier instructions
    /// have left.
    ///
    /// @param pc the address of the instruction
    /// @return where in the code to go on: `pc`, but if the program is to be led elsewhere
    long before(RvHart hart, DpaThread thread, long pc);

    /// The instruction has done what the machine forbids; the program ends after this.
    void faulted(RvHart hart, DpaThread thread, long pc, Fault fault);

    /// The function that was run has ended, in whatever way.
    void ended(DpaThread thread);
}
