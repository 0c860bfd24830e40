package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.rv.Guest.Way;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Code with known results, without an oracle.
class RvHartTest {
    private static final String MODES = "dev.outboard.dpa.rv.Guest#modes";
    private static final String RUNS = "dev.outboard.dpa.rv.Guest#runs";
    private static final int CYCLE = 0xc00;
    private static final int TIME = 0xc01;
    private static final int RETIRED = 0xc02;
    private static final int READ = 2;
    private static final int WRITE = 1;

    private static CodeBuffer code() {
        return new CodeBuffer();
    }

    private static Guest fast(CodeBuffer code) {
        return new Guest(Guest.COMPILED, code);
    }

    /// From the specification: what division by zero and overflow give, and words of 32 bits.
    @ParameterizedTest
    @CsvSource({
        "div,    7,                    0,  -1",
        "divu,   7,                    0,  -1",
        "rem,    7,                    0,  7",
        "remu,   7,                    0,  7",
        "div,    -9223372036854775808, -1, -9223372036854775808",
        "rem,    -9223372036854775808, -1, 0",
        "divw,   -2147483648,          -1, -2147483648",
        "remw,   -2147483648,          -1, 0",
        "divw,   4294967303,           0,  -1",
        "divuw,  4294967303,           0,  -1",
        "remw,   4294967303,           0,  7",
        "remuw,  4294967295,           0,  -1",
        "divuw,  -1,                   1,  -1",
        "mulhsu, -1,                   -1, -1",
        "mulhu,  -1,                   -1, -2",
        "mulh,   -1,                   -1, 0",
        "sll,    1,                    64, 1",
        "sra,    -9223372036854775808, 63, -1",
        "srl,    -1,                   127, 1",
        "sllw,   1,                    31, -2147483648",
        "srlw,   -1,                   32, -1",
        "sraw,   2147483648,           31, -1",
        "addw,   2147483647,           1,  -2147483648",
        "ctzw,   -9223372036854775808, 0,  32",
        "ctzw,   4294967304,           0,  3",
        "clzw,   -9223372036854775808, 0,  32",
        "orc.b,  1099511627776,        0,  280375465082880",
        "rev8,   1,                    0,  72057594037927936",
    })
    void computes(String name, long first, long second, long result) {
        CodeBuffer code =
                code().immediate("ld", 5, 10, 0)
                        .immediate("ld", 6, 10, 8)
                        .registers(name, 7, 5, 6)
                        .ret();
        for (Way way : Guest.fast()) {
            Guest guest = new Guest(way, code);
            guest.process.write64(AddressMap.HEAP, first);
            guest.process.write64(AddressMap.HEAP + 8, second);
            assertThat(guest.run().register(7)).as(way.toString()).isEqualTo(result);
        }
    }

    @Test
    void nothingIsWrittenToRegisterZero() {
        CodeBuffer code = code().immediate("addi", 0, 0, 7).registers("add", 5, 0, 0).ret();
        assertThat(fast(code).run().register(5)).isZero();
    }

    @ParameterizedTest
    @MethodSource(MODES)
    void memoryIsThatOfTheMachine(Way way) {
        CodeBuffer code =
                code().immediate("addi", 5, 0, -2)
                        .store("sd", 5, 0, 10)
                        .store("sb", 0, 1, 10)
                        .immediate("lh", 6, 10, 0)
                        .immediate("lwu", 7, 10, 4)
                        .store("sw", 5, 0, 11)
                        .store("sh", 5, -8, 2)
                        .immediate("lhu", 28, 2, -8)
                        .ret();
        RvHart hart = new Guest(way, code).run();
        assertThat(hart.register(6)).isEqualTo(0xfe);
        assertThat(hart.register(7)).isEqualTo(0xffff_ffffL);
        assertThat(hart.register(28)).isEqualTo(0xfffe);
    }

    @Test
    void aJumpIntoTheMiddleOfAnInstructionRunsWhatIsThere() {
        int half = InstructionTable.TABLE.encode("c.addi", 5, 5, 0, 3);
        CodeBuffer code =
                code().add("jal", 0, 0, 0, 6)
                        .add((half << Short.SIZE) | 0x0437)
                        .add("c.addi", 5, 5, 0, 4)
                        .ret();
        RvHart hart = fast(code).run();
        assertThat(hart.register(5)).isEqualTo(7);
        assertThat(hart.register(8)).isZero();
    }

