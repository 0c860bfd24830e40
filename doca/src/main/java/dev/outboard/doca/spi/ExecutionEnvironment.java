package dev.outboard.doca.spi;

import dev.outboard.doca.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.util.Set;

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
    /// @param updates whether its programs update the event
    /// @param waits whether its programs get the event and wait for it
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, else with what
    ///   keeps it from taking the event
    EventCell cell(MemorySegment memory, boolean updates, boolean waits);

    /// Makes memory of this process known to it. Its programs may read, and write if that is
    /// permitted to the local device.
    ///
    /// @param memory native memory that any thread may access, until the handle is closed
    /// @throws dev.outboard.doca.DocaException as [#cell], with INVALID_VALUE for memory that it
    ///   cannot take
    MemoryHandle memory(MemorySegment memory, Set<AccessFlag> permissions);

    /// The same for memory of its own.
    ///
    /// @param address what its programs call the first byte
    /// @throws dev.outboard.doca.DocaException as [#cell], with INVALID_VALUE if it has no such
    ///   memory
    MemoryHandle ownMemory(long address, long lengthBytes, Set<AccessFlag> permissions);

    /// Makes an array of buffers known to it.
    ///
    /// @param memory where the elements lie
    /// @param startOffset where the first one begins in it
    /// @param elementBytes how long each is
    /// @throws dev.outboard.doca.DocaException as [#cell], with NOT_SUPPORTED if it knows no arrays
    ArrayHandle array(MemoryHandle memory, long startOffset, long elementBytes, int count);

    /// What there is.
    enum Kind {
        /// A data-path accelerator.
        DPA,
        /// A GPU.
        GPU
    }
}
