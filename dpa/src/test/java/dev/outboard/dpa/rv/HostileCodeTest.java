package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.rv.Guest.Way;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Code that no compiler would write costs its process only.
@Timeout(300)
class HostileCodeTest {
    /// `c.j -4`, for the upper half of a long instruction.
    private static final int BACK = 0xbff5;

    /// A store to no place of memory, with what the machine says to it.
    private record Edge(long address, int lengthBytes, String fault) {}

    private static List<Way> ways() {
        return List.of(
                Guest.INTERPRETED,
                Guest.COMPILED,
                new Way(RunMode.fast(), 10),
                new Way(RunMode.check(Observer.NONE, 1), RvCode.THRESHOLD));
    }

    private static CodeBuffer code() {
        return new CodeBuffer();
    }

    private static CodeBuffer jump(long address) {
        CodeBuffer code = code();
        if (address == AddressMap.HEAP) {
            return code.immediate("addi", 7, 10, 0).add("jalr", 0, 7, 0, 0);
        }
        return code.immediate("addi", 7, 0, (int) address).add("jalr", 0, 7, 0, 0);
    }

    private static CodeBuffer halves(int bits, int times) {
        CodeBuffer code = code();
        for (int i = 0; i < times; i++) {
            code.addHalf(bits);
        }
        return code;
    }

    /// Two places that jump to each other, where registers tell.
    private static CodeBuffer alternating(int link) {
        return code().add("auipc", 5, 0, 0, 0)
                .immediate("addi", 6, 5, 16)
                .immediate("addi", 5, 5, 12)
                .add("jalr", link, 6, 0, 0)
                .add("jalr", link, 5, 0, 0);
    }

    private static CodeBuffer frame(int bytes) {
        return code().add("lui", 7, 0, 0, bytes).registers("sub", 2, 2, 7);
    }

    /// A loop that is entered at its end, and goes round in the middle of an instruction.
    private static CodeBuffer hidden(int inner) {
        return code().add("jal", 0, 0, 0, 10)
                .add("c.j", 0, 0, 0, 4)
                .add("lui", 5, 0, 0, inner << 16)
                .add("c.j", 0, 0, 0, -6);
    }

    /// A chain of long functions, each of which calls the next one.
    private static CodeBuffer chain(int functions, int instructions) {
        CodeBuffer code = code();
        for (int i = 0; i < functions; i++) {
            for (int j = 0; j < instructions; j++) {
                code.immediate("addi", 1 + j % 31, 1 + j % 31, 1);
            }
            code.add("jal", 1, 0, 0, 4);
        }
        return code;
    }

