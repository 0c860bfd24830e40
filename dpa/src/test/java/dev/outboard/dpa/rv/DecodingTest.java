package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.rv.InstructionTable.Row;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The decoder is the one of the table.
class DecodingTest {
    private static final String PACKAGE = "dpa/src/main/java/dev/outboard/dpa/rv/";

    @Test
    void theDecoderIsMadeOfTheTable() throws IOException {
        assertMade("Operation.java", DecoderSource.operation());
        assertMade("Form.java", DecoderSource.form());
        assertMade("Encoding.java", DecoderSource.encoding());
    }

    /// But for the breaks of lines, which the formatter sets.
    private static void assertMade(String file, String made) throws IOException {
        Path path = Repository.root().resolve(PACKAGE + file);
        String present = Files.exists(path) ? Files.readString(path) : "";
        boolean same = words(present).equals(words(made));
        Snapshot.assertDocumented(PACKAGE + file, same ? present : made);
    }

    private static String words(String text) {
        return text.replaceAll("\\s+|///", "");
    }

    @Test
    void eachInstructionIsFoundByItsBits() {
        Random random = new Random(1);
        Set<String> found = new HashSet<>();
        for (Row row : InstructionTable.TABLE.rows) {
            for (int i = 0; i < 200; i++) {
                int operands = random.nextInt() & ~row.mask();
                int bits = row.value() | (row.isLong() ? operands : operands & 0xffff);
                if (expected(bits).equals(row)) {
                    found.add(row.name());
                    assertThat(Encoding.of(bits).mnemonic)
                            .isEqualTo(row.isReserved() ? "" : row.name());
                }
            }
            assertThat(found).contains(row.name());
        }
    }

    private static Row expected(int bits) {
        return InstructionTable.TABLE.rows.stream()
                .filter(row -> row.isLong() == ((bits & 3) == 3))
                .filter(row -> (bits & row.mask()) == row.value())
                .findFirst()
                .orElseThrow();
    }

    /// By the examples of the specification: all ones and all zeros are no instruction.
    @Test
    void whatIsNoInstructionIsIllegal() {
        for (int bits :
                new int[] {0, -1, 0xffff, 0x0000_100b, 0x0010_b00b, 0x0600_002b, 0x0000_6001}) {
            assertThat(Encoding.of(bits).operation)
                    .as(Integer.toHexString(bits))
                    .isEqualTo(Operation.ILLEGAL);
        }
    }

    @Test
    void aShortInstructionIsTheLongOne() {
        assertSame("c.addi", 5, 5, 0, -7, "addi");
        assertSame("c.addi16sp", 2, 2, 0, -512, "addi");
        assertSame("c.addi4spn", 9, 2, 0, 1020, "addi");
        assertSame("c.lui", 5, 0, 0, -131072, "lui");
        assertSame("c.lw", 8, 15, 0, 124, "lw");
        assertSame("c.sdsp", 0, 2, 31, 504, "sd");
        assertSame("c.j", 0, 0, 0, -2048, "jal");
        assertSame("c.bnez", 0, 9, 0, 254, "bne");
        assertSame("c.jalr", 1, 7, 0, 0, "jalr");
        assertSame("c.mv", 3, 0, 4, 0, "add");
    }

    private static void assertSame(
            String name, int rd, int rs1, int rs2, int immediate, String of) {
        InstructionTable table = InstructionTable.TABLE;
        long shortOne = Decoded.of(table.encode(name, rd, rs1, rs2, immediate));
        long longOne = Decoded.of(table.encode(of, rd, rs1, rs2, immediate));
        assertThat(Decoded.lengthBytes(shortOne)).isEqualTo(2);
        assertThat(Decoded.lengthBytes(longOne)).isEqualTo(4);
        assertThat(shortOne).as(name).isEqualTo(longOne & ~Decoded.LONG);
    }
}
