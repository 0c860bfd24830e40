package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKey;
import dev.outboard.dpa.machine.Rights;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.MemoryKey;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.FabricException;
import java.util.List;
import java.util.Optional;

/// DPA-FXQ-10, DPA-FXW-2: a key for memory: entries of queues and peers name memory of the DPA by
/// it, and external memory; windows reach external memory under it.
public final class FlexioMkey extends FlexioObject {
    private final FlexioPd domain;
    private final MemoryKey key;

    /// Of external memory.
    private final Optional<ExternalKey> window;

    private FlexioMkey(
            FlexioProcess process, FlexioPd domain, MemoryKey key, Optional<ExternalKey> window) {
        super(process, "memory key", key.number());
        this.domain = domain;
        this.key = key;
        this.window = window;
    }

    /// Makes a key for bytes of the heap.
    ///
    /// @throws FlexioException if they do not lie in one live block, or the protection domain
    ///   belongs to another process
    public static FlexioMkey create(
            FlexioProcess process,
            FlexioPd domain,
            DpaAddr address,
            int lengthBytes,
            Access... access) {
        checkRights(access);
        process.heap().checkBlock(address, lengthBytes);
        domain.acquire(process);
        try {
            MemoryKey key =
                    process.act(
                            host -> process.nic().register(address.value(), lengthBytes, access));
            return process.adopt(new FlexioMkey(process, domain, key, Optional.empty()));
        } catch (FabricException e) {
            domain.release();
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    /// Makes a key for a part of external memory, as `ibv_reg_mr` does. With it everybody who may
    /// may read; whether they may write is asked.
    ///
    /// @param access with [Access#LOCAL_WRITE] windows may store, too
    /// @throws FlexioException if the buffer has no such part, or belongs to another process as the
    ///   protection domain
    public static FlexioMkey create(
            FlexioPd domain, FlexioBuffer buffer, long offset, long lengthBytes, Access... access) {
        checkRights(access);
        FlexioProcess process = buffer.process();
        domain.acquire(process);
        try {
            boolean writes = List.of(access).contains(Access.LOCAL_WRITE);
            long address = buffer.address().value() + offset;
            return process.act(host -> {
                MemoryKey key = process.nic().register(address, lengthBytes, access);
                ExternalKey window =
                        process.process()
                                .external()
                                .register(
                                        key.number(),
                                        buffer.region(),
                                        offset,
                                        lengthBytes,
                                        writes ? Rights.READ_WRITE : Rights.READ,
                                        domain.numberFor(process));
                return process.adopt(new FlexioMkey(process, domain, key, Optional.of(window)));
            });
        } catch (FabricException e) {
            domain.release();
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            domain.release();
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%s has %d bytes: no key can be made for %d bytes from %d on"
                            .formatted(buffer, buffer.lengthBytes(), lengthBytes, offset));
        }
    }

    private static void checkRights(Access... access) {
        try {
            MemoryKey.checkRights(access);
        } catch (IllegalArgumentException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    @Override
    void destroy() {
        process().nic().deregister(key);
        window.ifPresent(process().process().external()::destroy);
        domain.release();
    }
}
