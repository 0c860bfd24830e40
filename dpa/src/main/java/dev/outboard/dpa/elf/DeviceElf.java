package dev.outboard.dpa.elf;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.ProgramImage;
import java.util.Comparator;
import java.util.List;

/// A program for the device: where code and data lie is checked, and so is the version of the
/// interface between program and machine. Immutable; any thread may use it.
///
/// DPA-CC-16: what is refused, each with its own message.
public final class DeviceElf {
    /// The version of the interface between program and machine that is known here.
    public static final int ABI_VERSION = 1;

    /// How many globals a program may have.
    public static final long MOST_GLOBAL_BYTES = 256L << 20;

    private static final String NOTE_NAME = "Outboard";
    private static final int NOTE_TYPE = 1;

    /// The largest page that linkers align to: more than that is not left free between segments.
    private static final long MOST_GAP_BYTES = 64 << 10;

    private static final AddressRange CODE = new AddressRange(AddressMap.CODE, AddressMap.GLOBALS);
    private static final AddressRange GLOBALS =
            new AddressRange(AddressMap.GLOBALS, AddressMap.HEAP);

    private final ElfProgram program;
    private final DebugInfo debug;
    private final ProgramImage image;

    private DeviceElf(ElfProgram program) {
        this.program = program;
        checkNotes(program.file().notes());
        checkSegments(program.segments());
        checkEntry();
        image = image(program.segments());
        debug = program.debug();
        checkMarked();
    }

    /// Reads an ELF file.
    ///
    /// @throws ElfException if it is no program for this device
    public static DeviceElf parse(byte[] elf) {
        return new DeviceElf(ElfProgram.parse(elf));
    }

    /// Entry point, symbols and the addresses of code.
    public ElfProgram program() {
        return program;
    }

    /// What a process of it starts from.
    public ProgramImage image() {
        return image;
    }

    /// What is known of its source.
    public DebugInfo debug() {
        return debug;
    }

    private static void checkNotes(List<ByteCursor> segments) {
        boolean found = false;
        for (ByteCursor notes : segments) {
            while (notes.remaining() > 0) {
                found |= isAbiNote(notes);
            }
        }
        if (!found) {
            throw new ElfException(
                    "The ELF file has no note of the device interface; link it with dpacc, or run it as a bare program");
        }
    }

    private static boolean isAbiNote(ByteCursor notes) {
        long nameBytes = notes.u32();
        long contentBytes = notes.u32();
        long type = notes.u32();
        int nameAt = notes.position();
        notes.skip(aligned(nameBytes, notes));
        int contentAt = notes.position();
        notes.skip(aligned(contentBytes, notes));
        if (type != NOTE_TYPE
                || nameBytes != NOTE_NAME.length() + 1
                || !notes.at(nameAt).text().equals(NOTE_NAME)) {
            return false;
        }
        if (contentBytes != 4) {
            throw notes.error(
                    contentAt,
                    "the version of the device interface has %d bytes, not 4"
                            .formatted(contentBytes));
        }
        long version = notes.at(contentAt).u32();
        if (version != ABI_VERSION) {
            throw new ElfException(
                    "The ELF file is for version %d of the device interface; known is version %d"
                            .formatted(version, ABI_VERSION));
        }
        return true;
    }

    /// The last note may end without padding.
    private static long aligned(long bytes, ByteCursor notes) {
        long aligned = (bytes + 3) & ~3L;
        return bytes <= notes.remaining() ? Math.min(aligned, notes.remaining()) : aligned;
    }

    private static void checkSegments(List<ElfSegment> segments) {
        for (ElfSegment segment : segments) {
            AddressRange range = segment.range();
            if (segment.writable() && segment.executable()) {
                throw new ElfException(
                        "The segment %s is writable and executable; it may be one of both"
                                .formatted(range));
            }
            AddressRange area = segment.writable() ? GLOBALS : CODE;
            if (!area.contains(range.from()) || !area.contains(range.to() - 1)) {
                throw new ElfException(
                        "The segment %s lies outside; %s lie from %s"
                                .formatted(
                                        range,
                                        segment.writable() ? "globals" : "code and constants",
                                        area));
            }
        }
    }

