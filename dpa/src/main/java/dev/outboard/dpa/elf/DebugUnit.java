package dev.outboard.dpa.elf;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/// A unit of `.debug_info`: what one source file was compiled to.
final class DebugUnit {
    private static final int INDEX_BYTES = 4;
    private static final int ADDRESS_BYTES = 8;
    private static final int ENTRY_COST = 16;
    private static final int ATTRIBUTE_COST = 4;

    private final DebugSections sections;
    private final int start;
    private final int version;
    private final List<DebugEntry> entries = new ArrayList<>();

    /// Reads all entries.
    ///
    /// @param start where its header begins
    /// @param cursor at its first entry, up to its end
    DebugUnit(
            DebugSections sections,
            int start,
            int version,
            Map<Long, Abbreviations.Shape> shapes,
            ByteCursor cursor) {
        this.sections = sections;
        this.start = start;
        this.version = version;
        Deque<DebugEntry> parents = new ArrayDeque<>();
        while (cursor.remaining() > 0) {
            int offset = cursor.position();
            long code = cursor.unsigned();
            if (code == 0) {
                parents.poll();
            } else {
                Abbreviations.Shape shape = shapes.get(code);
                if (shape == null) {
                    throw error(offset, "abbreviation %d does not exist".formatted(code));
                }
                int attributes = shape.attributes().size();
                sections.budget().spend(ENTRY_COST + (long) ATTRIBUTE_COST * attributes, cursor);
                add(new DebugEntry(this, offset, shape, cursor), parents);
                if (shape.hasChildren()) {
                    parents.push(entries.getLast());
                }
            }
        }
    }

    private void add(DebugEntry entry, Deque<DebugEntry> parents) {
        entries.add(entry);
        sections.entries().put((long) entry.offset(), entry);
        if (!parents.isEmpty()) {
            parents.peek().children().add(entry);
        }
    }

    /// All entries, each before those below it.
    List<DebugEntry> entries() {
        return entries;
    }

    String text(int form, long raw, DebugEntry entry) {
        if (Form.isTextIndex(form)) {
            long base = root().number(Tag.TEXT_OFFSETS_BASE, ADDRESS_BYTES);
            ByteCursor offsets = sections.textOffsets();
            offsets.seek(indexed(base, raw, INDEX_BYTES, entry));
            return sections.texts().at(offsets.u32());
        }
        return switch (form) {
            case Form.STRP -> sections.texts().at(raw);
            case Form.LINE_STRP -> sections.lineTexts().at(raw);
            case Form.STRING -> sections.infoTexts().at(raw);
            default -> throw entry.error("form 0x%x is not one of a text".formatted(form));
        };
    }

    long address(int form, long raw, DebugEntry entry) {
        if (Form.isAddressIndex(form)) {
            return address(raw, entry);
        }
        if (form != Form.ADDR) {
            throw entry.error("form 0x%x is not one of an address".formatted(form));
        }
        return raw;
    }

    /// The address with that index.
    long address(long index, DebugEntry entry) {
        ByteCursor addresses = sections.addresses();
        addresses.seek(
                indexed(
                        root().number(Tag.ADDRESS_BASE, ADDRESS_BYTES),
                        index,
                        ADDRESS_BYTES,
                        entry));
        return addresses.u64();
    }

    DebugEntry entry(int form, long raw, DebugEntry from) {
        long offset =
                switch (form) {
                    case Form.REF_ADDR -> raw;
                    case Form.REF1, Form.REF2, Form.REF4, Form.REF8, Form.REF_UDATA -> start + raw;
                    default ->
                            throw from.error("form 0x%x is not one of a reference".formatted(form));
                };
        DebugEntry entry = sections.entries().get(offset);
        if (entry == null) {
            throw from.error("refers to 0x%x, where no entry begins".formatted(offset));
        }
        return entry;
    }

    List<AddressRange> ranges(int form, long raw, DebugEntry entry) {
        RangeLists lists = new RangeLists(sections, this, entry);
        if (version == Dwarf.VERSION_4) {
            return lists.version4(raw, root().lowAddress());
        }
        long offset = raw;
        if (form == Form.RNGLISTX) {
            long base = root().number(Tag.RANGE_LISTS_BASE, 0);
            ByteCursor offsets = sections.rangeLists();
            offsets.seek(indexed(base, raw, INDEX_BYTES, entry));
            offset = base + offsets.u32();
        }
        return lists.version5(offset, root().lowAddress());
    }

    /// The range if it has code that the linker did not drop.
    List<AddressRange> kept(long from, long to, DebugEntry entry) {
        if (sections.code().stream().noneMatch(range -> range.contains(from))) {
            return List.of();
        }
        if (Long.compareUnsigned(from, to) > 0) {
            throw entry.error("its code begins at 0x%x and ends at 0x%x".formatted(from, to));
        }
        return from == to ? List.of() : List.of(new AddressRange(from, to));
    }

    String file(long index, DebugEntry entry) {
        long offset = root().number(Tag.LINES, -1);
        if (offset < 0) {
            throw entry.error("its unit has no files");
        }
        List<String> files = sections.lines().files(offset);
        if (index < 0 || index >= files.size()) {
            throw entry.error(
                    "file %d does not exist; there are %d".formatted(index, files.size()));
        }
        return files.get((int) index);
    }

    ElfException error(int offset, String problem) {
        return sections.info().error(offset, problem);
    }

    private DebugEntry root() {
        return entries.getFirst();
    }

    private static long indexed(long base, long index, int bytes, DebugEntry entry) {
        if (base < 0 || index < 0 || index > Integer.MAX_VALUE) {
            throw entry.error(
                    "index %s counted from 0x%x does not exist"
                            .formatted(Long.toUnsignedString(index), base));
        }
        return base + index * bytes;
    }
}
