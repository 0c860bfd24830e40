package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryOperation.Kind;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/// What memory an instruction reaches.
final class Reached {
    private Reached() {}

    /// @param registers what the registers hold before it
    static Optional<MemoryOperation> of(long instruction, IntToLongFunction registers) {
        int operation = Decoded.operation(instruction);
        int lengthBytes = lengthBytes(operation);
        if (lengthBytes == 0) {
            return Optional.empty();
        }
        Kind kind = kind(operation);
        long base = registers.applyAsLong(Decoded.rs1(instruction));
        boolean hasOffset = kind == Kind.LOAD || kind == Kind.STORE;
        long address = hasOffset ? base + Decoded.immediate(instruction) : base;
        return Optional.of(new MemoryOperation(kind, address, lengthBytes));
    }

    private static Kind kind(int operation) {
        return switch (operation) {
            case Operation.LB,
                    Operation.LH,
                    Operation.LW,
                    Operation.LD,
                    Operation.LBU,
                    Operation.LHU,
                    Operation.LWU ->
                    Kind.LOAD;
            case Operation.SB, Operation.SH, Operation.SW, Operation.SD -> Kind.STORE;
            case Operation.LR_W, Operation.LR_D -> Kind.LOAD_RESERVED;
            case Operation.SC_W, Operation.SC_D -> Kind.STORE_CONDITIONAL;
            default -> Kind.ATOMIC;
        };
    }

    private static int lengthBytes(int operation) {
        return switch (operation) {
            case Operation.LB, Operation.LBU, Operation.SB -> Byte.BYTES;
            case Operation.LH, Operation.LHU, Operation.SH -> Short.BYTES;
            case Operation.LW,
                    Operation.LWU,
                    Operation.SW,
                    Operation.LR_W,
                    Operation.SC_W,
                    Operation.AMOSWAP_W,
                    Operation.AMOADD_W,
                    Operation.AMOXOR_W,
                    Operation.AMOAND_W,
                    Operation.AMOOR_W,
                    Operation.AMOMIN_W,
                    Operation.AMOMAX_W,
                    Operation.AMOMINU_W,
                    Operation.AMOMAXU_W ->
                    Integer.BYTES;
            case Operation.LD,
                    Operation.SD,
                    Operation.LR_D,
                    Operation.SC_D,
                    Operation.AMOSWAP_D,
                    Operation.AMOADD_D,
                    Operation.AMOXOR_D,
                    Operation.AMOAND_D,
                    Operation.AMOOR_D,
                    Operation.AMOMIN_D,
                    Operation.AMOMAX_D,
                    Operation.AMOMINU_D,
                    Operation.AMOMAXU_D ->
                    Long.BYTES;
            default -> 0;
        };
    }
}