    /// DPA-INT-5: the second read does not count itself, the first one does.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-INT-5a", "DPA-INT-6"})
    void instructionsAreCountedOneByOne(Way way) {
        CodeBuffer code =
                code().add("csrrs", 5, 0, 0, RETIRED)
                        .add("csrrs", 6, 0, 0, RETIRED)
                        .immediate("addi", 28, 0, 1)
                        .store("sd", 28, 0, 10)
                        .immediate("ld", 29, 10, 0)
                        .add("c.nop", 0, 0, 0, 0)
                        .add("fence.i", 0, 0, 0, 0)
                        .add("fence", 0, 0, 0, 0x33)
                        .registers("mul", 30, 29, 29)
                        .add("csrrsi", 7, 0, 0, RETIRED)
                        .add("ecall", 0, 0, 0, 0)
                        .add("csrrs", 28, 0, 0, CYCLE)
                        .add("ecall", 0, 0, 0, 0)
                        .add("csrrc", 29, 0, 0, TIME)
                        .add("ecall", 0, 0, 0, 0)
                        .ret();
        List<Long> seen = new ArrayList<>();
        Guest guest =
                new Guest(
                        way,
                        code,
                        (hart, thread, number) -> {
                            seen.add(thread.instRet());
                            seen.add(thread.cycles());
                            seen.add(thread.time());
                            return 0;
                        });
        RvHart hart = guest.run();
        assertThat(hart.register(6) - hart.register(5)).isEqualTo(1);
        assertThat(hart.register(7) - hart.register(6)).as("seven and the first").isEqualTo(8);
        List<Long> last = seen.subList(seen.size() - 9, seen.size());
        assertThat(last.get(0) - hart.register(7)).as("the read and the call").isEqualTo(2);
        assertThat(last.get(4) - hart.register(28)).isBetween(2L, 30L);
        assertThat(last.get(8) - hart.register(29)).isBetween(0L, 1L);
    }

