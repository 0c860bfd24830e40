package dev.outboard.dpacc.processor;

import dev.outboard.dpacc.DpaLayout;
import dev.outboard.dpacc.DpaScalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// The type of an argument or of a component.
sealed interface DeviceType {
    /// As it is written in Java, with its package.
    String javaName();

    int bytes();

    /// What its offset is divisible by.
    int alignment();

    /// A value.
    record Scalar(DpaScalar scalar) implements DeviceType {
        @Override
        public String javaName() {
            return scalar == DpaScalar.ADDRESS
                    ? "dev.outboard.dpacc.DpaAddr"
                    : scalar.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public int bytes() {
            return scalar.bytes();
        }

        @Override
        public int alignment() {
            return scalar.bytes();
        }
    }

    /// A record, or all arguments of a function.
    record Struct(String javaName, List<Member> members, int bytes, int alignment)
            implements DeviceType {
        /// DPA-JK-2: lays the members out in their order, each at its natural alignment.
        static Struct of(String javaName, List<String> names, List<DeviceType> types) {
            List<Member> members = new ArrayList<>();
            int end = 0;
            int alignment = 1;
            for (int i = 0; i < names.size(); i++) {
                DeviceType type = types.get(i);
                int offset = roundUp(end, type.alignment());
                members.add(new Member(names.get(i), type, offset));
                end = offset + type.bytes();
                alignment = Math.max(alignment, type.alignment());
            }
            return new Struct(javaName, members, roundUp(end, alignment), alignment);
        }

        private static int roundUp(int offset, int alignment) {
            return Math.ceilDiv(offset, alignment) * alignment;
        }

        /// All values, those of records inside, too.
        List<DpaLayout.Field> fields() {
            return fields("", 0).toList();
        }

        private Stream<DpaLayout.Field> fields(String prefix, int base) {
            return members.stream()
                    .flatMap(member -> {
                        String name = prefix + member.name();
                        int offset = base + member.offset();
                        return switch (member.type()) {
                            case Scalar scalar ->
                                    Stream.of(new DpaLayout.Field(name, scalar.scalar(), offset));
                            case Struct struct -> struct.fields(name + ".", offset);
                        };
                    });
        }

        /// The records inside, each before those that contain it.
        Stream<Struct> records() {
            return members.stream()
                    .flatMap(member ->
                            member.type() instanceof Struct struct
                                    ? Stream.concat(struct.records(), Stream.of(struct))
                                    : Stream.empty())
                    .distinct();
        }
    }

    /// A part of a record, or an argument.
    record Member(String name, DeviceType type, int offset) {}
}
