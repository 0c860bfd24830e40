package dev.outboard.dpa.rv;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;

/// The table `instructions.txt`, as the decoder is made of it and as tests assemble by it.
final class InstructionTable {
    static final InstructionTable TABLE = new InstructionTable();

    /// So many bits of an operand, where they lie in the instruction and in the operand.
    record Run(int inInstruction, int inOperand, int count) {
        int mask() {
            return count == Integer.SIZE ? -1 : (1 << count) - 1;
        }
    }

    /// An immediate operand.
    record Immediate(String name, boolean signed, List<Run> runs) {
        /// How many bits it has, with those at its end that are zero.
        int bits() {
            return runs.stream().mapToInt(run -> run.inOperand + run.count).max().orElseThrow();
        }

        /// The bits of an instruction that has this value there.
        int encode(int value) {
            int bits = 0;
            for (Run run : runs) {
                bits |= ((value >>> run.inOperand) & run.mask()) << run.inInstruction;
            }
            return bits;
        }
    }

    /// Operands by their names (`rd`, `rs1`, `rs2`, `imm`) and how people write them.
    record Shape(String name, Map<String, String> operands, String text) {}

    /// An instruction.
    ///
    /// @param operation what it does; of a long one its own name
    /// @param value its bits without operands
    record Row(
            String extension,
            String name,
            String pattern,
            String shape,
            String operation,
            int value) {
        boolean isReserved() {
            return name.equals("-");
        }

        boolean isLong() {
            return pattern.length() == Integer.SIZE;
        }

        int mask() {
            return bits(pattern.replace('0', '1').replace('.', '0'));
        }

        private static int bits(String digits) {
            return Integer.parseUnsignedInt(digits, 2);
        }
    }

    final SequencedMap<String, Immediate> immediates = new LinkedHashMap<>();
    final SequencedMap<String, Shape> shapes = new LinkedHashMap<>();
    final List<Row> rows = new ArrayList<>();
    private final Map<String, Row> named = new HashMap<>();

    private InstructionTable() {
        try (InputStream in =
                Objects.requireNonNull(getClass().getResourceAsStream("instructions.txt"))) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(this::addLine);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addLine(String line) {
        if (line.isBlank() || line.startsWith("#")) {
            return;
        }
        List<String> words = Arrays.asList(line.split(" +"));
        switch (words.getFirst()) {
            case "immediate" -> addImmediate(words);
            case "form" -> addShape(line);
            default -> addRow(words);
        }
    }

    private void addImmediate(List<String> words) {
        List<Run> runs = new ArrayList<>();
        for (String word : words.subList(3, words.size())) {
            String[] parts = word.split(":", 2);
            int bit = Integer.parseInt(parts[0]);
            for (String range : parts[1].split("\\|")) {
                String[] ends = range.split(":");
                int high = Integer.parseInt(ends[0]);
                int low = Integer.parseInt(ends[ends.length - 1]);
                int count = high - low + 1;
                bit -= count;
                runs.add(new Run(bit + 1, low, count));
            }
        }
        String name = words.get(1);
        immediates.put(name, new Immediate(name, words.get(2).equals("signed"), runs));
    }

    private void addShape(String line) {
        String[] halves = line.split("\\|", 2);
        String[] words = halves[0].split(" +");
        Map<String, String> operands = new LinkedHashMap<>();
        for (String word : Arrays.asList(words).subList(2, words.length)) {
            String[] sides = word.split("=");
            operands.put(sides[0], sides[1]);
        }
        shapes.put(words[1], new Shape(words[1], operands, halves[1].strip()));
    }

    private void addRow(List<String> words) {
        String name = words.get(1);
        boolean reserved = name.equals("-");
        String shape = reserved ? "FIXED" : words.get(3);
        String operation = reserved ? "illegal" : words.size() > 4 ? words.get(4) : name;
        String pattern = words.get(2);
        int value = Row.bits(pattern.replace('.', '0'));
        Row row = new Row(words.get(0), name, pattern, shape, operation, value);
        rows.add(row);
        named.putIfAbsent(name, row);
    }

    Row row(String name) {
        return Objects.requireNonNull(named.get(name), name);
    }

    /// The bits of an instruction with these operands; those that its form does not have do not
    /// matter.
    int encode(Row row, int rd, int rs1, int rs2, int immediate) {
        int bits = row.value();
        for (Map.Entry<String, String> operand : shape(row).operands().entrySet()) {
            String where = operand.getValue();
            bits |=
                    switch (operand.getKey()) {
                        case "rd" -> register(where, rd);
                        case "rs1" -> register(where, rs1);
                        case "rs2" -> register(where, rs2);
                        default -> Objects.requireNonNull(immediates.get(where)).encode(immediate);
                    };
        }
        return bits;
    }

    /// The same of an instruction of that name.
    int encode(String name, int rd, int rs1, int rs2, int immediate) {
        return encode(row(name), rd, rs1, rs2, immediate);
    }

    Shape shape(Row row) {
        return Objects.requireNonNull(shapes.get(row.shape));
    }

    private static int register(String where, int number) {
        return switch (where.charAt(0)) {
            case 'x' -> 0;
            case 'c' -> (number - 8) << Integer.parseInt(where.substring(1));
            default -> number << Integer.parseInt(where);
        };
    }
}
