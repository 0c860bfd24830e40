package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.LineTable.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Runs the program whose output is the table of lines.
final class LineProgram {
    private static final int COPY = 1;
    private static final int ADVANCE_ADDRESS = 2;
    private static final int ADVANCE_LINE = 3;
    private static final int SET_FILE = 4;
    private static final int SET_COLUMN = 5;
    private static final int ADD_SPECIAL = 8;
    private static final int ADVANCE_FIXED = 9;
    private static final int END_SEQUENCE = 1;
    private static final int SET_ADDRESS = 2;
    private static final int ADDRESS_BYTES = 8;

    /// What the header tells.
    ///
    /// @param step by how much addresses are counted
    /// @param lineBase the smallest advance of a line
    /// @param lineRange how many advances of lines there are
    /// @param lengths how many arguments each standard opcode has; special opcodes follow them
    @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
    record Header(int step, int lineBase, int lineRange, int[] lengths) {
        /// By how much a special opcode advances the address.
        long advance(int opcode) {
            return (long) ((opcode - lengths.length) / lineRange) * step;
        }

        int lineAdvance(int opcode) {
            return lineBase + (opcode - lengths.length) % lineRange;
        }
    }

    /// What gets the rows.
    interface Output {
        /// A sequence of rows with ascending addresses; at least one.
        void add(long[] addresses, Row[] rows, long end);
    }

    private final ByteCursor program;
    private final Header header;
    private final List<String> files;
    private final Output output;

    private final List<Row> rows = new ArrayList<>();
    private long[] addresses = new long[16];
    private long address;
    private long file = 1;
    private long line = 1;
    private long column;

    LineProgram(ByteCursor program, Header header, List<String> files, Output output) {
        this.program = program;
        this.header = header;
        this.files = files;
        this.output = output;
    }

    void run() {
        while (program.remaining() > 0) {
            int opcode = program.u8();
            if (opcode >= header.lengths.length) {
                address += header.advance(opcode);
                line += header.lineAdvance(opcode);
                addRow();
            } else if (opcode == 0) {
                extended();
            } else {
                standard(opcode);
            }
        }
    }

    private void standard(int opcode) {
        switch (opcode) {
            case COPY -> addRow();
            case ADVANCE_ADDRESS -> address += program.unsigned() * header.step;
            case ADVANCE_LINE -> line += program.signed();
            case SET_FILE -> file = program.unsigned();
            case SET_COLUMN -> column = program.unsigned();
            case ADD_SPECIAL -> address += header.advance(255);
            case ADVANCE_FIXED -> address += program.u16();
            default -> {
                for (int i = header.lengths[opcode]; i > 0; i--) {
                    program.unsigned();
                }
            }
        }
    }

    private void extended() {
        long length = program.unsigned();
        int start = program.position();
        program.skip(length);
        int end = program.position();
        if (length == 0) {
            return;
        }
        program.seek(start);
        switch (program.u8()) {
            case END_SEQUENCE -> endSequence();
            case SET_ADDRESS -> {
                if (length != 1 + ADDRESS_BYTES) {
                    throw program.error("an address of %d bytes, not 8".formatted(length - 1));
                }
                address = program.u64();
            }
            default -> {}
        }
        program.seek(end);
    }

    /// Of several rows with one address the last holds.
    private void addRow() {
        int count = rows.size();
        if (count > 0 && address < addresses[count - 1]) {
            throw program.error(
                    "the address goes back from 0x%x to 0x%x"
                            .formatted(addresses[count - 1], address));
        }
        if (count > 0 && address == addresses[count - 1]) {
            rows.set(count - 1, row());
            return;
        }
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * count);
        }
        addresses[count] = address;
        rows.add(row());
    }

    private Row row() {
        if (line < 0 || line > Integer.MAX_VALUE || column < 0 || column > Integer.MAX_VALUE) {
            throw program.error("line %d, column %d does not exist".formatted(line, column));
        }
        if (file < 0 || file >= files.size()) {
            throw program.error(
                    "file %s does not exist; there are %d"
                            .formatted(Long.toUnsignedString(file), files.size()));
        }
        return new Row(files.get((int) file), (int) line, (int) column);
    }

    private void endSequence() {
        int count = rows.size();
        if (count > 0) {
            if (address < addresses[count - 1]) {
                throw program.error("the sequence ends before its last row");
            }
            output.add(Arrays.copyOf(addresses, count), rows.toArray(new Row[0]), address);
        }
        rows.clear();
        address = 0;
        file = 1;
        line = 1;
        column = 0;
    }
}
