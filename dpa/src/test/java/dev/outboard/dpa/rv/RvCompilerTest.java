package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.rv.Guest.Way;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What compiled code does as the interpreter does it, where no results of QEMU tell.
class RvCompilerTest {
    private static final int CYCLE = 0xc00;
    private static final int RETIRED = 0xc02;

    private static CodeBuffer code() {
        return new CodeBuffer().immediate("addi", 5, 0, 77).immediate("addi", 6, 5, 1);
    }

    /// What ends a process, after some registers were written, and with what.
    private static Stream<Arguments> forbidden() {
        Map<String, CodeBuffer> all = new LinkedHashMap<>();
        all.put("MISALIGNED_LOAD a load", code().immediate("lw", 7, 10, 2));
        all.put("MISALIGNED_LOAD a load from the stack", code().immediate("ld", 7, 2, -4));
        all.put("MISALIGNED_STORE a store", code().store("sd", 5, 4, 10));
        all.put("MISALIGNED_STORE an atomic", code().add("amoadd.w", 7, 6, 5, 0));
        all.put("BAD_LOAD a load from nowhere", code().immediate("ld", 7, 0, 0));
        all.put("BAD_LOAD beyond the globals", code().immediate("lb", 7, 11, Guest.GLOBAL_BYTES));
        all.put("BAD_LOAD below the heap", code().immediate("lbu", 0, 10, -1));
        all.put("BAD_STORE a store to nowhere", code().store("sb", 5, 8, 0));
        all.put("READ_ONLY a store to code", code().add("auipc", 7, 0, 0, 0).store("sw", 5, 0, 7));
        all.put("STACK_OVERFLOW the guard", guard());
        all.put("ILLEGAL_INSTRUCTION nothing known", code().add(0));
        all.put("ILLEGAL_INSTRUCTION a write of a counter", code().add("csrrw", 7, 5, 0, CYCLE));
        all.put("UNKNOWN_CALL a call", code().add("ecall", 0, 0, 0, 0));
        all.put("BAD_FETCH a jump out of the code", code().add("jal", 7, 0, 0, 4096));
        all.put("BAD_FETCH a jump to a register", code().add("jalr", 7, 10, 0, 0));
        all.put("BAD_FETCH the end of the code", code().immediate("addi", 7, 5, 5));
        all.put("BAD_FETCH a branch before the code", code().store("beq", 5, -64, 5));
        all.put("ILLEGAL_INSTRUCTION the middle of one", code().add("jal", 0, 0, 0, 6).add(0x0437));
        all.put("BAD_LOAD a call later", deep());
        all.put("WATCHDOG nothing but a jump", code().add("c.j", 0, 0, 0, 0));
        return all.entrySet().stream()
                .map(entry -> {
                    String[] words = entry.getKey().split(" ", 2);
                    return Arguments.of(words[1], Fault.valueOf(words[0]), entry.getValue());
                });
    }

    /// A store below a stack of a page.
    private static CodeBuffer guard() {
        return code().add("lui", 7, 0, 0, 4096).registers("sub", 7, 2, 7).store("sd", 5, -8, 7);
    }

