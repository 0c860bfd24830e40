package dev.outboard.doca.spi;

import java.lang.foreign.MemorySegment;

/// Something beside the CPU whose programs use objects of DOCA: a data-path accelerator (DPA) or a
/// GPU. Objects that are declared for it get a handle, by which its programs know them. Any thread
/// calls it.
public interface ExecutionEnvironment {
    /// What it is.
    Kind kind();

    /// Makes a sync event known to it, from a start of the event to its stop.
    ///
    /// @param memory where the value is: 8 bytes of native memory at a multiple of 8, which any
    ///   thread may access until the cell is closed
    /// @param declared who updates it and waits for it
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, else with what
    ///   keeps it from taking the event
    EventCell cell(MemorySegment memory, EventUse declared);

    /// What was declared of a sync event.
    ///
    /// @param updates whether programs of the environment update it
    /// @param waits whether programs of the environment get it and wait for it
    /// @param othersUpdate whether others than those may update it: the CPU, or peers
    record EventUse(boolean updates, boolean waits, boolean othersUpdate) {}

    /// What there is.
    enum Kind {
        /// A data-path accelerator.
        DPA,
        /// A GPU.
        GPU
    }
}
