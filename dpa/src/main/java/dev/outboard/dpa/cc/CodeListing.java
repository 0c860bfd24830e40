package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.rv.RvCode;
import java.util.ArrayList;
import java.util.List;

/// DPA-RV-7: the instructions of a device program with symbols and lines.
public final class CodeListing {
    private CodeListing() {}

    /// One line for each instruction, one with its name before each function, and one with file and
    /// line of the source wherever that changes.
    public static List<String> of(DeviceElf elf) {
        RvCode code = CProgram.code(elf, RvCode.NEVER_COMPILED);
        List<String> lines = new ArrayList<>();
        CodePlace latest = CodePlace.NONE;
        for (long pc = code.base(); code.contains(pc); pc += code.lengthBytes(pc)) {
            long address = pc;
            elf.program()
                    .symbols()
                    .at(address)
                    .filter(symbol -> symbol.address() == address)
                    .ifPresent(
                            symbol -> lines.add("%n%016x <%s>:".formatted(address, symbol.name())));
            CodePlace place = elf.debug().place(address);
            if (!place.equals(latest) && !place.equals(CodePlace.NONE)) {
                lines.add("; " + place);
            }
            latest = place;
            lines.add("%8x: %-8s  %s".formatted(pc, code.hex(pc), code.text(pc)));
        }
        return lines;
    }
}
