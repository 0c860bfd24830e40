package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.DebugType.Constant;
import dev.outboard.dpa.elf.DebugType.Encoding;
import dev.outboard.dpa.elf.DebugType.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Makes types of entries, each once.
final class TypeReader {
    /// How many types may be inside each other.
    private static final int MOST_DEPTH = 64;

    private static final int MOST_DIMENSIONS = 16;
    private static final String MARKER = "btf_decl_tag";
    private static final DebugType NOTHING = new DebugType.Nothing();
    private static final int MOST_BITS = 128;

    /// A pointer whose target is not known yet.
    private record Waiting(DebugType.Pointer pointer, DebugEntry entry) {}

    private final Map<DebugEntry, DebugType> known = new HashMap<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private int depth;

    /// All types among the entries, and what they point to.
    List<DebugType> readAll(List<DebugEntry> entries) {
        List<DebugType> types = new ArrayList<>();
        for (DebugEntry entry : entries) {
            if (Tag.isType(entry.tag())) {
                types.add(read(entry));
            }
        }
        while (!waiting.isEmpty()) {
            Waiting next = waiting.pop();
            next.pointer.point(typeOf(next.entry));
        }
        known.forEach(TypeReader::checkName);
        return types;
    }

    /// The type of a thing; [DebugType.Nothing] if it has none.
    DebugType typeOf(DebugEntry entry) {
        return entry.reference(Tag.TYPE).map(this::read).orElse(NOTHING);
    }

    static Set<String> markers(DebugEntry entry) {
        Set<String> markers = new LinkedHashSet<>();
        for (DebugEntry child : entry.children()) {
            if (child.tag() == Tag.ANNOTATION && child.text(Tag.NAME).equals(MARKER)) {
                markers.add(child.text(Tag.CONST_VALUE));
            }
        }
        return Set.copyOf(markers);
    }

    private DebugType read(DebugEntry entry) {
        DebugType type = known.get(entry);
        if (type == null) {
            if (++depth > MOST_DEPTH) {
                throw entry.error(
                        "the type contains itself, or more than %d others in each other"
                                .formatted(MOST_DEPTH));
            }
            type = make(entry);
            depth--;
            known.put(entry, type);
        }
        return type;
    }

    private DebugType make(DebugEntry entry) {
        return switch (entry.tag()) {
            case Tag.BASE -> base(entry);
            case Tag.POINTER -> pointer(entry);
            case Tag.ENUMERATION -> enumeration(entry);
            case Tag.TYPEDEF -> new DebugType.Typedef(entry.place(), typeOf(entry), markers(entry));
            case Tag.STRUCT, Tag.UNION -> composite(entry);
            case Tag.ARRAY -> array(entry);
            case Tag.CONST -> new DebugType.Qualified("const", typeOf(entry));
            case Tag.VOLATILE -> new DebugType.Qualified("volatile", typeOf(entry));
            case Tag.RESTRICT -> new DebugType.Qualified("restrict", typeOf(entry));
            case Tag.ATOMIC -> new DebugType.Qualified("_Atomic", typeOf(entry));
            case Tag.FUNCTION_TYPE -> new DebugType.Code();
            case Tag.UNSPECIFIED -> NOTHING;
            default ->
                    throw entry.error(
                            "an entry of kind 0x%x is no type of C".formatted(entry.tag()));
        };
    }

    private static DebugType base(DebugEntry entry) {
        Encoding encoding =
                switch ((int) entry.number(Tag.ENCODING, 0)) {
                    case 2 -> Encoding.BOOLEAN;
                    case 4 -> Encoding.FLOAT;
                    case 5, 6 -> Encoding.SIGNED;
                    case 7, 8, 0x10 -> Encoding.UNSIGNED;
                    default -> Encoding.OTHER;
                };
        return new DebugType.Base(entry.text(Tag.NAME), entry.size(Tag.BYTE_SIZE), encoding);
    }

    /// What it points to may contain the pointer, and is read later.
    private DebugType pointer(DebugEntry entry) {
        DebugType.Pointer pointer = new DebugType.Pointer();
        if (entry.has(Tag.TYPE)) {
            waiting.push(new Waiting(pointer, entry));
        }
        return pointer;
    }