    /// What each is, with the fault that ends it.
    private static Map<String, CodeBuffer> programs() {
        Map<String, CodeBuffer> all = new LinkedHashMap<>();
        all.put("WATCHDOG a jump to itself", code().add("c.j", 0, 0, 0, 0));
        all.put("WATCHDOG a call of itself", code().add("jal", 1, 0, 0, 0));
        all.put("WATCHDOG a branch to itself", code().store("beq", 0, 0, 0));
        all.put("WATCHDOG a jump to a register that leads to itself", alternating(0));
        all.put("WATCHDOG calls of each other", alternating(1));
        all.put("WATCHDOG a loop in the middle of an instruction", hidden(BACK));
        all.put("ILLEGAL_INSTRUCTION the middle of an instruction", hidden(0));
        all.put("BAD_FETCH a jump to 0", jump(0));
        all.put("BAD_FETCH a jump to -1", jump(-1));
        all.put("BAD_FETCH a jump to an odd address", jump(0x7ff));
        all.put("BAD_FETCH a jump to the heap", jump(AddressMap.HEAP));
        all.put("BAD_FETCH a jump to the stack", code().add("jalr", 0, 2, 0, 0));
        all.put("BAD_FETCH a jump to the globals", code().add("jalr", 1, 11, 0, 0));
        all.put("BAD_FETCH a branch far back", code().store("beq", 0, -4096, 0));
        all.put("STACK_OVERFLOW a frame of a stack", frame(8 << 10).store("sd", 7, -8, 2));
        all.put("BAD_STORE a frame of 1 MiB", frame(1 << 20).store("sd", 7, 0, 2));
        all.put(
                "BAD_LOAD a stack at 0",
                code().immediate("addi", 2, 0, 0).immediate("ld", 7, 2, 8));
        all.put(
                "WINDOW_NOT_CONFIGURED a stack below 0",
                code().immediate("addi", 2, 0, 0).store("sd", 7, -8, 2));
        all.put("ILLEGAL_INSTRUCTION all zeros", halves(0, 64));
        all.put("ILLEGAL_INSTRUCTION all ones", halves(0xffff, 64));
        all.put("BAD_FETCH one half of an instruction", halves(0xffff, 1));
        all.put("BAD_FETCH the end of the code", halves(1, 64));
        all.put("BAD_FETCH a call at the end of the code", code().add("jal", 1, 0, 0, 4));
        all.put(
                "STACK_OVERFLOW recursion with frames",
                code().immediate("addi", 2, 2, -16).store("sd", 1, 8, 2).add("jal", 1, 0, 0, -8));
        all.put(
                "WATCHDOG recursion of two without frames",
                code().add("jal", 1, 0, 0, 4).add("jal", 1, 0, 0, -4));
        all.put(
                "ATOMIC_ON_WINDOW an atomic",
                code().immediate("addi", 7, 0, -8).add("amoadd.d", 6, 7, 5, 0));
        all.put(
                "MISALIGNED_STORE an atomic",
                code().immediate("addi", 7, 10, 4).add("amoswap.d", 6, 7, 5, 0));
        all.put("BAD_STORE an atomic", code().add("amoadd.w", 6, 0, 5, 0));
        all.put("READ_ONLY an atomic", code().add("auipc", 7, 0, 0, 0).add("amomax.w", 6, 7, 5, 0));
        all.put(
                "MISALIGNED_STORE a reserving load",
                code().immediate("addi", 7, 10, 2).add("lr.w", 6, 7, 0, 0));
        all.put(
                "ATOMIC_ON_WINDOW a reserving load",
                code().immediate("addi", 7, 0, -16).add("lr.d", 6, 7, 0, 0));
        all.put("UNKNOWN_CALL a call", code().add("ecall", 0, 0, 0, 0));
        all.put(
                "WATCHDOG nothing but fences",
                code().add("fence", 0, 0, 0, 0x33).add("c.j", 0, 0, 0, -4));
        all.put(
                "WATCHDOG reservations for ever",
                code().add("lr.d", 6, 10, 0, 0).add("jal", 0, 0, 0, -4));
        all.put("BAD_FETCH a chain of many functions", chain(500, 200));
        return all;
    }

