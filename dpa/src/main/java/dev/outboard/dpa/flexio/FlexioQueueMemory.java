package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpacc.DpaAddr;

/// DPA-FXP-3, DPA-FXQ-1: where a ring or doorbell record of a queue lies, as `struct flexio_qmem`
/// tells it.
///
/// ```java
/// DpaAddr ring = FlexioQueueMemory.ofHost(buffer.memoryId(), 4096).in(process);
/// ```
///
/// @param place an address of DPA memory, or an offset in memory of the host
/// @param memoryId [FlexioProcess#memoryId] or [FlexioBuffer#memoryId]
public record FlexioQueueMemory(Type type, long place, int memoryId) {
    /// What memory it is.
    public enum Type {
        /// Memory of the DPA.
        DPA,
        /// Memory outside it, as a buffer has it.
        HOST
    }

    /// In memory of the DPA.
    public static FlexioQueueMemory ofDpa(int memoryId, DpaAddr address) {
        return new FlexioQueueMemory(Type.DPA, address.value(), memoryId);
    }

    /// In a buffer.
    public static FlexioQueueMemory ofHost(int memoryId, long offset) {
        return new FlexioQueueMemory(Type.HOST, offset, memoryId);
    }

    /// The address by which attributes of queues of that process name it.
    ///
    /// @throws FlexioException if the process has no memory of that type and id, or that has no
    ///   such place
    public DpaAddr in(FlexioProcess process) {
        process.check();
        return type == Type.DPA ? inDpa(process) : inBuffer(process);
    }

    private DpaAddr inDpa(FlexioProcess process) {
        if (memoryId != process.memoryId()) {
            throw wrongId("the DPA memory of %s is 0x%x".formatted(process, process.memoryId()));
        }
        if (place < AddressMap.GLOBALS || place >= AddressMap.OUTBOX) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "0x%x is no address of the DPA memory of %s".formatted(place, process));
        }
        return new DpaAddr(place);
    }

    private DpaAddr inBuffer(FlexioProcess process) {
        FlexioBuffer buffer =
                process.buffer(memoryId)
                        .orElseThrow(() -> wrongId("%s has no such buffer".formatted(process)));
        buffer.checkMemory();
        if (place < 0 || place >= buffer.lengthBytes()) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%s has %d bytes, and no offset %d"
                            .formatted(buffer, buffer.lengthBytes(), place));
        }
        return buffer.address().plus(place);
    }

    private FlexioException wrongId(String valid) {
        return FlexioException.refuse(
                Reason.BAD_ARGUMENT,
                "Memory id 0x%x is none of type %s here: %s".formatted(memoryId, type, valid));
    }
}
