package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Access;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.machine.AddressMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/// The memory of a litmus program under sequential consistency: every store is there at once, and
/// for everybody.
final class LitmusMemory {
    private static final long EXTERNAL_BASE = 0x1_0000;

    private final Map<String, Variable> variables = new HashMap<>();
    private final Map<Long, Byte> bytes = new HashMap<>();
    private long changes;

    LitmusMemory(LitmusProgram program) {
        for (Variable variable : program.variables()) {
            variables.put(variable.name(), variable);
            put(address(variable), variable.sizeBytes(), variable.initial());
        }
    }

    static long address(Variable variable) {
        return variable.address()
                + switch (variable.area()) {
                    case HEAP -> AddressMap.HEAP;
                    case GLOBALS -> AddressMap.GLOBALS;
                    case STACK -> AddressMap.STACKS;
                    case EXTERNAL -> AddressMap.WINDOW | EXTERNAL_BASE;
                };
    }

    long address(Access access) {
        Variable variable = Objects.requireNonNull(variables.get(access.variable()));
        return address(variable) + access.offset();
    }

    long load(Access access) {
        return get(address(access), access.sizeBytes());
    }

    long get(long address, int sizeBytes) {
        long value = 0;
        for (int i = sizeBytes - 1; i >= 0; i--) {
            value = (value << 8) | (bytes.getOrDefault(address + i, (byte) 0) & 0xFF);
        }
        return value;
    }

    void store(Access access, long value) {
        put(address(access), access.sizeBytes(), value);
    }

    private void put(long address, int sizeBytes, long value) {
        for (int i = 0; i < sizeBytes; i++) {
            byte after = (byte) (value >>> (8 * i));
            Byte before = bytes.put(address + i, after);
            if (before == null || before != after) {
                changes++;
            }
        }
    }

    /// How often a byte got another value.
    long changes() {
        return changes;
    }
}