    private static DpaApp<DpaThread> app(CodeBuffer code, Way way) {
        byte[] bytes = code.toByteArray();
        RvCode shared = new RvCode(AddressMap.CODE, bytes, way.threshold());
        return Neighbours.app(
                bytes,
                thread -> {
                    RvHart hart = Neighbours.hart(shared, thread, Ecalls.NONE);
                    hart.run(thread, AddressMap.CODE);
                    return hart.register(RvHart.FIRST_ARGUMENT);
                });
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Requirement("DPA-SYS-5")
    void itsFaultEndsItAndNobodyElse(Way way) {
        try (Neighbours neighbours = new Neighbours(way.mode())) {
            programs()
                    .forEach((what, code) -> {
                        DpaApp<DpaThread> app = app(code, way);
                        CrashReport crash = neighbours.crash(what, app, Neighbours.callOf(app));
                        assertThat(crash.fault())
                                .as("%s: %s", what, crash.text())
                                .isEqualTo(Fault.valueOf(what.split(" ", 2)[0]));
                    });
        }
    }

    /// Each end of each space, the last bytes in it and the first ones beyond it.
    private static List<Edge> edges(int codeBytes) {
        List<Edge> edges = new ArrayList<>();
        long stack = AddressMap.stack(0);
        for (int length = 1; length <= Long.BYTES; length *= 2) {
            ends(edges, AddressMap.CODE, codeBytes, length, Fault.READ_ONLY.name());
            ends(edges, AddressMap.GLOBALS, Neighbours.GLOBAL_BYTES, length, "");
            ends(edges, AddressMap.HEAP, Neighbours.HEAP_BYTES, length, "");
            add(edges, stack, length, "");
            add(edges, stack + Neighbours.STACK_BYTES - length, length, "");
            add(edges, stack + Neighbours.STACK_BYTES, length, Fault.BAD_STORE.name());
            add(edges, stack - length, length, Fault.STACK_OVERFLOW.name());
            add(edges, AddressMap.STACKS, length, Fault.STACK_OVERFLOW.name());
            add(edges, AddressMap.STACKS - length, length, Fault.BAD_STORE.name());
            ends(edges, AddressMap.OUTBOX, 4096, length, Fault.OUTBOX_NOT_CONFIGURED.name());
            add(edges, 0, length, Fault.BAD_STORE.name());
            add(edges, Long.MAX_VALUE - length + 1, length, Fault.BAD_STORE.name());
            add(edges, Long.MIN_VALUE, length, Fault.WINDOW_NOT_CONFIGURED.name());
            add(edges, -length, length, Fault.WINDOW_NOT_CONFIGURED.name());
        }
        return edges;
    }

    private static void ends(List<Edge> edges, long from, long bytes, int length, String inside) {
        add(edges, from - length, length, Fault.BAD_STORE.name());
        add(edges, from, length, inside);
        add(edges, from + bytes - length, length, inside);
        add(edges, from + bytes, length, Fault.BAD_STORE.name());
    }

    /// There, and half of it beside that.
    private static void add(List<Edge> edges, long address, int length, String fault) {
        edges.add(new Edge(address, length, fault));
        if (length > 1) {
            edges.add(new Edge(address + length / 2, length, Fault.MISALIGNED_STORE.name()));
        }
    }

    /// Stores of 1, 2, 4 and 8 bytes, 8 bytes of code each.
    private static CodeBuffer stores() {
        CodeBuffer code = code();
        for (String name : List.of("sb", "sh", "sw", "sd")) {
            code.store(name, 11, 0, 10).ret();
        }
        return code;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aStoreBeyondAnEdgeFaults(Way way) {
        CodeBuffer stores = stores();
        byte[] bytes = stores.toByteArray();
        RvCode code = new RvCode(AddressMap.CODE, bytes, way.threshold());
        List<Edge> expected = edges(bytes.length);
        List<Edge> seen = new ArrayList<>();
        DpaApp<DpaThread> app =
                Neighbours.app(
                        bytes,
                        thread -> {
                            RvHart hart = Neighbours.hart(code, thread, Ecalls.NONE);
                            expected.forEach(edge -> seen.add(store(hart, thread, edge)));
                            return 0;
                        });
        try (Neighbours neighbours = new Neighbours(way.mode())) {
            neighbours.call(app, Neighbours.callOf(app));
        }
        assertThat(seen).isEqualTo(expected);
    }

    private static Edge store(RvHart hart, DpaThread thread, Edge edge) {
        hart.register(RvHart.FIRST_ARGUMENT, edge.address);
        int index = Integer.numberOfTrailingZeros(edge.lengthBytes);
        String fault = "";
        try {
            hart.run(thread, AddressMap.CODE + 8L * index);
        } catch (FaultSignal thrown) {
            fault = thrown.fault().name();
        }
        return new Edge(edge.address, edge.lengthBytes, fault);
    }
}
