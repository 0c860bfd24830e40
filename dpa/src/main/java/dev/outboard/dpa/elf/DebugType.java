package dev.outboard.dpa.elf;

import dev.outboard.dpa.machine.CodePlace;
import java.util.List;
import java.util.Set;

/// A type of a C program, as its compiler laid it out.
public sealed interface DebugType {

    /// How C spells it, as in `const struct job *`. Empty for what has no name.
    String name();

    /// What `sizeof` gives; 0 for what has no size.
    long sizeBytes();

    /// The markers (declaration tags) on it, as in `dpa_global`.
    default Set<String> markers() {
        return Set.of();
    }

    /// The type below its typedefs, `const` and `volatile`.
    default DebugType plain() {
        return this;
    }

    /// How a number is stored.
    enum Encoding {
        /// With a sign.
        SIGNED,
        /// Without a sign.
        UNSIGNED,
        /// 0 or 1.
        BOOLEAN,
        /// Floating point.
        FLOAT,
        /// Something else, as complex numbers.
        OTHER
    }

    /// No type: what a `void` function returns, and what a `void *` points to.
    record Nothing() implements DebugType {
        @Override
        public String name() {
            return "void";
        }

        @Override
        public long sizeBytes() {
            return 0;
        }
    }

    /// A number.
    ///
    /// @param name as in `unsigned long`
    /// @param sizeBytes its size
    /// @param encoding how it is stored
    record Base(String name, long sizeBytes, Encoding encoding) implements DebugType {}

    /// A pointer.
    final class Pointer implements DebugType {
        private static final long BYTES = 8;

        private DebugType target = new Nothing();

        Pointer() {}

        /// Types may point to themselves, so that the target is known later; set once, by the
        /// reader.
        void point(DebugType type) {
            target = type;
        }

        /// What it points to.
        public DebugType target() {
            return target;
        }

        @Override
        public String name() {
            String name = target.name();
            return name.endsWith("*") ? name + "*" : name + " *";
        }

        @Override
        public long sizeBytes() {
            return BYTES;
        }

        @Override
        public String toString() {
            return name();
        }
    }

    /// An enumeration.
    ///
    /// @param tag its name without `enum`; empty if it has none
    /// @param sizeBytes its size
    /// @param isSigned whether its values have a sign
    /// @param constants its values, in their order
    record Enumeration(String tag, long sizeBytes, boolean isSigned, List<Constant> constants)
            implements DebugType {
        @Override
        public String name() {
            return tag.isEmpty() ? "enum" : "enum " + tag;
        }
    }

    /// A value of an enumeration.
    ///
    /// @param name its name
    /// @param value its number
    record Constant(String name, long value) {}

    /// Another name of a type.
    ///
    /// @param place where it is declared; its function is the name
    /// @param target what it stands for
    /// @param markers the markers on it; those of the target are not among them
    record Typedef(CodePlace place, DebugType target, Set<String> markers) implements DebugType {
        @Override
        public String name() {
            return place.function();
        }

        @Override
        public long sizeBytes() {
            return target.sizeBytes();
        }

        @Override
        public DebugType plain() {
            return target.plain();
        }
    }

    /// A type that must not be written, or not be kept in a register.
    ///
    /// @param qualifier as in `const`
    /// @param target what it qualifies
    record Qualified(String qualifier, DebugType target) implements DebugType {
        @Override
        public String name() {
            return target.plain() instanceof Pointer && !(target instanceof Typedef)
                    ? target.name() + " " + qualifier
                    : qualifier + " " + target.name();
        }

        @Override
        public long sizeBytes() {
            return target.sizeBytes();
        }

        @Override
        public DebugType plain() {
            return target.plain();
        }
    }

    /// A struct or union.
    ///
    /// @param place where it is declared; its function is the tag, which is empty if it has none
    /// @param isUnion whether all members begin at 0
    /// @param isComplete whether its members are known
    /// @param sizeBytes its size
    /// @param members its members, in their order
    /// @param markers the markers on it
    record Composite(
            CodePlace place,
            boolean isUnion,
            boolean isComplete,
            long sizeBytes,
            List<Member> members,
            Set<String> markers)
            implements DebugType {
        @Override
        public String name() {
            String keyword = isUnion ? "union" : "struct";
            return place.function().isEmpty() ? keyword : keyword + " " + place.function();
        }

        /// Its members could be many, and have members.
        @Override
        public String toString() {
            return name();
        }
    }

    /// A member of a struct or union.
    ///
    /// @param name its name; empty for a struct or union inside that has none
    /// @param type its type
    /// @param offsetBytes where its first byte lies
    /// @param firstBit for a bit-field, its lowest bit in that byte
    /// @param bits how many bits a bit-field has; 0 for what is none
    record Member(String name, DebugType type, long offsetBytes, int firstBit, int bits) {}

    /// An array.
    ///
    /// @param element the type of its elements
    /// @param count how many it has; 0 if that is not known, as for a flexible array member
    /// @param sizeBytes its size
    record Array(DebugType element, long count, long sizeBytes) implements DebugType {
        @Override
        public String name() {
            StringBuilder dimensions = new StringBuilder();
            DebugType inner = this;
            while (inner instanceof Array array) {
                dimensions.append(array.count == 0 ? "[]" : "[" + array.count + "]");
                inner = array.element;
            }
            return inner.name() + dimensions;
        }
    }

    /// A function that is pointed to; nothing else is known of it.
    record Code() implements DebugType {
        @Override
        public String name() {
            return "function";
        }

        @Override
        public long sizeBytes() {
            return 0;
        }
    }
}
