package dev.outboard.fabric;

import java.lang.foreign.MemorySegment;

/// Memory of the network card itself (the verbs' `ibv_alloc_dm`): requests of peers end there
/// without a way to the memory of the host. The application reaches it by copies, and registers
/// parts of it with [ProtectionDomain#register(DeviceMemory, long, long, Access...)].
///
/// Any thread may copy; what the device does to the same bytes meanwhile is not excluded.
public interface DeviceMemory extends AutoCloseable {
    /// Length in bytes.
    long length();

    /// Copies all of `source` to `offset` (`ibv_memcpy_to_dm`).
    ///
    /// @throws FabricException with INVALID_ARGUMENT if it does not fit there, with CLOSED if the
    ///   memory was given back
    void write(long offset, MemorySegment source);

    /// Fills `target` from `offset` on (`ibv_memcpy_from_dm`).
    ///
    /// @throws FabricException with INVALID_ARGUMENT if there is not so much, with CLOSED if the
    ///   memory was given back
    void read(long offset, MemorySegment target);

    /// Gives it back. Closing twice is harmless.
    ///
    /// @throws FabricException with IN_USE while a region of it is registered
    @Override
    void close();
}
