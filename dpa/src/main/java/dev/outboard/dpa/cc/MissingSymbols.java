package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.AddressRange;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CodePlace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Where a program uses what it does not have. For that it is linked once more, with an address of
/// its own for each missing symbol, and looked through: the lines that ld.lld tells are wrong,
/// since the line tables of RISC-V objects have relocations that it passes over.
final class MissingSymbols {
    /// Where nothing is, below the globals.
    private static final long FIRST = AddressMap.GLOBALS - (1L << 24);

    private static final long STEP = 16;

    // Instructions with a part of an address, what tells them, and what is left of their registers.
    private static final int OPCODE = 0x7F;
    private static final int OPCODE_AND_FUNCTION = 0x707F;
    private static final int AUIPC = 0x17;
    private static final int JALR = 0x67;
    private static final int ADDI = 0x13;
    private static final int UPPER = 0xFFFF_F000;
    private static final int TARGET_SHIFT = 7;
    private static final int SOURCE_SHIFT = 15;
    private static final int REGISTER_MASK = 31;
    private static final int LOWER_SHIFT = 20;
    private static final int IS_LONG = 3;

    private MissingSymbols() {}

    /// What tells the linker those addresses.
    static List<String> options(List<String> symbols) {
        List<String> options = new ArrayList<>();
        for (String symbol : symbols) {
            options.add("--defsym=%s=0x%x".formatted(symbol, FIRST + options.size() * STEP));
        }
        return options;
    }

    /// Where code calls each of the symbols, or takes its address.
    static Map<String, List<CodePlace>> uses(DeviceElf elf, List<String> symbols) {
        Map<String, List<CodePlace>> uses = new LinkedHashMap<>();
        AddressRange range = elf.program().code().getFirst();
        ByteBuffer code = ByteBuffer.wrap(elf.image().code()).order(ByteOrder.LITTLE_ENDIAN);
        int at = (int) (range.from() - AddressMap.CODE);
        int last = at + (int) range.sizeBytes() - 2 * Integer.BYTES;
        while (at <= last) {
            boolean isLong = (code.get(at) & IS_LONG) == IS_LONG;
            long pc = AddressMap.CODE + at;
            long number = target(pc, code.getInt(at), code.getInt(at + Integer.BYTES)) - FIRST;
            if (isLong && number >= 0 && number < symbols.size() * STEP) {
                uses.computeIfAbsent(symbols.get((int) (number / STEP)), _ -> new ArrayList<>())
                        .add(elf.debug().place(pc));
            }
            at += isLong ? Integer.BYTES : Short.BYTES;
        }
        return uses;
    }

    /// The address that two instructions in a row make of the place where they stand, or 0.
    private static long target(long pc, int first, int second) {
        int operation = second & OPCODE_AND_FUNCTION;
        boolean belong =
                (first & OPCODE) == AUIPC
                        && (operation == JALR || operation == ADDI)
                        && ((first >>> TARGET_SHIFT) & REGISTER_MASK)
                                == ((second >>> SOURCE_SHIFT) & REGISTER_MASK);
        return belong ? pc + (first & UPPER) + (second >> LOWER_SHIFT) : 0;
    }
}