    @Test
    void countersAreNotWritten() {
        CodeBuffer write = code().add("csrrw", 0, 5, 0, CYCLE);
        assertThat(fast(write).crash(Fault.ILLEGAL_INSTRUCTION).detail())
                .contains("pc 0x10000: csrrw x0, cycle, x5");
        fast(code().add("csrrs", 5, 6, 0, CYCLE)).crash(Fault.ILLEGAL_INSTRUCTION);
        fast(code().add("csrrs", 5, 0, 0, 0x300)).crash(Fault.ILLEGAL_INSTRUCTION);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-ERR-5")
    void whatItDoesNotKnowFaults(Way way) {
        for (int bits : new int[] {0, -1, 0x0010_0073, 0x0000_100b, 0x0600_002b}) {
            CodeBuffer code = code().immediate("addi", 5, 0, 77).add(bits);
            String detail = new Guest(way, code).crash(Fault.ILLEGAL_INSTRUCTION).detail();
            assertThat(detail).startsWith("pc 0x10004: ").contains("x5 0x4d");
        }
        CodeBuffer call = code().immediate("addi", 17, 0, 1234).add("ecall", 0, 0, 0, 0);
        assertThat(new Guest(way, call).crash(Fault.UNKNOWN_CALL).detail())
                .startsWith("no environment call has the number 1234; pc 0x10004: ecall");
        assertThat(Fault.ILLEGAL_INSTRUCTION.code()).isEqualTo(1);
        assertThat(Fault.UNKNOWN_CALL.code()).isEqualTo(13);
    }

    /// Data, heap and stack are no code, nor is what lies beyond the code.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-HW-8b", "DPA-ERR-2b", "DPA-ERR-4b"})
    void onlyCodeIsExecuted(Way way) {
        assertThat(Fault.BAD_FETCH.code()).isEqualTo(6);
        assertBadFetch(way, 10, AddressMap.HEAP);
        assertBadFetch(way, 11, AddressMap.GLOBALS);
        assertBadFetch(way, RvHart.STACK_POINTER, AddressMap.stack(0) + 4096);
        assertBadFetch(way, 0, 0);
        CodeBuffer end = code().add("c.nop", 0, 0, 0, 0);
        assertThat(new Guest(way, end).crash(Fault.BAD_FETCH).address()).isEqualTo(0x10002);
        CodeBuffer half = code().addHalf(0x0013);
        assertThat(new Guest(way, half).crash(Fault.BAD_FETCH).address()).isEqualTo(0x10000);
        CodeBuffer before = code().add("jal", 0, 0, 0, -4096);
        assertThat(new Guest(way, before).crash(Fault.BAD_FETCH).address()).isEqualTo(0xf000);
    }

    private static void assertBadFetch(Way way, int register, long address) {
        CodeBuffer code = code().add("jalr", 1, register, 0, 0);
        assertThat(new Guest(way, code).crash(Fault.BAD_FETCH).address()).isEqualTo(address);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    void aForbiddenAccessNamesItsInstruction(Way way) {
        CodeBuffer misaligned = code().immediate("lw", 5, 10, 2);
        assertThat(new Guest(way, misaligned).crash(Fault.MISALIGNED_LOAD).detail())
                .contains("pc 0x10000: lw x5, 2(x10)");
        CodeBuffer wild = code().add("c.nop", 0, 0, 0, 0).store("sd", 5, 0, 0);
        assertThat(new Guest(way, wild).crash(Fault.BAD_STORE).detail())
                .contains("pc 0x10002: sd x5, 0(x0)");
        CodeBuffer readOnly = code().add("auipc", 5, 0, 0, 0).store("sd", 5, 0, 5);
        new Guest(way, readOnly).crash(Fault.READ_ONLY);
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    void aLoopWithoutEndIsEnded(Way way) {
        String detail =
                new Guest(way, code().add("c.j", 0, 0, 0, 0)).crash(Fault.WATCHDOG).detail();
        assertThat(detail).contains("pc 0x10000: c.j 0x10000");
    }

    /// DPA-FEN-9: which space a fence orders, and what it orders there.
    @Test
    @Requirement({"DPA-FEN-9a", "DPA-FEN-9b"})
    void fencesAreThoseOfTheModel() {
        int io = 4 * (READ | WRITE);
        int rw = READ | WRITE;
        CodeBuffer code = code();
        for (int[] sides :
                new int[][] {
                    {rw, rw},
                    {WRITE, READ},
                    {READ, rw},
                    {io, io},
                    {4 * WRITE, 4 * READ},
                    {io | rw, io | rw},
                    {WRITE, 4 * WRITE},
                    {WRITE, 0},
                    {0, rw}
                }) {
            code.add("fence", 0, 0, 0, (sides[0] << 4) | sides[1]);
        }
        code.add("fence.tso", 0, 0, 0, 0x833).add("fence.i", 0, 0, 0, 0).ret();
        assertThat(trace(code))
                .containsExactly(
                        "MEMORY RW RW",
                        "MEMORY W R",
                        "MEMORY R RW",
                        "MMIO RW RW",
                        "MMIO W R",
                        "SYSTEM RW RW",
                        "SYSTEM W W",
                        "MEMORY RW RW");
    }

    @Test
    void ourOwnInstructionsAreOperationsOfTheMachine() {
        CodeBuffer code =
                code().add("dpa.heap_fence", 0, 0, 0, 4 * 2 + 3)
                        .add("dpa.memory_writeback", 0, 0, 0, 1)
                        .add("dpa.window_writeback", 0, 0, 0, 2)
                        .add("dpa.window_read_inv", 0, 0, 0, 3)
                        .add("lui", 5, 0, 0, 0x1_0000)
                        .registers("dpa.fxp_log2", 6, 5, 0)
                        .registers("dpa.fxp_rcp", 7, 5, 0)
                        .registers("dpa.fxp_pow2", 28, 0, 0)
                        .ret();
        assertThat(trace(code))
                .containsExactly("HEAP W RW", "memoryWriteback", "windowWriteback", "readInv");
        RvHart hart = fast(code).run();
        assertThat(hart.register(6)).isEqualTo(16 << 16);
        assertThat(hart.register(7)).isEqualTo(1 << 16);
        assertThat(hart.register(28)).isEqualTo(1 << 16);
    }

    @ParameterizedTest
    @CsvSource({"0, RELAXED", "1, RELEASE", "2, ACQUIRE", "3, ACQUIRE_RELEASE"})
    void atomicsOrderByTheirBits(int bits, AtomicOrder order) {
        CodeBuffer code =
                code().add("amoadd.w", 5, 10, 0, bits)
                        .add("lr.d", 5, 10, 0, bits)
                        .add("sc.d", 6, 10, 5, bits)
                        .add("sc.d", 7, 10, 5, bits)
                        .ret();
        assertThat(trace(code))
                .containsExactly(
                        order + " true", order + " false", order + " true", order + " false");
        RvHart hart = fast(code).run();
        assertThat(hart.register(6)).isZero();
        assertThat(hart.register(7)).isEqualTo(1);
    }

    @Test
    void aCallGetsItsArgumentsAndMayStop() {
        List<Long> arguments = new ArrayList<>();
        CodeBuffer code =
                code().immediate("addi", 10, 0, 5)
                        .immediate("addi", 16, 0, 6)
                        .immediate("addi", 17, 0, 93)
                        .add("ecall", 0, 0, 0, 0)
                        .immediate("addi", 5, 10, 1);
        Guest guest =
                new Guest(
                        Guest.COMPILED,
                        code,
                        (hart, thread, number) -> {
                            arguments.addAll(List.of(number, hart.argument(0), hart.argument(6)));
                            hart.stop();
                            return 9;
                        });
        RvHart hart = guest.run();
        assertThat(arguments).containsExactly(93L, 5L, 6L);
        assertThat(hart.register(10)).isEqualTo(9);
        assertThat(hart.register(5)).isZero();
    }

    private static List<String> trace(CodeBuffer code) {
        List<String> lines = new ArrayList<>();
        Observer observer =
                new Observer() {
                    @Override
                    public void fence(int actor, Space space, Op before, Op after, int site) {
                        lines.add("%s %s %s".formatted(space, before, after));
                    }

                    @Override
                    public void memoryWriteback(int actor, int site) {
                        lines.add("memoryWriteback");
                    }

                    @Override
                    public void windowWriteback(int actor, int site) {
                        lines.add("windowWriteback");
                    }

                    @Override
                    public void windowReadInv(int actor, int site) {
                        lines.add("readInv");
                    }

                    @Override
                    public void atomic(
                            int actor,
                            long address,
                            int lengthBytes,
                            AtomicOrder order,
                            boolean stored,
                            int site) {
                        lines.add(order + " " + stored);
                    }
                };
        new Guest(new Way(RunMode.check(observer, 1), 0), code).run();
        return lines;
    }
}
