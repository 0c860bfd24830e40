package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.ElfSymbol.Kind;
import java.util.ArrayList;
import java.util.List;

/// A static RV64 program, linked to wherever it likes. Immutable; any thread may use it. What is to
/// run as a device program is a [DeviceElf].
public final class ElfProgram {
    private static final int SYMBOL_BYTES = 24;
    private static final int UNDEFINED = 0;
    private static final int WEAK = 2;
    private static final int NO_TYPE = 0;
    private static final int OBJECT = 1;
    private static final int FUNCTION = 2;

    private final ElfFile file;
    private final List<ElfSegment> segments;
    private final ElfSymbols symbols;

    private ElfProgram(ElfFile file) {
        this.file = file;
        segments = List.copyOf(file.segments());
        symbols = new ElfSymbols(readSymbols(file), segments);
    }

    /// Reads an ELF file.
    ///
    /// DPA-CC-16: not RV64 little-endian, relocations left, an undefined symbol; each has its own
    /// message.
    ///
    /// @throws ElfException if it is not a static RV64 executable
    public static ElfProgram parse(byte[] elf) {
        return new ElfProgram(new ElfFile(elf.clone()));
    }

    /// Where it begins.
    public long entry() {
        return file.entry();
    }

    /// What is loaded, in the order of the file. They may overlap, and be writable and executable.
    public List<ElfSegment> segments() {
        return segments;
    }

    /// Its names.
    public ElfSymbols symbols() {
        return symbols;
    }

    /// Where code may run.
    public List<AddressRange> code() {
        return segments.stream().filter(ElfSegment::executable).map(ElfSegment::range).toList();
    }

    /// What is known of its source. Reads the sections anew with every call.
    ///
    /// @throws ElfException if they are broken, or neither DWARF 4 nor 5
    public DebugInfo debug() {
        return DebugInfo.read(file, code());
    }

    ElfFile file() {
        return file;
    }

    private static List<ElfSymbol> readSymbols(ElfFile file) {
        ByteCursor table = file.symbolTable();
        TextTable names = file.symbolNames();
        List<ElfSymbol> symbols = new ArrayList<>();
        for (int at = SYMBOL_BYTES; at + SYMBOL_BYTES <= table.length(); at += SYMBOL_BYTES) {
            table.seek(at);
            String name = names.at(table.u32());
            int info = table.u8();
            table.skip(1);
            int section = table.u16();
            long address = table.u64();
            long size = table.u64();
            int type = info & 0xf;
            boolean wanted = type == NO_TYPE || type == OBJECT || type == FUNCTION;
            if (!wanted || name.isEmpty() || name.startsWith(".L") || name.startsWith("$")) {
                continue;
            }
            if (section != UNDEFINED) {
                symbols.add(new ElfSymbol(name, address, size, kind(type)));
            } else if (info >> 4 != WEAK) {
                throw new ElfException(
                        "The symbol %s is undefined; link what defines it".formatted(name));
            }
        }
        return symbols;
    }

    private static Kind kind(int type) {
        return switch (type) {
            case OBJECT -> Kind.OBJECT;
            case FUNCTION -> Kind.FUNCTION;
            default -> Kind.LABEL;
        };
    }
}
