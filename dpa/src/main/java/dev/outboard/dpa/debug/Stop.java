package dev.outboard.dpa.debug;

import dev.outboard.dpa.machine.Fault;
import java.util.Optional;

/// Why a program stands still.
///
/// @param thread the number of the thread that has stopped it
/// @param pc the address of the instruction that it runs next; of [Reason#FAULT], of the one that
///   it cannot run
/// @param address of watched memory, what of it was reached; else 0
/// @param fault what the thread did that is forbidden, if it is [Reason#FAULT]
public record Stop(Reason reason, int thread, long pc, long address, Optional<Fault> fault) {

    /// What can stop a program.
    public enum Reason {
        /// It has not run an instruction yet.
        START,
        /// The thread has run the instruction that it was to run.
        STEP,
        /// The thread has come to a breakpoint.
        BREAKPOINT,
        /// The thread has stored to memory that is watched for stores.
        WRITTEN,
        /// The thread has loaded from memory that is watched for loads.
        READ,
        /// The thread has reached memory that is watched for both.
        ACCESSED,
        /// The thread did what the machine forbids, and the program ends when it goes on.
        FAULT,
        /// The [Operator] has asked for it.
        INTERRUPT
    }
}
