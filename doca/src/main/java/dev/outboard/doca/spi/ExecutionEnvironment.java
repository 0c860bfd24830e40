package dev.outboard.doca.spi;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
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
    /// @param declared who updates it and waits for it
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, else with what
    ///   keeps it from taking the event
    EventCell cell(MemorySegment memory, EventUse declared);

    /// Whether programs of another environment, of another kind, may use the same sync events as
    /// its own. It is asked before either has been given the event; each is given it then.
    default boolean sharesEvents(ExecutionEnvironment other) {
        return false;
    }

    /// What was declared of a sync event.
    ///
    /// @param updates whether programs of the environment update it
    /// @param waits whether programs of the environment get it and wait for it
    /// @param othersUpdate whether others than those may update it: the CPU, or peers
    record EventUse(boolean updates, boolean waits, boolean othersUpdate) {}

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

    /// What its programs call memory of a peer, to operate on it by RDMA.
    ///
    /// @param address as the peer told it
    /// @param key as the peer told it
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run
    default RemoteMemory remoteMemory(long address, int key) {
        return new RemoteMemory(key, address);
    }

    /// Makes an array of buffers in memory of a peer known to it.
    ///
    /// @param memory where the elements lie
    /// @param startOffset where the first one begins in it
    /// @param elementBytes how long each is
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, with
    ///   NOT_SUPPORTED if its programs post no RDMA operations
    default ArrayHandle remoteArray(
            RemoteMemory memory, long startOffset, long elementBytes, int count) {
        throw noRdma();
    }

    /// What its programs call a sync event of a peer, to update it by RDMA, until the environment
    /// stops.
    ///
    /// @param address of the 8 bytes, as the peer told it
    /// @param key as the peer told it
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, with
    ///   NOT_SUPPORTED if its programs post no RDMA operations
    default long remoteEvent(long address, int key) {
        throw noRdma();
    }

    /// Makes the queues of an RDMA context to which its programs post.
    ///
    /// @throws dev.outboard.doca.DocaException with BAD_STATE if it does not run, with
    ///   NOT_SUPPORTED if its programs post to none, else with what keeps it from making them
    default RdmaQueues rdma(RdmaQueues.Attributes attributes) {
        throw noRdma();
    }

    private DocaException noRdma() {
        return new DocaException(
                DocaError.NOT_SUPPORTED, "programs of %s post no RDMA operations".formatted(this));
    }

    /// What there is.
    enum Kind {
        /// A data-path accelerator.
        DPA,
        /// A GPU.
        GPU
    }
}
