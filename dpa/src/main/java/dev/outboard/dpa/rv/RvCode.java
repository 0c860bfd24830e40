package dev.outboard.dpa.rv;

import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.elf.ElfSegment;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.run.ProcessState;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.IntToLongFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The executable bytes of a program, decoded once: nothing writes them. All harts share it, on
/// whatever threads, and what has been [compiled][RvRegions] of it for each process.
///
/// At each address of 2 bytes stands what begins there, in the middle of a long instruction too: a
/// jump to there does what hardware would do.
public final class RvCode {
    /// All is left to the interpreter.
    public static final int NEVER_COMPILED = Integer.MAX_VALUE;

    /// A round of a loop takes the interpreter some 50 ns, to compile it the JVM some milliseconds.
    public static final int THRESHOLD = 3_000;

    /// How much code a program may have, with what lies between its parts.
    private static final long MOST_BYTES = 16L << 20;

    private static final int HALF = Short.BYTES;

    private final long base;
    private final byte[] bytes;
    private final long[] instructions;
    private final RvPlaces places;

    /// By the memory of the process, as long as there is one. Its harts keep them, so that they go
    /// with it, and what they hold of its memory, even if nobody asks here any more.
    private final Map<DpaMemory, WeakReference<RvRegions>> regions = new WeakHashMap<>();

    /// How many jumps make their target hot.
    private final int threshold;

    /// Decodes code whose source nobody knows.
    ///
    /// @param base the address of the first byte, even
    /// @param bytes a multiple of 2; what is beyond them is not executable
    public RvCode(long base, byte[] bytes) {
        this(base, bytes, THRESHOLD);
    }

    /// Decodes code whose source nobody knows.
    ///
    /// @param threshold how many jumps to a place are followed before it is compiled, or
    ///   [#NEVER_COMPILED]
    RvCode(long base, byte[] bytes, int threshold) {
        this(base, bytes, _ -> CodePlace.NONE, threshold);
    }

    /// Decodes code.
    ///
    /// @param base the address of the first byte, even
    /// @param bytes a multiple of 2; what is beyond them is not executable
    /// @param places the place of the source that an instruction comes from
    /// @param threshold how many jumps to a place are followed before it is compiled, or
    ///   [#NEVER_COMPILED]
    public RvCode(long base, byte[] bytes, LongFunction<CodePlace> places, int threshold) {
        if (base % HALF != 0 || bytes.length % HALF != 0) {
            throw new IllegalArgumentException(
                    "Code begins and ends at even addresses, not at 0x%x and %d bytes later"
                            .formatted(base, bytes.length));
        }
        this.base = base;
        this.threshold = threshold;
        this.bytes = bytes.clone();
        instructions = new long[bytes.length / HALF];
        for (int i = 0; i < instructions.length; i++) {
            boolean isCut = i == instructions.length - 1 && Decoded.isLong(half(i));
            instructions[i] = isCut ? Operation.TRUNCATED : Decoded.of(bits(i));
        }
        this.places = new RvPlaces(base, places, new RvLoops(instructions));
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
        return new RvCode(from, all, NEVER_COMPILED);
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

    /// The memory that the instruction at an address of the code is about to reach; empty if none.
    ///
    /// @param registers what they hold, by their numbers
    public Optional<MemoryOperation> reached(long address, IntToLongFunction registers) {
        return Reached.of(instructions[index(address)], registers);
    }

    /// How many bytes the instruction at an address of the code has: 2 or 4.
    public int lengthBytes(long address) {
        return Decoded.lengthBytes(instructions[index(address)]);
    }

    /// The bits of the instruction at an address of the code, as hexadecimal digits.
    public String hex(long address) {
        int bits = bits(index(address));
        return lengthBytes(address) == HALF
                ? "%04x".formatted(bits & 0xffff)
                : "%08x".formatted(bits);
    }

    /// The lines of its source.
    RvPlaces places() {
        return places;
    }

    /// Whether the branch there, which goes back, does so for ever.
    ///
    /// @param registers what they hold
    boolean isEndless(int index, long[] registers) {
        return places.loops().isEndless(index, registers);
    }

    /// What begins at each address of 2 bytes. Not to be changed.
    long[] instructions() {
        return instructions;
    }

    /// The address of a half.
    long address(int index) {
        return base + (long) index * HALF;
    }

    /// The compiled regions in a process, the same for all its threads; null if nothing is ever
    /// compiled.
    @Nullable RvRegions regions(ProcessState process) {
        if (threshold == NEVER_COMPILED) {
            return null;
        }
        synchronized (regions) {
            WeakReference<RvRegions> known = regions.get(process.memory());
            RvRegions found = known == null ? null : known.get();
            if (found == null) {
                found = new RvRegions(this, RvMemory.of(process), threshold);
                regions.put(process.memory(), new WeakReference<>(found));
            }
            return found;
        }
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
