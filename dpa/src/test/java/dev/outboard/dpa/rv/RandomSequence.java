package dev.outboard.dpa.rv;

import dev.outboard.dpa.rv.InstructionTable.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A sequence of random instructions of one extension that ends at its end. It reads and writes all
/// registers but x31, and 256 bytes of memory through three pointers.
final class RandomSequence {
    static final int AREA_BYTES = 256;

    /// Points to the middle of the area, and stays so.
    static final int MIDDLE = 31;

    /// Register, and what it points to at first, as an offset in the area.
    static final int[][] POINTERS = {{2, 0}, {8, 64}, {MIDDLE, 128}};

    private static final int MOST_ITEMS = 16;
    private static final int FARTHEST_ITEM = 4;

    /// Calls; and what QEMU 7.2 does by all 64 bits of a register, where the specification says 32.
    private static final Set<String> UNLIKE = Set.of("ecall", "ebreak", "ctzw");

    /// What a sequence of an extension may have.
    private static final Map<String, List<Row>> ROWS = new ConcurrentHashMap<>();

    private final Random random;
    private final List<Row> rows;
    private final List<Row> simple;
    private final boolean[] spoiled = new boolean[32];

    /// Each is one or a few instructions that are entered at their beginning only.
    private final List<int[]> items = new ArrayList<>();

    /// For a branch how many items further it leads; else 0.
    private final List<Integer> farther = new ArrayList<>();

    RandomSequence(Random random, String extension) {
        this.random = random;
        rows = ROWS.computeIfAbsent(extension, RandomSequence::rows);
        simple = ROWS.computeIfAbsent("I", RandomSequence::rows);
        int count = 1 + random.nextInt(MOST_ITEMS);
        while (items.size() < count) {
            boolean own = random.nextInt(4) != 0;
            Row row = pick(own ? rows : simple);
            addItem(row);
        }
    }

    private static List<Row> rows(String extension) {
        return InstructionTable.TABLE.rows.stream()
                .filter(row -> row.extension().equals(extension) && !row.isReserved())
                .filter(row -> !UNLIKE.contains(row.operation()))
                .toList();
    }

    private Row pick(List<Row> from) {
        return from.get(random.nextInt(from.size()));
    }

    /// Adds it to the code.
    void addTo(CodeBuffer code) {
        int[] lengths = items.stream().mapToInt(RandomSequence::lengthBytes).toArray();
        for (int i = 0; i < items.size(); i++) {
            int[] item = items.get(i);
            if (farther.get(i) > 0) {
                int end = Math.min(items.size(), i + 1 + farther.get(i));
                int distance = Arrays.stream(lengths, i, end).sum();
                Row row = InstructionTable.TABLE.row(Encoding.of(item[0]).mnemonic);
                String immediate = InstructionTable.TABLE.shape(row).operands().get("imm");
                item =
                        new int[] {
                            item[0]
                                    | InstructionTable.TABLE
                                            .immediates
                                            .get(immediate)
                                            .encode(distance)
                        };
            }
            Arrays.stream(item)
                    .forEach(bits -> {
                        if (bits >>> Short.SIZE == 0 && !Decoded.isLong(bits)) {
                            code.addHalf(bits);
                        } else {
                            code.add(bits);
                        }
                    });
        }
    }

    private static int lengthBytes(int[] item) {
        return Arrays.stream(item).map(bits -> Decoded.isLong(bits) ? 4 : 2).sum();
    }

    private void add(int... item) {
        items.add(item);
        farther.add(0);
    }

    private void addItem(Row row) {
        switch (row.operation()) {
            case "jal", "beq", "bne", "blt", "bge", "bltu", "bgeu" -> addBranch(row);
            case "jalr" -> addJump(row);
            case "lr.w", "lr.d" -> addReservation(row);
            case "sc.w", "sc.d" -> {}
            default -> {
                if (InstructionTable.TABLE.shape(row).text().contains("imm(rs1)")) {
                    addAccess(row);
                } else if (row.shape().equals("AMO")) {
                    int pointer = pointer();
                    int rd = result();
                    add(encode(row, rd, pointer, random.nextInt(32), random.nextInt(4)));
                    spoil(rd);
                } else if (random.nextInt(16) == 0 && row.extension().equals("C")) {
                    addJumpIntoTheMiddle();
                } else {
                    addPlain(row);
                }
            }
        }
    }

    private static int encode(Row row, int rd, int rs1, int rs2, int immediate) {
        return InstructionTable.TABLE.encode(row, rd, rs1, rs2, immediate);
    }

