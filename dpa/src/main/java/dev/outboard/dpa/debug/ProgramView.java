package dev.outboard.dpa.debug;

import dev.outboard.dpa.elf.DebugInfo;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.elf.ElfSymbol;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.rv.RvCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// DPA-RV-7: the code of a program as a person reads it: instructions with symbols and lines.
/// Immutable; any thread may use it.
public final class ProgramView {
    private final ElfProgram program;
    private final RvCode code;
    private final Optional<DebugInfo> debug;

    /// A view of it. If what it says of its source cannot be read, it has no lines.
    ///
    /// @throws ElfException if it has no code
    public ProgramView(ElfProgram program) {
        this.program = program;
        code = RvCode.of(program);
        debug = debug(program);
    }

    private static Optional<DebugInfo> debug(ElfProgram program) {
        try {
            return Optional.of(program.debug());
        } catch (ElfException e) {
            return Optional.empty();
        }
    }

    /// Its code.
    public RvCode code() {
        return code;
    }

    /// Where in the source an instruction comes from; [CodePlace#NONE] if that is not known.
    public CodePlace place(long pc) {
        return debug.map(known -> known.place(pc)).orElse(CodePlace.NONE);
    }

    /// Where the code of a line begins; empty if it has none.
    ///
    /// @param file its name, as far to the left as is needed to tell it from others
    public List<Long> addresses(String file, int line) {
        return debug.map(known -> known.addresses(file, line)).orElse(List.of());
    }

    /// An address with the function or label that it belongs to, as in `0x10084 <main+8>`.
    public String symbol(long pc) {
        Optional<ElfSymbol> symbol = program.symbols().at(pc);
        if (symbol.isEmpty()) {
            return "0x%x".formatted(pc);
        }
        long offset = pc - symbol.get().address();
        return offset == 0
                ? "0x%x <%s>".formatted(pc, symbol.get().name())
                : "0x%x <%s+%d>".formatted(pc, symbol.get().name(), offset);
    }

    /// An instruction with its symbol and line, as in `0x10084 <main+8> addi x10, x0, 42 main.c:3`.
    public String line(long pc) {
        String text = code.contains(pc) ? code.text(pc) : "no code";
        CodePlace place = place(pc);
        String source =
                place.equals(CodePlace.NONE) ? "" : "  %s:%d".formatted(place.file(), place.line());
        return "%s  %s%s".formatted(symbol(pc), text, source);
    }

    /// The instructions from one address to another, each a line.
    ///
    /// @param to the address after the last one
    public List<String> listing(long from, long to) {
        List<String> lines = new ArrayList<>();
        for (long pc = from; pc < to && code.contains(pc); pc += code.lengthBytes(pc)) {
            lines.add(line(pc));
        }
        return lines;
    }
}
