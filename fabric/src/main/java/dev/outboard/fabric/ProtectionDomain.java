package dev.outboard.fabric;

import java.lang.foreign.MemorySegment;

/// Groups the memory regions and queue pairs that may work together (InfiniBand Architecture,
/// volume 1, chapter 10). Control calls may come from any thread. [#close] fails while anything of
/// the domain is open.
public interface ProtectionDomain extends AutoCloseable {
    /// The device this domain belongs to.
    Device device();

    /// Registers `segment` for use by the device. The memory stays the caller's: it must be native,
    /// not confined to a thread, and its arena must stay open until the region is closed. If the
    /// arena is closed early, operations that touch the region fail with an error status; the
    /// process is safe.
    ///
    /// @param access what the device may do; local reads need no right
    /// @throws FabricException with INVALID_ARGUMENT if the segment is on the heap, read-only with
    ///   a writing right, or confined to a thread, or if a remote write right comes without
    ///   LOCAL_WRITE
    MemoryRegion register(MemorySegment segment, Access... access);

    /// Registers `segment` as [#register(MemorySegment, Access...)] does, and has `watch` told of
    /// each access of the device. That costs a copy of everything sent from there; regions without
    /// a watch pay nothing.
    MemoryRegion register(MemorySegment segment, MemoryWatch watch, Access... access);

    /// Registers `segment` under other addresses than its own (`ibv_reg_mr_iova`): peers name its
    /// first byte by `address`, as if it lay there.
    ///
    /// @throws FabricException like [#register(MemorySegment, Access...)]; REMOTE_ATOMIC needs
    ///   addresses that differ from those of the memory by a multiple of 8
    MemoryRegion register(MemorySegment segment, long address, Access... access);

    /// Registers `length` bytes from `offset` of memory of the card (`ibv_reg_dm_mr`). Requests,
    /// here and at peers, use the region like memory, except that nothing can be posted inline from
    /// it. It begins at address 0, and its segment is empty.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if `memory` is another device's or does not
    ///   have these bytes, or if the rights do not go together; REMOTE_ATOMIC needs an offset that
    ///   is a multiple of 8
    MemoryRegion register(DeviceMemory memory, long offset, long length, Access... access);

    /// Registers `length` bytes of registers in the place of memory: each access of the device is a
    /// call of `registers`. Requests, here and at peers, use the region like memory, except that
    /// nothing can be posted inline from it, and no atomic operation changes it. It begins at
    /// address 0, and its segment is empty.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if `length` is not positive, a remote write
    ///   right comes without LOCAL_WRITE, or REMOTE_ATOMIC is asked for
    MemoryRegion registerMmio(long length, MmioHandler registers, Access... access);

    /// Allocates a memory window that is bound to nothing.
    MemoryWindow allocateMemoryWindow(MemoryWindow.Type type);

    /// Creates a queue pair in state RESET, to be connected with [QueuePair#modify]; for one that
    /// connection management connects see [ConnectionId#createQueuePair].
    ///
    /// @throws FabricException with LIMIT_REACHED if the attributes exceed [Device#limits]; with
    ///   INVALID_ARGUMENT if they name queues of another device or domain; with CLOSED if one of
    ///   these is closed
    QueuePair createQueuePair(QueuePairAttributes attributes);

    /// Creates a shared receive queue.
    ///
    /// @param maxReceives receives it holds at most
    /// @param maxScatterGather memory pieces of one receive at most
    /// @throws FabricException with LIMIT_REACHED if they exceed [Device#limits]
    SharedReceiveQueue createSharedReceiveQueue(int maxReceives, int maxScatterGather);

    /// Prepares the way that `vector` describes for datagrams.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if nothing leads there from the device's
    ///   address
    AddressHandle createAddressHandle(AddressVector vector);

    /// Prepares the way back to the sender of a datagram (the verbs' `ibv_create_ah_from_wc`).
    ///
    /// @param received the completion of the receive
    /// @param region where the datagram is, with the route header of 40 bytes at `offset`
    /// @throws FabricException with INVALID_ARGUMENT if there is no route header
    AddressHandle createAddressHandle(Completion received, MemoryRegion region, long offset);

    @Override
    void close();
}
