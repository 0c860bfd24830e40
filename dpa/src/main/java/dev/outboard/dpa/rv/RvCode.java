package dev.outboard.dpa.rv;

import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.elf.ElfSegment;
import dev.outboard.dpa.machine.MemoryOperation;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/// The executable bytes of a program, decoded once: nothing writes them. Immutable; all harts of a
/// process share it.
///
/// At each address of 2 bytes stands what begins there, in the middle of a long instruction too: a
/// jump to there does what hardware would do.
public final class RvCode {
    /// How much code a program may have, with what lies between its parts.
    private static final long MOST_BYTES = 16L << 20;

    private static final int HALF = Short.BYTES;

    private final long base;
    private final byte[] bytes;
    private final long[] instructions;

    /// Decodes them.
    ///
    /// @param base the address of the first byte, even
    /// @param bytes a multiple of 2; what is beyond them is not executable
    public RvCode(long base, byte[] bytes) {
        if (base % HALF != 0 || bytes.length % HALF != 0) {
            throw new IllegalArgumentException(
                    "Code begins and ends at even addresses, not at 0x%x and %d bytes later"
                            .formatted(base, bytes.length));
        }
        this.base = base;
        this.bytes = bytes.clone();
        instructions = new long[bytes.length / HALF];
        for (int i = 0; i < instructions.length; i++) {
            boolean isCut = i == instructions.length - 1 && Decoded.isLong(half(i));
            instructions[i] = isCut ? Operation.TRUNCATED : Decoded.of(bits(i));
        }
    }

    /// The executable segments of a program, with zeros between them, which are no instructions.
    /// Nothing that the program writes changes them.
    ///
    /// @throws ElfException if it has none, or they lie too far from each other
    public static RvCode of(ElfProgram program) {
        List<ElfSegment> parts =
                program.segments().stream().filter(ElfSegment::executable).toList();
        if (parts.isEmpty()) {
            throw new ElfException("The program has no code: none of its segments is executable");
        }
        long from = parts.stream().mapToLong(ElfSegment::address).min().orElseThrow() & ~1L;
        long to = parts.stream().mapToLong(part -> part.range().to()).max().orElseThrow();
        long bytes = (to - from + 1) & ~1L;
        if (bytes < 0 || bytes > MOST_BYTES) {
            throw new ElfException(
                    "The code of the program lies between 0x%x and 0x%x; %d MiB are the most that it may take"
                            .formatted(from, to, MOST_BYTES >> 20));
        }
        byte[] all = new byte[(int) bytes];
        for (ElfSegment part : parts) {
            byte[] content = part.bytes();
            System.arraycopy(content, 0, all, (int) (part.address() - from), content.length);
        }
        return new RvCode(from, all);
    }

    /// The address of the first byte.
    public long base() {
        return base;
    }

    /// How many bytes they are.
    public int lengthBytes() {
        return bytes.length;
    }

    /// Whether code is at this address.
    public boolean contains(long address) {
        return Long.compareUnsigned(address - base, bytes.length) < 0;
    }

    /// The text of the instruction at an address of the code.
    public String text(long address) {
        return Disassembler.text(bits(index(address)), address);
    }

    /// How many bytes the instruction at an address of the code has.
    public int lengthBytes(long address) {
        return Decoded.lengthBytes(instructions[index(address)]);
    }

    /// The memory that the instruction at an address of the code is about to reach; empty if none.
    ///
    /// @param registers what they hold, by their numbers
    public Optional<MemoryOperation> reached(long address, IntToLongFunction registers) {
        return Reached.of(instructions[index(address)], registers);
    }

    /// What begins at each address of 2 bytes. Not to be changed.
    long[] instructions() {
        return instructions;
    }

    private int index(long address) {
        return Math.toIntExact((address - base) / HALF);
    }

    /// The two halves from there on, the second one 0 beyond the end.
    private int bits(int index) {
        return half(index) | (index + 1 < instructions.length ? half(index + 1) << Short.SIZE : 0);
    }

    private int half(int index) {
        return (bytes[index * HALF] & 0xff) | ((bytes[index * HALF + 1] & 0xff) << Byte.SIZE);
    }
}
