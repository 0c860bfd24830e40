package dev.outboard.dpa.elf;

import java.util.ArrayList;
import java.util.List;

/// Reads where the code of an entry lies, if that is in several places.
final class RangeLists {
    private static final int ENTRY_COST = 16;
    private static final int END = 0;
    private static final int BASE_INDEX = 1;
    private static final int INDEX_INDEX = 2;
    private static final int INDEX_LENGTH = 3;
    private static final int OFFSETS = 4;
    private static final int BASE = 5;
    private static final int ADDRESSES = 6;
    private static final int ADDRESS_LENGTH = 7;

    private final DebugSections sections;
    private final DebugUnit unit;
    private final DebugEntry entry;
    private final List<AddressRange> found = new ArrayList<>();

    RangeLists(DebugSections sections, DebugUnit unit, DebugEntry entry) {
        this.sections = sections;
        this.unit = unit;
        this.entry = entry;
    }

    List<AddressRange> version4(long offset, long lowAddress) {
        ByteCursor list = sections.ranges().at(offset);
        long base = lowAddress;
        while (true) {
            sections.budget().spend(ENTRY_COST, list);
            long from = list.u64();
            long to = list.u64();
            if (from == 0 && to == 0) {
                return found;
            } else if (from == -1) {
                base = to;
            } else {
                add(base + from, base + to);
            }
        }
    }

    List<AddressRange> version5(long offset, long lowAddress) {
        ByteCursor list = sections.rangeLists().at(offset);
        long base = lowAddress;
        while (true) {
            sections.budget().spend(ENTRY_COST, list);
            int kind = list.u8();
            switch (kind) {
                case END -> {
                    return found;
                }
                case BASE_INDEX -> base = indexed(list);
                case BASE -> base = list.u64();
                case OFFSETS -> add(base + list.unsigned(), base + list.unsigned());
                case INDEX_INDEX -> add(indexed(list), indexed(list));
                case ADDRESSES -> add(list.u64(), list.u64());
                case INDEX_LENGTH -> addLength(indexed(list), list.unsigned());
                case ADDRESS_LENGTH -> addLength(list.u64(), list.unsigned());
                default -> throw list.error("kind %d of a range, not 0 to 7".formatted(kind));
            }
        }
    }

    private long indexed(ByteCursor list) {
        return unit.address(list.unsigned(), entry);
    }

    private void addLength(long from, long length) {
        add(from, from + length);
    }

    private void add(long from, long to) {
        found.addAll(unit.kept(from, to, entry));
    }
}
