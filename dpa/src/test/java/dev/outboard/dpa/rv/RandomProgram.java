package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.AddressMap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/// Many random sequences in one program, each with registers and memory of its own: it loads all
/// registers, runs the sequence, stores them, and goes on with the next one. At the end it writes
/// all its data to stream 1 and ends. The same bytes run anywhere.
final class RandomProgram {
    static final long CODE = AddressMap.CODE;
    static final long DATA = AddressMap.HEAP;
    static final int WRITE = 64;
    static final int EXIT = 93;

    // For each sequence: registers before, its memory, and registers after.
    private static final int AREA = 256;
    private static final int MIDDLE = AREA + RandomSequence.AREA_BYTES / 2;
    private static final int RESULTS = AREA + RandomSequence.AREA_BYTES;
    private static final int STRIDE = RESULTS + 256;

    private static final long[] EDGES = {
        0,
        1,
        -1,
        2,
        31,
        32,
        63,
        64,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        Integer.MIN_VALUE,
        Integer.MAX_VALUE,
        0x8000_0000L,
        0xffff_ffffL,
        0x1_0000_0000L,
        0x00ff_0080_0100_7fffL
    };

    /// Holds where the data of the sequence are, and stays so.
    private static final int POINTER = RandomSequence.MIDDLE;

    /// What the functions that load and store return by; it is loaded and stored outside of them.
    private static final int LINK = 5;

    private final Random random;
    private final int count;
    private final int[] begins;
    private final CodeBuffer code = new CodeBuffer();
    private final ByteBuffer data;

    RandomProgram(long seed, String extension, int count) {
        random = new Random(seed * 31 + extension.hashCode());
        this.count = count;
        begins = new int[count + 1];
        data = ByteBuffer.allocate(count * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
        int loads = addFunction("ld");
        int stores = addFunction("sd");
        for (int i = 0; i < count; i++) {
            fillData(i * STRIDE);
            CodeBuffer sequence = new CodeBuffer();
            new RandomSequence(random, extension).addTo(sequence);
            pointTo(i * STRIDE + MIDDLE);
            call(loads);
            code.immediate("ld", LINK, POINTER, LINK * 8 - MIDDLE);
            begins[i] = code.lengthBytes();
            code.addAll(sequence);
            code.store("sd", LINK, RESULTS - MIDDLE + LINK * 8, POINTER);
            call(stores);
        }
        begins[count] = code.lengthBytes();
        end();
    }

    /// Adds a function that loads or stores registers, and a jump to what is behind it.
    private int addFunction(String access) {
        CodeBuffer function = new CodeBuffer();
        for (int register = 1; register < POINTER; register++) {
            if (register == LINK) {
                continue;
            }
            if (access.equals("ld")) {
                function.immediate("ld", register, POINTER, register * 8 - MIDDLE);
            } else {
                function.store("sd", register, RESULTS - MIDDLE + register * 8, POINTER);
            }
        }
        function.add("jalr", 0, LINK, 0, 0);
        code.add("jal", 0, 0, 0, 4 + function.lengthBytes());
        int begin = code.lengthBytes();
        code.addAll(function);
        return begin;
    }

    private void call(int function) {
        code.add("jal", LINK, 0, 0, function - code.lengthBytes());
    }

    byte[] code() {
        return code.toByteArray();
    }

    byte[] data() {
        return data.array();
    }

    private void fillData(int at) {
        for (int register = 1; register < 32; register++) {
            data.putLong(at + register * 8, value());
        }
        for (int[] pointer : RandomSequence.POINTERS) {
            data.putLong(at + pointer[0] * 8, DATA + at + AREA + pointer[1]);
        }
        for (int i = 0; i < RandomSequence.AREA_BYTES; i += 8) {
            data.putLong(at + AREA + i, value());
        }
    }

    private long value() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt();
            case 2 -> random.nextInt(128) - 64;
            default -> EDGES[random.nextInt(EDGES.length)];
        };
    }

    private void pointTo(int offset) {
        code.immediate("addi", POINTER, 0, 1).immediate("slli", POINTER, POINTER, 32);
        load(LINK, offset);
        code.registers("add", POINTER, POINTER, LINK);
    }

    private void load(int register, int value) {
        code.add("lui", register, 0, 0, (value + 0x800) & 0xfffff000)
                .immediate("addiw", register, register, value << 20 >> 20);
    }

    private void end() {
        code.immediate("addi", 10, 0, 1).immediate("addi", 11, 0, 1).immediate("slli", 11, 11, 32);
        load(12, data.capacity());
        code.immediate("addi", 17, 0, WRITE).add("ecall", 0, 0, 0, 0);
        code.immediate("addi", 10, 0, 0).immediate("addi", 17, 0, EXIT).add("ecall", 0, 0, 0, 0);
    }

    /// What is different between two contents of the data after the run; empty if nothing is.
    String difference(byte[] expected, byte[] actual) {
        ByteBuffer one = ByteBuffer.wrap(expected).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer two = ByteBuffer.wrap(actual).order(ByteOrder.LITTLE_ENDIAN);
        int at = one.mismatch(two);
        if (at < 0) {
            return "";
        }
        int index = at / STRIDE;
        StringBuilder text = new StringBuilder("sequence %d:%n".formatted(index));
        RvCode all = new RvCode(CODE, code());
        int end = index + 1 < count ? begins[index + 1] : begins[count];
        for (int i = begins[index]; i < Math.min(end, begins[index] + 120); ) {
            String line = all.text(CODE + i);
            text.append("  0x%x %s%n".formatted(CODE + i, line));
            i += line.startsWith("c.") ? 2 : 4;
        }
        for (int word = 0; word < STRIDE; word += 8) {
            long should = one.getLong(index * STRIDE + word);
            long is = two.getLong(index * STRIDE + word);
            if (should != is) {
                text.append(
                        "  %s: 0x%x, not 0x%x%n"
                                .formatted(
                                        word >= RESULTS
                                                ? "x" + (word - RESULTS) / 8
                                                : "byte " + (word - AREA),
                                        is,
                                        should));
            }
        }
        for (int register = 1; register < 32; register++) {
            text.append(
                    "  x%d 0x%x".formatted(register, data.getLong(index * STRIDE + 8 * register)));
        }
        return text.toString();
    }
}
