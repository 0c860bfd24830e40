package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ExitCode;

/// Programs in RV64 code.
class ElfRunTest extends DpaCommandFixture {
    private static final int CODE = 0x8000_0000;
    private static final int HEADERS_BYTES = 64 + 56;
    private static final int ECALL = 0x73;
    private static final int LOAD_OF_8 = 0x0080_3503;
    private static final int LOOP = 0x6f;

    private static final String KERNEL =
            """
            #include <dpaintrin.h>
            #include <libflexio-dev/flexio_dev.h>

            __dpa_rpc__ uint64_t add(uint64_t a, int8_t b)
            {
                return a + (uint64_t)b;
            }

            __dpa_rpc__ uint64_t wild(void)
            {
                return *(volatile uint64_t *)8;
            }
            """;

    /// `li a0, value` and `li a7, 93`, then the rest.
    private String bare(int value, int... rest) throws IOException {
        int bytes = HEADERS_BYTES + (2 + rest.length) * 4;
        ByteBuffer elf = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}).position(16);
        elf.putShort((short) 2).putShort((short) 243).putInt(1);
        elf.putLong(Integer.toUnsignedLong(CODE)).putLong(64).putLong(0).putInt(0);
        elf.putShort((short) 64).putShort((short) 56).putShort((short) 1).position(64);
        elf.putInt(1).putInt(5).putLong(HEADERS_BYTES);
        elf.putLong(Integer.toUnsignedLong(CODE)).putLong(0);
        elf.putLong(bytes - HEADERS_BYTES).putLong(bytes - HEADERS_BYTES).putLong(4096);
        elf.putInt((value << 20) | 0x513).putInt((93 << 20) | 0x893);
        for (int instruction : rest) {
            elf.putInt(instruction);
        }
        return Files.write(directory.resolve("bare.elf"), elf.array()).toString();
    }

    private String kernel() throws IOException {
        Path source = Files.writeString(directory.resolve("kernel.c"), KERNEL);
        try {
            byte[] elf = DeviceCompiler.onThisMachine().compile(DeviceSources.of(source));
            return Files.write(directory.resolve("kernel.elf"), elf).toString();
        } catch (CompileException e) {
            Assumptions.abort(e.getMessage());
            throw e;
        }
    }

    @Test
    void aBareProgramEndsWithItsCode() throws IOException {
        assertThat(run("run", "--bare", bare(0, ECALL))).isZero();
        assertThat(run("run", "--bare", bare(42, ECALL))).isEqualTo(42);
        assertThat(run("run", "--bare", bare(-1, ECALL))).isEqualTo(255);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aCrashOfABareProgramIsTold() throws IOException {
        assertThat(run("run", "--bare", bare(0, LOAD_OF_8))).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString())
                .contains(
                        "load outside all regions",
                        "8 bytes at 0x8",
                        "pc 0x80000008: ld x10, 8(x0)");
    }

    @Test
    void aBareProgramThatDoesNotEndIsEnded() throws IOException {
        int code = run("run", "--bare", "--limit", "10000", bare(0, LOOP));
        assertThat(code).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("it has run 10000 instructions, its limit");
    }

    @Test
    void instructionsAreWritten() throws IOException {
        Path file = directory.resolve("instructions.txt");
        String elf = bare(42, ECALL);
        assertThat(run("run", "--bare", "--instructions", file.toString(), elf)).isEqualTo(42);
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "0  0x80000000  addi x10, x0, 42",
                        "0  0x80000004  addi x17, x0, 93",
                        "0  0x80000008  ecall");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--bare nobody.elf|no such file: ",
                "--bare text.c|text.c: The file is not an ELF file",
                "--bare .|is no ELF file",
                "--bare --mode WEAK bare.elf|a bare program has no device; leave --mode out",
                "--bare --limit 0 bare.elf|a program runs at least 1 instruction, not 0",
                "--bare bare.elf 1|a bare program takes no arguments, such as '1'",
                "--function f bare.elf|bare.elf: The ELF file has no note of the device interface",
                "--function f --limit 5 bare.elf|the watchdog of the device ends functions; leave --limit out",
                "--function f --gdb 0 --mode FAST bare.elf|leave --mode out",
                "--gdb 1 bare.elf|--gdb is for programs in RV64 code: give --function or --bare, too",
                "bare.elf|Missing required parameter: 'CLASS'",
            })
    void whatCannotBeRunIsSaid(String words, String message) throws IOException {
        bare(42, ECALL);
        file("text.c", "int x;");
        String[] command = ("run " + words).split(" ");
        for (int i = 0; i < command.length; i++) {
            boolean isFile = command[i].contains(".");
            command[i] = isFile ? directory.resolve(command[i]).toString() : command[i];
        }
        assertThat(run(command)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(message);
    }

    @Test
    void whoWaitsForGdbDoesNotWaitForEver() throws IOException {
        String elf = bare(42, ECALL);
        assertThat(run("run", "--bare", "--gdb", "0", "--gdb-wait", "20ms", elf)).isNotZero();
        assertThat(err.toString())
                .contains("gdb-multiarch -ex 'target remote 127.0.0.1:", elf)
                .contains("gdb has not come within");
    }

    @Test
    void aFunctionIsRunWithNumbers() throws IOException {
        String elf = kernel();
        assertThat(run("run", "--function", "add", elf, "0x28", "2")).isZero();
        assertThat(run("run", "--function", "add", elf, "--", "3", "-5")).isZero();
        assertThat(out.toString())
                .isEqualToNormalizingNewlines(
                        "add returned 42 (0x2a)\nadd returned -2 (0xfffffffffffffffe)\n");
        assertThat(run("run", "--function", "add", elf, "1", "300")).isEqualTo(ExitCode.USAGE);
        assertThat(run("run", "--function", "add", elf, "1")).isEqualTo(ExitCode.USAGE);
        assertThat(run("run", "--function", "sub", elf, "1")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains(
                        "b takes a number of 1 bytes, such as 42 or 0x2a, not '300'",
                        "add takes 2 numbers (a, b), not 1",
                        "kernel.elf has no __dpa_rpc__ function sub; it has: add, wild");
    }

    @Test
    void aFunctionThatCrashesIsTold() throws IOException {
        assertThat(run("run", "--function", "wild", kernel())).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("load outside all regions", "8 bytes at 0x8", "pc 0x1");
    }

    @Test
    void theInstructionsOfAFunctionAreWritten() throws IOException {
        Path file = directory.resolve("instructions.txt");
        String elf = kernel();
        assertThat(
                        run(
                                "run",
                                "--instructions",
                                file.toString(),
                                "--function",
                                "add",
                                elf,
                                "1",
                                "2"))
                .isZero();
        assertThat(Files.readAllLines(file))
                .isNotEmpty()
                .allMatch(line -> line.matches("0  0x1.* <add.*kernel\\.c:\\d+"));
    }
}
