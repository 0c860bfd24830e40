package dev.outboard.dpa.rv;

import dev.outboard.dpa.rv.InstructionTable.Immediate;
import dev.outboard.dpa.rv.InstructionTable.Row;
import dev.outboard.dpa.rv.InstructionTable.Run;
import dev.outboard.dpa.rv.InstructionTable.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Makes the decoder of the table. Its lines are broken by the formatter of the build.
final class DecoderSource {
    private static final String HEAD =
            "package dev.outboard.dpa.rv;\n\n// Made of instructions.txt by DecodingTest.\n\n";

    private DecoderSource() {}

    private static String constant(String name) {
        return name.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /// The numbers of operations.
    static String operation() {
        StringBuilder text = new StringBuilder(HEAD);
        text.append("/// What an instruction does, as a number for the interpreter.\n");
        text.append("final class Operation {\nstatic final int ILLEGAL = 0;\n");
        text.append("static final int TRUNCATED = 1;\n");
        int number = 2;
        for (Row row : InstructionTable.TABLE.rows) {
            if (row.operation().equals(row.name())) {
                text.append("static final int %s = %d;\n".formatted(constant(row.name()), number));
                number++;
            }
        }
        return text.append("\nprivate Operation() {}\n}\n").toString();
    }

    /// The instructions by their bits.
    static String encoding() {
        List<String> constants = new ArrayList<>();
        constants.add("ILLEGAL(\"\", 0, 0, Operation.ILLEGAL, Form.FIXED)");
        for (Row row : InstructionTable.TABLE.rows) {
            constants.add(
                    "%s(\"%s\", 0x%x, 0x%x, Operation.%s, Form.%s)"
                            .formatted(
                                    row.isReserved()
                                            ? "RESERVED_" + constants.size()
                                            : constant(row.name()),
                                    row.isReserved() ? "" : row.name(),
                                    row.mask(),
                                    row.value(),
                                    constant(row.operation()),
                                    row.shape()));
        }
        return HEAD
                + """
                import java.util.ArrayList;
                import java.util.Collections;
                import java.util.List;

                /// The instructions by their bits. The first that fits holds.
                enum Encoding {
                %s;

                private static final List<List<Encoding>> BY_OPCODE =
                        new ArrayList<>(Collections.nCopies(256, List.of()));

                static {
                    for (Encoding encoding : values()) {
                        if (encoding != ILLEGAL) {
                            List<Encoding> same =
                                    new ArrayList<>(BY_OPCODE.get(opcode(encoding.value)));
                            same.add(encoding);
                            BY_OPCODE.set(opcode(encoding.value), List.copyOf(same));
                        }
                    }
                }

                final String mnemonic;
                private final int mask;
                private final int value;
                final int operation;
                final Form form;

                Encoding(String mnemonic, int mask, int value, int operation, Form form) {
                    this.mnemonic = mnemonic;
                    this.mask = mask;
                    this.value = value;
                    this.operation = operation;
                    this.form = form;
                }

                /// The instruction that has these bits; of a short one the upper ones are 0.
                static Encoding of(int bits) {
                    for (Encoding encoding : BY_OPCODE.get(opcode(bits))) {
                        if ((bits & encoding.mask) == encoding.value) {
                            return encoding;
                        }
                    }
                    return ILLEGAL;
                }

                /// Of a long instruction its low seven bits; of a short one its low two and its
                /// high three.
                private static int opcode(int bits) {
                    return (bits & 3) == 3
                            ? bits & 0x7f
                            : 0x80 | ((bits >>> 11) & 0x1c) | (bits & 3);
                }
                }
                """
                        .formatted(String.join(",\n", constants));
    }

    /// Where operands are.
    static String form() {
        StringBuilder text = new StringBuilder(HEAD);
        text.append("/// Where an instruction has its operands, and how people write them.\n");
        text.append("enum Form {\n");
        text.append(
                InstructionTable.TABLE.shapes.values().stream()
                        .map(shape -> "%s(\"%s\")".formatted(shape.name(), shape.text()))
                        .collect(Collectors.joining(",\n")));
        text.append(
                """
                ;

                final String text;

                Form(String text) {
                    this.text = text;
                }

                /// The operands of an instruction.
                long operands(int bits) {
                    return switch (this) {
                """);
        for (Shape shape : InstructionTable.TABLE.shapes.values()) {
            text.append(
                    "case %s -> Decoded.operands(%s, %s, %s, %s);\n"
                            .formatted(
                                    shape.name(),
                                    register(shape, "rd"),
                                    register(shape, "rs1"),
                                    register(shape, "rs2"),
                                    immediate(shape)));
        }
        text.append(
                """
                    };
                }

                private static int five(int bits, int lowest) {
                    return (bits >>> lowest) & 31;
                }

                private static int three(int bits, int lowest) {
                    return 8 + ((bits >>> lowest) & 7);
                }
                """);
        InstructionTable.TABLE.immediates.values().forEach(one -> text.append(function(one)));
        return text.append("}\n").toString();
    }

    private static String register(Shape shape, String operand) {
        String where = shape.operands().getOrDefault(operand, "x0");
        return switch (where.charAt(0)) {
            case 'x' -> where.substring(1);
            case 'c' -> "three(bits, %s)".formatted(where.substring(1));
            default -> "five(bits, %s)".formatted(where);
        };
    }

    private static String immediate(Shape shape) {
        String name = shape.operands().getOrDefault("imm", "");
        return name.isEmpty() ? "0" : function(name) + "(bits)";
    }

    private static String function(String immediate) {
        return "immediate"
                + immediate.substring(0, 1).toUpperCase(Locale.ROOT)
                + immediate.substring(1);
    }

    private static String function(Immediate immediate) {
        String value =
                immediate.runs().stream()
                        .map(DecoderSource::bits)
                        .collect(Collectors.joining(" | "));
        boolean isAlone = immediate.runs().size() == 1;
        int unused = Integer.SIZE - immediate.bits();
        String operand = isAlone ? value : "(" + value + ")";
        String signed =
                immediate.signed() && unused > 0
                        ? "(%s << %d) >> %d".formatted(operand, unused, unused)
                        : isAlone ? value.substring(1, value.length() - 1) : value;
        return "\nprivate static int %s(int bits) { return %s; }\n"
                .formatted(function(immediate.name()), signed);
    }

    private static String bits(Run run) {
        String field = "((bits >>> %d) & 0x%x)".formatted(run.inInstruction(), run.mask());
        return run.inOperand() == 0 ? field : "(%s << %d)".formatted(field, run.inOperand());
    }
}
