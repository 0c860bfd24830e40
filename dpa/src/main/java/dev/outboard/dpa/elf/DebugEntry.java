package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.Abbreviations.Attribute;
import dev.outboard.dpa.machine.CodePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An entry of `.debug_info`: its kind, the attributes that are read, and the entries below it.
final class DebugEntry {
    private static final int MOST_ORIGINS = 8;
    private static final long MOST_SIZE = 1L << 40;

    /// An attribute as it is written; some are offsets or indices in other sections.
    private record Value(int name, int form, long raw) {}

    private final DebugUnit unit;
    private final int offset;
    private final int tag;
    private final List<Value> values = new ArrayList<>();
    private final List<DebugEntry> children = new ArrayList<>();

    /// Reads an entry behind its code.
    DebugEntry(DebugUnit unit, int offset, Abbreviations.Shape shape, ByteCursor cursor) {
        this.unit = unit;
        this.offset = offset;
        tag = shape.tag();
        for (Attribute attribute : shape.attributes()) {
            int form = attribute.form();
            long raw = Form.read(cursor, form, attribute.implicit());
            if (Tag.isRead(attribute.name()) && value(attribute.name()) == null) {
                values.add(new Value(attribute.name(), form, raw));
            }
        }
    }

    int offset() {
        return offset;
    }

    int tag() {
        return tag;
    }

    DebugUnit unit() {
        return unit;
    }

    /// In their order; the reader adds them.
    List<DebugEntry> children() {
        return children;
    }

    boolean has(int attribute) {
        return value(attribute) != null;
    }

    /// The number; `otherwise` if there is none, or one that is only known when the program runs.
    long number(int attribute, long otherwise) {
        Value value = value(attribute);
        return value == null || !Form.isNumber(value.form) ? otherwise : value.raw;
    }

    /// A number that is a size or an offset in memory; 0 if there is none.
    long size(int attribute) {
        long size = number(attribute, 0);
        if (size < 0 || size > MOST_SIZE) {
            throw error("0x%x bytes or elements are larger than memory".formatted(size));
        }
        return size;
    }

    /// The text; empty if there is none.
    String text(int attribute) {
        Value value = value(attribute);
        return value == null ? "" : unit.text(value.form, value.raw, this);
    }

    Optional<DebugEntry> reference(int attribute) {
        Value value = value(attribute);
        return value == null
                ? Optional.empty()
                : Optional.of(unit.entry(value.form, value.raw, this));
    }

    /// The entry that describes the same thing in general: this one if there is no other.
    DebugEntry origin() {
        DebugEntry entry = this;
        for (int i = 0; i < MOST_ORIGINS; i++) {
            int link = entry.has(Tag.ORIGIN) ? Tag.ORIGIN : Tag.SPECIFICATION;
            Optional<DebugEntry> next = entry.reference(link);
            if (next.isEmpty()) {
                return entry;
            }
            entry = next.get();
        }
        throw error("has more than %d origins".formatted(MOST_ORIGINS));
    }

    /// Where its code lies, without what the linker dropped.
    List<AddressRange> code() {
        Value ranges = value(Tag.RANGES);
        if (ranges != null) {
            return unit.ranges(ranges.form, ranges.raw, this);
        }
        Value low = value(Tag.LOW_PC);
        Value high = value(Tag.HIGH_PC);
        if (low == null || high == null) {
            return List.of();
        }
        long from = unit.address(low.form, low.raw, this);
        long to =
                Form.isNumber(high.form)
                        ? from + high.raw
                        : unit.address(high.form, high.raw, this);
        return unit.kept(from, to, this);
    }

    /// Where its unit begins in memory, for ranges that count from there.
    long lowAddress() {
        Value low = value(Tag.LOW_PC);
        return low == null ? 0 : unit.address(low.form, low.raw, this);
    }

    /// Where it is declared; the function is its name.
    CodePlace place() {
        return new CodePlace(file(Tag.FILE), count(Tag.LINE), 0, text(Tag.NAME));
    }

    /// Where what is inlined is called; without the function.
    CodePlace call() {
        return new CodePlace(file(Tag.CALL_FILE), count(Tag.CALL_LINE), count(Tag.CALL_COLUMN), "");
    }

    private String file(int attribute) {
        return has(attribute) ? unit.file(number(attribute, 0), this) : "";
    }

    private int count(int attribute) {
        long count = number(attribute, 0);
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw error("line or column %d does not exist".formatted(count));
        }
        return (int) count;
    }

    ElfException error(String problem) {
        return unit.error(offset, problem);
    }

    private @Nullable Value value(int attribute) {
        for (Value value : values) {
            if (value.name == attribute) {
                return value;
            }
        }
        return null;
    }
}
