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
    /// The low byte of a key is its variant, as in libibverbs.
    private static final int VARIANT_BITS = 8;

    private final FlexioPd domain;

    /// For the NIC; it has none of registers.
    private final Optional<MemoryKey> key;

    /// Of external memory.
    private final Optional<ExternalKey> window;

    private FlexioMkey(
            FlexioProcess process,
            FlexioPd domain,
            int number,
            Optional<MemoryKey> key,
            Optional<ExternalKey> window) {
        super(process, "memory key", number);
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
        return process.using(
                List.of(domain),
                _ -> {
                    MemoryKey key = register(process, domain, address.value(), lengthBytes, access);
                    return process.adopt(
                            new FlexioMkey(
                                    process,
                                    domain,
                                    key.number(),
                                    Optional.of(key),
                                    Optional.empty()));
                });
    }

    /// Makes a key for a part of external memory, as `ibv_reg_mr` does. With it everybody who may
    /// may read; whether they may write is asked.
    ///
    /// DPA-FXW-11: of registers, only windows may.
    ///
    /// @param access with [Access#LOCAL_WRITE] windows may store, too; of registers nothing else
    /// @throws FlexioException if the buffer has no such part, or belongs to another process as the
    ///   protection domain
    public static FlexioMkey create(
            FlexioPd domain, FlexioBuffer buffer, long offset, long lengthBytes, Access... access) {
        checkRights(access);
        FlexioProcess process = buffer.process();
        List<Access> rights = List.of(access);
        if (buffer.isMmio() && !List.of(Access.LOCAL_WRITE).containsAll(rights)) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "A key for %s is for windows only, with LOCAL_WRITE or nothing, not %s"
                            .formatted(buffer, rights));
        }
        domain.acquire(process);
        try {
            return process.act(host -> {
                long address = buffer.address().value() + offset;
                Optional<MemoryKey> key =
                        buffer.isMmio()
                                ? Optional.empty()
                                : Optional.of(
                                        register(process, domain, address, lengthBytes, access));
                int number =
                        key.map(MemoryKey::number)
                                .orElseGet(() -> process.device().nextNumber() << VARIANT_BITS);
                ExternalKey window =
                        process.process()
                                .external()
                                .register(
                                        number,
                                        buffer.region(),
                                        offset,
                                        lengthBytes,
                                        rights.contains(Access.LOCAL_WRITE)
                                                ? Rights.READ_WRITE
                                                : Rights.READ,
                                        domain.numberFor(process));
                return process.adopt(
                        new FlexioMkey(process, domain, number, key, Optional.of(window)));
            });
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            domain.release();
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%s has %d bytes: no key can be made for %d bytes from %d on"
                            .formatted(buffer, buffer.lengthBytes(), lengthBytes, offset));
        } catch (FlexioException e) {
            domain.release();
            throw e;
        }
    }

    private static MemoryKey register(
            FlexioProcess process,
            FlexioPd domain,
            long address,
            long lengthBytes,
            Access... access) {
        try {
            return domain.inNic(process).register(address, lengthBytes, access);
        } catch (FabricException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
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
        key.ifPresent(domain.inNic(process())::deregister);
        window.ifPresent(process().process().external()::destroy);
        leave();
    }

    @Override
    void leave() {
        domain.release();
    }
}
