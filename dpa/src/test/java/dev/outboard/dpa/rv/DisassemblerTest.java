package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.dpa.rv.InstructionTable.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Instructions read as LLVM writes them.
class DisassemblerTest {
    private static final Path CLANG = Path.of("/usr/bin/clang");
    private static final Path OBJDUMP = Path.of("/usr/bin/llvm-objdump");
    private static final int EACH = 20;
    private static final Pattern LINE = Pattern.compile(" *[0-9a-f]+: ");
    private static final Pattern SYMBOL = Pattern.compile(" <.*>");

    /// Which LLVM 14 writes otherwise: counters that it knows by names which we have no use for,
    /// and short instructions without an effect.
    private static final Set<String> OTHERWISE =
            Set.of("csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci", "fence", "fence.i");

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0x00a50533 | add x10, x10, x10",
                "0x00008067 | jalr x0, 0(x1)",
                "0xfe208ee3 | beq x1, x2, 0xffc",
                "0x80000297 | auipc x5, 524288",
                "0x0310000f | fence rw, w",
                "0x8330000f | fence.tso",
                "0xc00020f3 | csrrs x1, cycle, x0",
                "0x1232d0f3 | csrrwi x1, 291, 5",
                "0x0621a0af | amoadd.w.aqrl x1, x2, (x3)",
                "0x1401b0af | lr.d.aq x1, (x3)",
                "0x1141     | c.addi x2, -16",
                "0x72fd     | c.lui x5, 1048575",
                "0x00b0100b | dpa.heap_fence w, rw",
                "0x0020a02b | unknown 0x0020a02b",
                "0x0000     | c.unimp",
                "0x2001     | unknown 0x2001",
            })
    void writesAnInstruction(String bits, String text) {
        assertThat(Disassembler.text(Long.decode(bits).intValue(), 0x1000)).isEqualTo(text);
    }

    @Test
    void writesWhatLlvmWrites() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(CLANG), "clang is not installed");
        assumeTrue(Files.isExecutable(OBJDUMP), "llvm-objdump is not installed");
        List<Integer> instructions = instructions();
        Path source = directory.resolve("code.s");
        List<String> lines = new ArrayList<>(List.of(".text"));
        List<String> ours = new ArrayList<>();
        long address = 0;
        for (int bits : instructions) {
            boolean isLong = Decoded.isLong(bits);
            lines.add((isLong ? ".4byte " : ".2byte ") + Integer.toUnsignedString(bits));
            ours.add("%x: %s".formatted(address, Disassembler.text(bits, address)));
            address += isLong ? 4 : 2;
        }
        Files.write(source, lines);
        Path object = directory.resolve("code.o");
        run(CLANG, "--target=riscv64", "-march=rv64gc", "-c", source, "-o", object);
        List<String> theirs =
                run(
                                OBJDUMP,
                                "-d",
                                "--no-show-raw-insn",
                                "-M",
                                "no-aliases,numeric",
                                "--mattr=+m,+a,+c,+zba,+zbb,+zbs",
                                object)
                        .stream()
                        .filter(line -> LINE.matcher(line).lookingAt())
                        .map(line -> SYMBOL.matcher(line).replaceAll("").strip())
                        .map(line -> line.replaceAll("\\s+", " "))
                        .toList();
        assertThat(String.join("\n", ours)).isEqualTo(String.join("\n", theirs));
    }

    private static List<Integer> instructions() {
        Random random = new Random(3);
        List<Integer> instructions = new ArrayList<>();
        for (Row row : InstructionTable.TABLE.rows) {
            boolean unlike =
                    row.isReserved()
                            || row.extension().equals("X")
                            || OTHERWISE.contains(row.name());
            for (int i = 0; i < EACH && !unlike; ) {
                int operands = random.nextInt() & ~row.mask();
                int bits = row.value() | (row.isLong() ? operands : operands & 0xffff);
                if (Encoding.of(bits).mnemonic.equals(row.name()) && !isHint(row, bits)) {
                    instructions.add(bits);
                    i++;
                }
            }
        }
        return instructions;
    }

    /// Short ones that do nothing, and the fields that nobody looks at, have texts of their own.
    private static boolean isHint(Row row, int bits) {
        long instruction = Decoded.of(bits);
        return switch (row.name()) {
            case "c.addi" -> Decoded.immediate(instruction) == 0 || isIntoNowhere(instruction);
            case "c.slli", "c.srli", "c.srai" ->
                    Decoded.immediate(instruction) == 0 || isIntoNowhere(instruction);
            case "fence.tso" -> (bits & 0x000f_8f80) != 0;
            default -> false;
        };
    }

    private static boolean isIntoNowhere(long instruction) {
        return Decoded.rd(instruction) == Decoded.NOWHERE;
    }

    private static List<String> run(Path program, Object... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        for (Object word : words) {
            command.add(word.toString());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
        return lines;
    }
}