    private DebugType enumeration(DebugEntry entry) {
        List<Constant> constants = new ArrayList<>();
        boolean isSigned = false;
        for (DebugEntry child : entry.children()) {
            if (child.tag() == Tag.ENUMERATOR) {
                long value = child.number(Tag.CONST_VALUE, 0);
                isSigned |= value < 0;
                constants.add(new Constant(child.text(Tag.NAME), value));
            }
        }
        if (typeOf(entry).plain() instanceof DebugType.Base base) {
            isSigned = base.encoding() == Encoding.SIGNED;
        }
        return new DebugType.Enumeration(
                entry.text(Tag.NAME), entry.size(Tag.BYTE_SIZE), isSigned, List.copyOf(constants));
    }

    private DebugType composite(DebugEntry entry) {
        List<Member> members = new ArrayList<>();
        for (DebugEntry child : entry.children()) {
            if (child.tag() == Tag.MEMBER) {
                members.add(member(child, entry));
            }
        }
        return new DebugType.Composite(
                entry.place(),
                entry.tag() == Tag.UNION,
                !entry.has(Tag.DECLARATION),
                entry.size(Tag.BYTE_SIZE),
                List.copyOf(members),
                markers(entry));
    }

    private Member member(DebugEntry entry, DebugEntry composite) {
        DebugType type = typeOf(entry);
        if (entry.has(Tag.MEMBER_LOCATION) && entry.number(Tag.MEMBER_LOCATION, -1) < 0) {
            throw entry.error("the offset of a member is no number");
        }
        long offset = entry.size(Tag.MEMBER_LOCATION);
        long bits = entry.size(Tag.BIT_SIZE);
        long firstBit = 8 * offset;
        if (bits > 0) {
            firstBit += firstBit(entry, type, bits);
        }
        if (bits > MOST_BITS || firstBit < 0 || firstBit > 8 * composite.size(Tag.BYTE_SIZE)) {
            throw entry.error(
                    "the member %s, %d bits from bit %d on, lies outside of the type"
                            .formatted(entry.text(Tag.NAME), bits, firstBit));
        }
        return new Member(
                entry.text(Tag.NAME), type, firstBit / 8, (int) (firstBit % 8), (int) bits);
    }

    /// Old entries count bits from the highest one of a word of the declared type.
    private static long firstBit(DebugEntry entry, DebugType type, long bits) {
        if (!entry.has(Tag.BIT_OFFSET)) {
            return entry.size(Tag.DATA_BIT_OFFSET);
        }
        long wordBytes = entry.has(Tag.BYTE_SIZE) ? entry.size(Tag.BYTE_SIZE) : type.sizeBytes();
        return 8 * wordBytes - entry.size(Tag.BIT_OFFSET) - bits;
    }

    private DebugType array(DebugEntry entry) {
        List<DebugEntry> dimensions =
                entry.children().stream().filter(child -> child.tag() == Tag.SUBRANGE).toList();
        if (dimensions.size() > MOST_DIMENSIONS) {
            throw entry.error(
                    "an array of %d dimensions; it may have %d"
                            .formatted(dimensions.size(), MOST_DIMENSIONS));
        }
        DebugType type = typeOf(entry);
        for (DebugEntry dimension : dimensions.reversed()) {
            long count = count(dimension);
            long bytes = type.sizeBytes();
            if (Math.multiplyHigh(count, bytes) != 0 || count * bytes < 0) {
                throw entry.error("%d elements of %d bytes".formatted(count, bytes));
            }
            type = new DebugType.Array(type, count, count * bytes);
        }
        return type;
    }

    private static long count(DebugEntry dimension) {
        if (dimension.has(Tag.COUNT)) {
            return dimension.size(Tag.COUNT);
        }
        return dimension.number(Tag.UPPER_BOUND, -1) < 0 ? 0 : dimension.size(Tag.UPPER_BOUND) + 1;
    }

    /// A name is made of those of the types that it points to.
    private static void checkName(DebugEntry entry, DebugType type) {
        DebugType inner = type;
        for (int i = 0; i < MOST_DEPTH; i++) {
            if (inner instanceof DebugType.Pointer pointer) {
                inner = pointer.target();
            } else if (inner instanceof DebugType.Qualified qualified) {
                inner = qualified.target();
            } else if (inner instanceof DebugType.Array array) {
                inner = array.element();
            } else {
                return;
            }
        }
        throw entry.error("points to itself, or more than %d times".formatted(MOST_DEPTH));
    }
}