    private static int encode(String name, int rd, int rs1, int rs2, int immediate) {
        return InstructionTable.TABLE.encode(name, rd, rs1, rs2, immediate);
    }

    /// Any register that an instruction may write.
    private int result() {
        return random.nextInt(MIDDLE);
    }

    private void spoil(int register) {
        if (register < spoiled.length) {
            spoiled[register] = true;
        }
    }

    private int pointer() {
        int[] pointer = POINTERS[random.nextInt(POINTERS.length)];
        return spoiled[pointer[0]] ? MIDDLE : pointer[0];
    }

    private static int offset(int pointer) {
        return Arrays.stream(POINTERS)
                .filter(one -> one[0] == pointer)
                .findFirst()
                .orElseThrow()[1];
    }

    /// Any bits where the operands are.
    private void addPlain(Row row) {
        int bits = plain(row);
        add(bits);
        spoil(Decoded.rd(Decoded.of(bits)));
    }

    private int plain(Row row) {
        while (true) {
            int operands = random.nextInt() & ~row.mask();
            int bits = row.value() | (row.isLong() ? operands : operands & 0xffff);
            boolean same = Encoding.of(bits).mnemonic.equals(row.name());
            if (same && Decoded.rd(Decoded.of(bits)) != MIDDLE) {
                return bits;
            }
        }
    }

    private void addBranch(Row row) {
        boolean isShort = !row.isLong();
        int first = isShort ? 8 + random.nextInt(8) : random.nextInt(32);
        int rd = row.name().equals("jal") ? result() : 0;
        add(encode(row, rd, first, random.nextInt(32), 0));
        spoil(rd);
        farther.set(items.size() - 1, 1 + random.nextInt(FARTHEST_ITEM));
    }

    /// To what follows it, by an address in a register.
    private void addJump(Row row) {
        int register = 9 + random.nextInt(20);
        int auipc = encode("auipc", register, 0, 0, 0);
        spoil(register);
        if (row.isLong()) {
            int rd = result();
            // The lowest bit does not count.
            add(auipc, encode(row, rd, register, 0, 8 + random.nextInt(2)));
            spoil(rd);
        } else {
            add(auipc, encode("addi", register, register, 0, 10), encode(row, 0, register, 0, 0));
            spoil(1);
        }
    }

    /// Over the first half of an instruction of 4 bytes, whose second half is one of 2 bytes.
    private void addJumpIntoTheMiddle() {
        Row hidden = pick(rows.stream().filter(row -> row.shape().equals("CA")).toList());
        int half = plain(hidden);
        spoil(Decoded.rd(Decoded.of(half)));
        int low = encode("lui", random.nextInt(32), 0, 0, random.nextInt(16) << 12);
        add(encode("jal", 0, 0, 0, 6), (half << Short.SIZE) | (low & 0xffff));
    }

    private void addAccess(Row row) {
        String name = row.operation();
        boolean store = name.startsWith("s");
        int size =
                switch (name.charAt(1)) {
                    case 'b' -> 1;
                    case 'h' -> 2;
                    case 'w' -> 4;
                    default -> 8;
                };
        int pointer =
                switch (row.shape()) {
                    case "LOAD", "STORE" -> pointer();
                    case "CLW", "CLD", "CSW", "CSD" -> 8;
                    default -> 2;
                };
        if (spoiled[pointer]) {
            return;
        }
        int lowest = row.isLong() ? -offset(pointer) : 0;
        int room = AREA_BYTES - offset(pointer) - lowest;
        // The shortest immediate counts up to 124.
        int steps = Math.min(room, row.isLong() ? room : 128) / size;
        int immediate = lowest + random.nextInt(steps) * size;
        boolean few = row.shape().length() == 3;
        int register = few ? 8 + random.nextInt(8) : 1 + random.nextInt(MIDDLE - 1);
        add(encode(row, register, pointer, register, immediate));
        if (!store) {
            spoil(register);
        }
    }

    /// A reservation, a few simple instructions, and two stores of which only the first may store.
    private void addReservation(Row row) {
        int pointer = pointer();
        String store = row.name().replace("lr", "sc");
        int rd = 3 + random.nextInt(4);
        int between = plain(InstructionTable.TABLE.row("xor"));
        int result = Decoded.rd(Decoded.of(between));
        if (result == pointer) {
            return;
        }
        spoil(result);
        add(
                encode(row, rd, pointer, 0, random.nextInt(4)),
                between,
                encode(store, 9, pointer, random.nextInt(32), random.nextInt(4)),
                encode(store, 11, pointer, random.nextInt(32), random.nextInt(4)));
    }
}