    /// Calls that return, and one that fails in the middle of a function.
    private static CodeBuffer deep() {
        return code().add("jal", 1, 0, 0, 12)
                .add("jal", 1, 0, 0, 8)
                .immediate("ld", 7, 0, 8)
                .immediate("addi", 5, 5, 1)
                .ret();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forbidden")
    @Requirement({"DPA-RV-6", "DPA-HW-7b"})
    void whatIsForbiddenEndsItAtTheSameInstruction(String what, Fault fault, CodeBuffer code) {
        CrashReport interpreted = new Guest(Guest.INTERPRETED, code).crash(fault);
        CrashReport compiled = new Guest(Guest.COMPILED, code).crash(fault);
        assertThat(compiled.detail()).isEqualTo(interpreted.detail()).contains("x5 0x4");
        assertThat(compiled.address()).isEqualTo(interpreted.address());
        assertThat(compiled.lengthBytes()).isEqualTo(interpreted.lengthBytes());
    }

    @Test
    void recursionWithoutEndOverflowsTheStackOfTheDevice() {
        CodeBuffer code =
                code().immediate("addi", 2, 2, -16)
                        .store("sd", 1, 8, 2)
                        .immediate("addi", 5, 5, 1)
                        .add("jal", 1, 0, 0, -12);
        List<String> details = new ArrayList<>();
        for (Way way : Guest.fast()) {
            details.add(new Guest(way, code).crash(Fault.STACK_OVERFLOW).detail());
        }
        assertThat(details.get(1)).isEqualTo(details.get(0));
    }

    /// Deeper than the calls of Java go, and back.
    @Test
    void recursionAsDeepAsMemoryAllowsReturns() {
        CodeBuffer code =
                new CodeBuffer()
                        .immediate("addi", 8, 1, 0)
                        .immediate("addi", 5, 0, 500)
                        .add("jal", 1, 0, 0, 12)
                        .immediate("addi", 1, 8, 0)
                        .ret()
                        .store("sd", 1, 0, 10)
                        .immediate("addi", 10, 10, 8)
                        .immediate("addi", 5, 5, -1)
                        .store("beq", 0, 12, 5)
                        .add("jal", 1, 0, 0, -16)
                        .immediate("addi", 6, 6, 3)
                        .immediate("addi", 10, 10, -8)
                        .immediate("ld", 1, 10, 0)
                        .ret();
        for (Way way : Guest.fast()) {
            RvHart hart = new Guest(way, code).run();
            assertThat(hart.register(6)).isEqualTo(3 * 499);
            assertThat(hart.register(10)).isEqualTo(AddressMap.HEAP);
        }
    }

    /// Loops of each kind: by a branch, with memory, by calls, by a register.
    private static Stream<CodeBuffer> loops() {
        return Stream.of(
                new CodeBuffer().immediate("addi", 5, 5, 1).store("bne", 0, -4, 5),
                new CodeBuffer()
                        .immediate("ld", 5, 10, 0)
                        .store("sd", 5, 8, 10)
                        .add("c.j", 0, 0, 0, -8),
                new CodeBuffer().immediate("addi", 5, 5, 1).add("jal", 1, 0, 0, -4),
                new CodeBuffer().add("auipc", 5, 0, 0, 0).add("jalr", 0, 5, 0, 0),
                new CodeBuffer().add("auipc", 5, 0, 0, 0).add("jalr", 1, 5, 0, 0),
                new CodeBuffer().add("fence", 0, 0, 0, 0x33).add("c.j", 0, 0, 0, -4));
    }

    @ParameterizedTest
    @MethodSource("loops")
    @Requirement("DPA-RV-6")
    void aLoopWithoutEndIsEnded(CodeBuffer code) {
        assertThat(new Guest(Guest.COMPILED, code).crash(Fault.WATCHDOG).detail())
                .contains("pc 0x1000");
    }

    /// DPA-INT-4, DPA-INT-6: after loops, calls, accesses and operations of the thread.
    @Test
    @Requirement("DPA-INT-6")
    void countersCountTheSame() {
        CodeBuffer code =
                new CodeBuffer()
                        .immediate("addi", 8, 1, 0)
                        .add("csrrs", 20, 0, 0, RETIRED)
                        .add("csrrs", 21, 0, 0, CYCLE)
                        .immediate("addi", 5, 0, 1000)
                        .add("jal", 1, 0, 0, 36)
                        .store("sd", 5, 0, 10)
                        .add("amoadd.d", 7, 10, 5, 0)
                        .add("fence", 0, 0, 0, 0x33)
                        .immediate("addi", 5, 5, -1)
                        .store("bne", 0, -20, 5)
                        .add("csrrs", 22, 0, 0, RETIRED)
                        .add("csrrs", 23, 0, 0, CYCLE)
                        .add("jalr", 0, 8, 0, 0)
                        .immediate("lw", 6, 11, 0)
                        .immediate("addi", 6, 6, 1)
                        .store("sw", 6, 0, 11)
                        .ret();
        List<List<Long>> counts = new ArrayList<>();
        for (Way way : Guest.fast()) {
            RvHart hart = new Guest(way, code).run();
            counts.add(
                    List.of(
                            hart.register(22) - hart.register(20),
                            hart.register(23) - hart.register(21)));
        }
        assertThat(counts.get(1)).isEqualTo(counts.get(0));
        assertThat(counts.get(1).getFirst()).isEqualTo(3 + 1000 * 10);
    }

    /// DPA-RV-6: only what is hot is compiled, in the middle of a loop too.
    @Test
    @Requirement("DPA-RV-6")
    void aHotLoopIsCompiledWhileItRuns() {
        CodeBuffer code =
                new CodeBuffer()
                        .add("lui", 5, 0, 0, 16 << 12)
                        .add("c.nop", 0, 0, 0, 0)
                        .immediate("addi", 6, 6, 2)
                        .immediate("addi", 5, 5, -1)
                        .store("bne", 0, -8, 5)
                        .ret();
        Guest guest = new Guest(new Way(Guest.COMPILED.mode(), 1000), code);
        assertThat(guest.run().register(6)).isEqualTo(2L * (16 << 12));
        assertThat(guest.hart.regionAt(AddressMap.CODE + 6)).isNotNull();
        assertThat(guest.hart.regionAt(AddressMap.CODE)).isNull();
    }

    /// Functions that call each other, and of which only the first one runs.
    @Test
    void aLargeProgramIsNotCompiledAtOnce() {
        CodeBuffer code = new CodeBuffer().store("beq", 0, 8, 0).add("jal", 1, 0, 0, 8).ret();
        int first = code.lengthBytes();
        int functions = 3 * RvRegions.MOST_AT_ONCE;
        for (int i = 0; i < functions; i++) {
            code.add("jal", 1, 0, 0, 4);
        }
        Guest guest = new Guest(Guest.COMPILED, code);
        guest.run();
        long compiled =
                IntStream.range(0, functions)
                        .mapToLong(i -> AddressMap.CODE + first + 4L * i)
                        .filter(address -> guest.hart.regionAt(address) != null)
                        .count();
        assertThat(compiled).isBetween(1L, (long) RvRegions.MOST_AT_ONCE);
    }
}
