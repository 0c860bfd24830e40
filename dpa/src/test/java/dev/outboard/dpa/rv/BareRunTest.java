package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.elf.Clang;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Programs that know nothing of the DPA.
class BareRunTest {
    private static final String C =
            """
            static unsigned long words[100] = {1, 2, 3};
            static unsigned char zeros[5000];
            static const char text[] = "constant";

            static unsigned long sum(unsigned long n) { return n == 0 ? 0 : n + sum(n - 1); }

            static void leave(long code)
            {
                register long a0 __asm__("a0") = code;
                register long a7 __asm__("a7") = 93;
                __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
                __builtin_unreachable();
            }

            void _start(void)
            {
                unsigned long total = 0;
                for (int i = 0; i < 100; i++) {
                    words[i] += (unsigned long)i << (i % 7);
                    total += __builtin_popcountl(words[i]) + __builtin_clzl(words[i] | 1);
                    zeros[total % sizeof(zeros)] ^= (unsigned char)total;
                }
                __atomic_fetch_add(&words[7], 5, __ATOMIC_SEQ_CST);
                total += zeros[77] + text[3] + sum(50) + words[7] % 13;
                leave((long)(total & 0xff));
            }
            """;

    @TempDir private Path directory;

    private ElfProgram assembled(String code, String... linked) throws Exception {
        String source =
                """
                .globl _start
                _start:
                %s
                """
                        .formatted(code);
        return ElfProgram.parse(
                Files.readAllBytes(
                        Clang.bare(directory, "program.s", source, List.of(linked), "-g")));
    }

    private static BareRun.Result run(ElfProgram program) {
        return BareRun.of(program).run(1_000_000);
    }

    private static CrashReport crash(ElfProgram program) {
        BareRun.Result result = run(program);
        assertThat(result.exitCode()).isEmpty();
        return result.crash().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "42, 42", "255, 255", "263, 7", "-1, 255"})
    void aProgramEndsWithTheLowestByteOfItsCode(int code, int exitCode) throws Exception {
        BareRun.Result result = run(assembled("li a0, %d; li a7, 93; ecall".formatted(code)));
        assertThat(result.exitCode()).hasValue(exitCode);
        assertThat(result.crash()).isEmpty();
    }

    /// At the address that linkers choose, and at that of instruction tests.
    @ParameterizedTest
    @ValueSource(strings = {"", "-Ttext=0x80000000", "-Ttext=0x7fffffff0000"})
    void itHasMemoryWhereverItIsLinkedTo(String address) throws Exception {
        String code =
                """
                1:  auipc t0, %pcrel_hi(word)
                    addi t0, t0, %pcrel_lo(1b)
                    ld t1, 0(t0)
                    addi t1, t1, 2
                    sd t1, 0(t0)
                    ld a0, 0(t0)
                    ld t2, 0(sp)
                    add a0, a0, t2
                    addi sp, sp, -16
                    sd a0, 8(sp)
                    ld a0, 8(sp)
                    li a7, 93
                    ecall
                    .data
                    .balign 8
                word: .dword 40
                """;
        ElfProgram program =
                assembled(code, address.isEmpty() ? new String[0] : address.split(" "));
        if (!address.isEmpty()) {
            assertThat(program.entry()).isEqualTo(Long.decode(address.replace("-Ttext=", "")));
        }
        assertThat(run(program).exitCode()).hasValue(42);
    }

    /// Compiled for other extensions, a program in C does the same: one of both ways is QEMU's
    /// judgement elsewhere.
    @Test
    void aProgramInCDoesTheSameWithEachExtension() throws Exception {
        int plain = inC("rv64imac", "-O2");
        assertThat(inC("rv64imac", "-O0")).isEqualTo(plain);
        assertThat(inC("rv64imac_zba_zbb_zbs", "-O2")).isEqualTo(plain);
        assertThat(plain).isNotZero();
    }

    private int inC(String extensions, String optimisation) throws Exception {
        Path elf =
                Clang.bare(
                        directory,
                        "program.c",
                        C,
                        List.of(),
                        "-march=" + extensions,
                        optimisation,
                        "-fno-builtin");
        return run(ElfProgram.parse(Files.readAllBytes(elf))).exitCode().orElseThrow();
    }

    @Test
    void aCrashNamesLineAndInstruction() throws Exception {
        CrashReport crash = crash(assembled("nop\nli t1, 16\nld t0, 8(t1)"));
        assertThat(crash.fault()).isEqualTo(Fault.BAD_LOAD);
        assertThat(crash.address()).isEqualTo(24);
        assertThat(crash.place().file()).endsWith("program.s");
        assertThat(crash.place().line()).isEqualTo(5);
        assertThat(crash.text()).contains("ld x5, 8(x6)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "li a7, 94; ecall|UNKNOWN_CALL",
                "csrr a0, mhartid|ILLEGAL_INSTRUCTION",
                "ret|BAD_FETCH",
                "jr sp|BAD_FETCH",
                "la t0, _start; sw t0, 0(t0)|READ_ONLY",
                "sd t0, 1(sp)|MISALIGNED_STORE",
                "li t0, -1048600; add t0, t0, sp; sw t0, 0(t0)|STACK_OVERFLOW",
                "1: j 1b|WATCHDOG",
                "1: lw t0, 0(sp); j 1b|WATCHDOG",
            })
    void whatIsForbiddenEndsIt(String code, Fault fault) throws Exception {
        assertThat(crash(assembled(code)).fault()).isEqualTo(fault);
    }

    @Test
    void reservationsHoldForOneStore() throws Exception {
        String code =
                """
                    mv t0, sp
                    sc.d a0, t0, (t0)
                    lr.d t1, (t0)
                    sc.d t2, t0, (t0)
                    sc.d t3, t0, (t0)
                    slli t2, t2, 1
                    slli t3, t3, 2
                    add a0, a0, t2
                    add a0, a0, t3
                    li a7, 93
                    ecall
                """;
        assertThat(run(assembled(code)).exitCode()).hasValue(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--entry=0x90000000|where no code is",
                "-Ttext=0x10000000000|lies where the stack is",
                "-Ttext=0xffffffff80000000|lies outside; bare programs lie below",
            })
    void whatCannotBeLoadedIsRefused(String linked, String message) throws Exception {
        ElfProgram program = assembled("nop", linked);
        assertThatThrownBy(() -> BareRun.of(program))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatIsTooLargeIsRefused() throws Exception {
        ElfProgram large = assembled("nop\n.bss\n.space 0x20000000");
        assertThatThrownBy(() -> BareRun.of(large))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("256 MiB");
        ElfProgram wide =
                assembled(
                        "nop\n.section .far, \"awx\"\nnop",
                        "-Ttext=0x20000",
                        "--section-start=.far=0x80000000");
        assertThatThrownBy(() -> BareRun.of(wide))
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("16 MiB");
    }
}
