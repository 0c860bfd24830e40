package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.run.CodeSites;
import java.util.function.LongFunction;

/// The executable bytes of a program, decoded once: nothing writes them. Immutable; all harts of a
/// process share it.
///
/// At each address of 2 bytes stands what begins there, in the middle of a long instruction too: a
/// jump to there does what hardware would do.
public final class RvCode implements CodeSites.Instructions {
    private static final int HALF = Short.BYTES;

    private final long base;
    private final byte[] bytes;
    private final long[] instructions;
    private final LongFunction<CodePlace> places;
    private final RvLoops loops;

    /// Decodes code whose source nobody knows.
    ///
    /// @param base the address of the first byte, even
    /// @param bytes a multiple of 2; what is beyond them is not executable
    public RvCode(long base, byte[] bytes) {
        this(base, bytes, _ -> CodePlace.NONE);
    }

    /// Decodes code.
    ///
    /// @param base the address of the first byte, even
    /// @param bytes a multiple of 2; what is beyond them is not executable
    /// @param places the place of the source that an instruction comes from
    public RvCode(long base, byte[] bytes, LongFunction<CodePlace> places) {
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
        this.places = places;
        loops = new RvLoops(instructions);
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
        int index = Math.toIntExact((address - base) / HALF);
        return Disassembler.text(bits(index), address);
    }

    /// How many bytes the instruction at an address of the code has: 2 or 4.
    public int lengthBytes(long address) {
        return Decoded.lengthBytes(instructions[Math.toIntExact((address - base) / HALF)]);
    }

    /// The bits of the instruction at an address of the code, as hexadecimal digits.
    public String hex(long address) {
        int bits = bits(Math.toIntExact((address - base) / HALF));
        return lengthBytes(address) == HALF
                ? "%04x".formatted(bits & 0xffff)
                : "%08x".formatted(bits);
    }

    @Override
    public CodePlace place(int index) {
        return places.apply(base + (long) index * HALF);
    }

    @Override
    public boolean isPoll(int index) {
        return loops.isPoll(index);
    }

    /// Whether the branch there, which goes back, does so for ever.
    ///
    /// @param registers what they hold
    boolean isEndless(int index, long[] registers) {
        return loops.isEndless(index, registers);
    }

    /// What begins at each address of 2 bytes. Not to be changed.
    long[] instructions() {
        return instructions;
    }

    /// The two halves from there on, the second one 0 beyond the end.
    private int bits(int index) {
        return half(index) | (index + 1 < instructions.length ? half(index + 1) << Short.SIZE : 0);
    }

    private int half(int index) {
        return (bytes[index * HALF] & 0xff) | ((bytes[index * HALF + 1] & 0xff) << Byte.SIZE);
    }
}
