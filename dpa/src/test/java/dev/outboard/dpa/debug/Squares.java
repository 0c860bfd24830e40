package dev.outboard.dpa.debug;

import dev.outboard.dpa.elf.Clang;
import dev.outboard.dpa.elf.ElfProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A bare program that adds squares: 1, 4 and 9, and ends with their sum.
final class Squares {
    static final int CODE = 14;
    static final int RETURN_LINE = 6;
    static final int ADD_LINE = 20;

    private static final String SOURCE =
            """
            static volatile long total;

            static __attribute__((noinline)) long square(long n)
            {
                long result = n * n;
                return result;
            }

            static void leave(long code)
            {
                register long a0 __asm__("a0") = code;
                register long a7 __asm__("a7") = 93;
                __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
                __builtin_unreachable();
            }

            void _start(void)
            {
                for (long i = 1; i <= 3; i++) {
                    total += square(i);
                }
                leave(total);
            }
            """;

    private Squares() {}

    /// The program, not optimised.
    static Path in(Path directory) throws Exception {
        return Clang.bare(directory, "squares.c", SOURCE, List.of(), "-g", "-O0");
    }

    static ElfProgram parsed(Path directory) throws Exception {
        return ElfProgram.parse(Files.readAllBytes(in(directory)));
    }
}