    private void checkEntry() {
        long entry = program.entry();
        if (entry != 0 && program.code().stream().noneMatch(range -> range.contains(entry))) {
            throw new ElfException(
                    "The program begins at 0x%x, where no code is; code is at %s"
                            .formatted(entry, program.code()));
        }
    }

    private static ProgramImage image(List<ElfSegment> segments) {
        List<ElfSegment> code = sorted(segments, false);
        List<ElfSegment> globals = sorted(segments, true);
        checkLayout(code, AddressMap.CODE);
        checkLayout(globals, AddressMap.GLOBALS);
        long codeEnd = end(code, AddressMap.CODE);
        if (!code.isEmpty()) {
            checkGap(code.getLast().zeroBytes(), codeEnd);
        }
        long globalsEnd = end(globals, AddressMap.GLOBALS);
        if (globalsEnd - AddressMap.GLOBALS > MOST_GLOBAL_BYTES) {
            throw new ElfException(
                    "The program has %d bytes of globals; it may have %d"
                            .formatted(globalsEnd - AddressMap.GLOBALS, MOST_GLOBAL_BYTES));
        }
        long zeroBytes = globals.isEmpty() ? 0 : globals.getLast().zeroBytes();
        return new ProgramImage(
                content(code, AddressMap.CODE, codeEnd),
                content(globals, AddressMap.GLOBALS, globalsEnd - zeroBytes),
                (int) zeroBytes);
    }

    private static List<ElfSegment> sorted(List<ElfSegment> segments, boolean writable) {
        return segments.stream()
                .filter(segment -> segment.writable() == writable)
                .sorted(Comparator.comparingLong(ElfSegment::address))
                .toList();
    }

    /// What lies between segments is in the image, but not in the file.
    private static void checkLayout(List<ElfSegment> sorted, long area) {
        long end = area;
        long zeroBytes = 0;
        for (ElfSegment segment : sorted) {
            if (segment.address() < end) {
                throw new ElfException(
                        "The segment %s overlaps the one that ends at 0x%x"
                                .formatted(segment.range(), end - 1));
            }
            checkGap(segment.address() - end + zeroBytes, segment.address());
            end = segment.range().to();
            zeroBytes = segment.zeroBytes();
        }
    }

    private static void checkGap(long bytes, long end) {
        if (bytes > MOST_GAP_BYTES) {
            throw new ElfException(
                    "%d bytes before 0x%x are not in the file; %d may be left out"
                            .formatted(bytes, end, MOST_GAP_BYTES));
        }
    }

    private static long end(List<ElfSegment> sorted, long area) {
        return sorted.isEmpty() ? area : sorted.getLast().range().to();
    }

    private static byte[] content(List<ElfSegment> segments, long from, long to) {
        byte[] content = new byte[(int) (to - from)];
        for (ElfSegment segment : segments) {
            byte[] bytes = segment.bytes();
            System.arraycopy(bytes, 0, content, (int) (segment.address() - from), bytes.length);
        }
        return content;
    }

    /// Without its symbol nothing can call it: the linker dropped it, or it is static.
    private void checkMarked() {
        for (DebugFunction function : debug.functions()) {
            boolean missing =
                    program.symbols()
                            .named(function.name())
                            .filter(symbol -> symbol.kind() == ElfSymbol.Kind.FUNCTION)
                            .isEmpty();
            if (!function.markers().isEmpty() && missing) {
                throw new ElfException(
                        "%s:%d: the marked function %s is missing from the symbol table; it must not be static or stripped"
                                .formatted(
                                        function.place().file(),
                                        function.place().line(),
                                        function.name()));
            }
        }
    }
}
