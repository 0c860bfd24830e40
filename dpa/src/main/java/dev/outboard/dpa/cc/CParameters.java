package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DebugType;
import dev.outboard.dpa.elf.DebugType.Encoding;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpacc.DpaLayout;
import dev.outboard.dpacc.DpaScalar;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// How the parameters of a C function lie among the bytes that the host passes, and how the
/// function gets them.
///
/// DPA-CC-10: by the calling convention lp64 of RISC-V: words in a0 to a7, what does not fit on the
/// stack; structs of up to 16 bytes as words, larger ones by the address of a copy.
final class CParameters {
    private static final int REGISTERS = 8;
    private static final int WORD = Long.BYTES;
    private static final int STACK_ALIGNMENT = 16;

    private final DpaLayout layout;
    private final int[] offsets;
    private final List<Word> words = new ArrayList<>();
    private final long copiesBytes;
    private final long onStackBytes;

    /// What the function gets, in its order.
    ///
    /// @param offset of its bytes among those that the host passes
    /// @param bytes how many they are; of a copy all of it
    private record Word(int offset, int bytes, Form form) {}

    private enum Form {
        /// With the sign of a number.
        SIGNED,
        /// A number without a sign; one of 32 bits is passed with one all the same.
        UNSIGNED,
        /// The address of a copy.
        COPY
    }

    CParameters(List<DebugFunction.Parameter> parameters) {
        List<DpaLayout.Field> fields = new ArrayList<>();
        int end = 0;
        int most = 1;
        int count = 0;
        offsets = new int[parameters.size()];
        for (DebugFunction.Parameter parameter : parameters) {
            DebugType type = parameter.type().plain();
            int alignment = alignment(type);
            end = Math.ceilDiv(end, alignment) * alignment;
            most = Math.max(most, alignment);
            offsets[count++] = end;
            addFields(fields, parameter.name(), type, end);
            addWords(type, end);
            end += (int) type.sizeBytes();
        }
        copiesBytes =
                words.stream()
                        .filter(word -> word.form == Form.COPY)
                        .mapToLong(word -> aligned(word.bytes + STACK_ALIGNMENT - 1))
                        .sum();
        onStackBytes = Math.max(0, words.size() - REGISTERS) * (long) WORD;
        layout = new DpaLayout(Math.ceilDiv(end, most) * most, fields);
    }

    /// Where the values lie among the bytes that the host passes.
    DpaLayout layout() {
        return layout;
    }

    /// Where a parameter begins there.
    int offset(int parameter) {
        return offsets[parameter];
    }

    private void addWords(DebugType type, int offset) {
        int bytes = (int) type.sizeBytes();
        if (!(type instanceof DebugType.Composite)) {
            words.add(new Word(offset, bytes, isSigned(type) ? Form.SIGNED : Form.UNSIGNED));
        } else if (bytes > 2 * WORD) {
            words.add(new Word(offset, bytes, Form.COPY));
        } else {
            for (int at = 0; at < bytes; at += WORD) {
                words.add(new Word(offset + at, Math.min(WORD, bytes - at), Form.UNSIGNED));
            }
        }
    }

    private static boolean isSigned(DebugType type) {
        return switch (type) {
            case DebugType.Base base -> base.encoding() == Encoding.SIGNED;
            case DebugType.Enumeration enumeration -> enumeration.isSigned();
            default -> false;
        };
    }

    private static int alignment(DebugType type) {
        return switch (type) {
            case DebugType.Composite composite ->
                    composite.members().stream()
                            .mapToInt(member -> alignment(member.type().plain()))
                            .max()
                            .orElse(1);
            case DebugType.Array array -> alignment(array.element().plain());
            default -> (int) type.sizeBytes();
        };
    }

    private static void addFields(
            List<DpaLayout.Field> fields, String name, DebugType type, int offset) {
        switch (type) {
            case DebugType.Composite composite ->
                    composite
                            .members()
                            .forEach(member ->
                                    addFields(
                                            fields,
                                            name + "." + member.name(),
                                            member.type().plain(),
                                            offset + (int) member.offsetBytes()));
            case DebugType.Array array -> {
                DebugType element = array.element().plain();
                for (int i = 0; i < array.count(); i++) {
                    int at = offset + i * (int) element.sizeBytes();
                    addFields(fields, "%s[%d]".formatted(name, i), element, at);
                }
            }
            default -> fields.add(new DpaLayout.Field(name, scalar(type), offset));
        }
    }

    private static DpaScalar scalar(DebugType type) {
        if (type instanceof DebugType.Pointer) {
            return DpaScalar.ADDRESS;
        }
        if (type instanceof DebugType.Base base && base.encoding() == Encoding.BOOLEAN) {
            return DpaScalar.BOOLEAN;
        }
        return switch ((int) type.sizeBytes()) {
            case 1 -> DpaScalar.BYTE;
            case 2 -> DpaScalar.SHORT;
            case 4 -> DpaScalar.INT;
            default -> DpaScalar.LONG;
        };
    }

    /// Gives a function its arguments.
    ///
    /// @param arguments as the host has passed them
    /// @param hart gets a0 to a7 and the stack pointer
    /// @param stack where the stack of the thread ends
    void pass(ByteBuffer arguments, RvHart hart, long stack, MemoryAccess memory) {
        long copy = stack;
        long lowest = stack - copiesBytes - aligned(onStackBytes + STACK_ALIGNMENT - 1);
        for (int i = 0; i < words.size(); i++) {
            Word word = words.get(i);
            long value;
            if (word.form == Form.COPY) {
                copy = aligned(copy - word.bytes);
                copy(arguments, word, copy, memory);
                value = copy;
            } else {
                value = value(arguments, word);
            }
            if (i < REGISTERS) {
                hart.register(RvHart.FIRST_ARGUMENT + i, value);
            } else {
                memory.store64(lowest + (long) (i - REGISTERS) * WORD, value);
            }
        }
        hart.register(RvHart.STACK_POINTER, lowest);
    }

    private static long aligned(long address) {
        return address & -STACK_ALIGNMENT;
    }

    private static void copy(ByteBuffer arguments, Word word, long to, MemoryAccess memory) {
        for (int i = 0; i < word.bytes; i++) {
            memory.store8(to + i, arguments.get(word.offset + i));
        }
    }

    private static long value(ByteBuffer arguments, Word word) {
        long value = 0;
        for (int i = word.bytes - 1; i >= 0; i--) {
            value = value << Byte.SIZE | (arguments.get(word.offset + i) & 0xFF);
        }
        boolean isExtended = word.form == Form.SIGNED || word.bytes == Integer.BYTES;
        int unused = Long.SIZE - word.bytes * Byte.SIZE;
        return isExtended ? value << unused >> unused : value;
    }
}
