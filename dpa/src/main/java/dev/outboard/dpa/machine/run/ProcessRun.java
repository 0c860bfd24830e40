package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.ThreadHandle;

/// A run of one mode.
public interface ProcessRun {

    /// Activates all threads that are no handlers, lets everybody act, and comes back when nobody
    /// but servers does any more.
    RunResult run();

    /// What the NIC sees in DPA memory after the run.
    byte[] seenByNic(long address, int lengthBytes);

    /// Asks for an activation of a thread, before the run or from any actor of it.
    void activate(ThreadHandle thread);
}
