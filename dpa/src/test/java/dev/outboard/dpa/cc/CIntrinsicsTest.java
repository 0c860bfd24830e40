package dev.outboard.dpa.cc;

import static dev.outboard.dpa.cc.Clang.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.elf.ElfSymbol;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.rv.Disassembler;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What the compiler makes of `dpaintrin.h`, and what a thread knows of itself.
class CIntrinsicsTest {
    private DpaApp<DpaThread> app;

    @BeforeEach
    void compile() {
        app = Clang.app("intrinsics");
    }

    static List<RunMode> modes() {
        return List.of(RunMode.fast(), RunMode.check(Observer.NONE, 1));
    }

    private FlexioProcess open(HostProcess host, RunMode mode) {
        return FlexioProcess.create(host, DpaDevice.of(MachineOptions.DEFAULT, mode), app);
    }

    /// The instructions of a function, four bytes or two of each.
    private static List<Integer> instructions(String function) {
        DeviceElf elf = DeviceElf.parse(Clang.elf("intrinsics"));
        ElfSymbol symbol = elf.program().symbols().named(function).orElseThrow();
        ByteBuffer code = ByteBuffer.wrap(elf.image().code()).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> bits = new ArrayList<>();
        int at = (int) (symbol.address() - AddressMap.CODE);
        int end = at + (int) symbol.sizeBytes();
        while (at < end) {
            boolean isLong = (code.get(at) & 3) == 3;
            bits.add(isLong ? code.getInt(at) : code.getShort(at) & 0xFFFF);
            at += isLong ? 4 : 2;
        }
        return bits;
    }

    private static long stores(String function) {
        return instructions(function).stream()
                .map(bits -> Disassembler.text(bits, AddressMap.CODE))
                .filter(text -> text.startsWith("sd ") || text.startsWith("c.sd "))
                .count();
    }

    /// A store before it that only a later one would see stays, where none stays without it.
    @ParameterizedTest
    @CsvSource({
        "none, 1",
        "ignore, 1",
        "cycles, 2",
        "time, 2",
        "retired, 2",
        "compiler, 2",
        "memory_fence, 2",
        "heap_fence, 2",
        "window_fence, 2",
        "outbox_fence, 2",
        "whole_fence, 2",
        "writeback, 2",
        "window_writeback, 2",
        "window_read_inv, 2"
    })
    @Requirement({"DPA-INT-1b", "DPA-INT-2b", "DPA-INT-3b", "DPA-FEN-8"})
    void theCompilerMovesNothingAcrossIt(String function, int stores) {
        assertThat(stores(function)).isEqualTo(stores);
    }

    /// Standard fences have predecessors in bits 24 to 27 and successors in bits 20 to 23, of
    /// input, output, reads and writes; the others are ours.
    @ParameterizedTest
    @CsvSource({
        "memory_w_w,       0x0110000F",
        "memory_r_rw,      0x0230000F",
        "window_w_r,       0x0480000F",
        "outbox_w_w,       0x0440000F",
        "mmio_rw_rw,       0x0CC0000F",
        "system_w_r,       0x05A0000F",
        "system_fence,     0x0FF0000F",
        "heap_r_w,         0x0060100B",
        "heap_rw_r,        0x00D0100B",
        "memory_writeback, 0x0010200B",
        "writeback_memory, 0x0010200B",
        "window_written,   0x0020200B",
        "window_inv,       0x0030200B",
        "log2_of,          0x0000002B",
        "rcp_of,           0x0200002B",
        "pow2_of,          0x0400002B",
        "data_ignore,      0"
    })
    @Requirement({"DPA-RV-1", "DPA-RV-8"})
    void eachIntrinsicIsItsInstruction(String function, String expected) {
        int bits = Integer.decode(expected);
        // Of the fixed-point functions registers are up to the compiler.
        int mask = (bits & 0x7F) == 0x2B ? 0xFE00_707F : -1;
        List<Integer> special =
                instructions(function).stream()
                        .filter(each -> List.of(0x0F, 0x0B, 0x2B).contains(each & 0x7F))
                        .map(each -> each & mask)
                        .toList();
        assertThat(special).isEqualTo(bits == 0 ? List.of() : List.of(bits));
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-INT-11b")
    void fixedPointFunctionsAreThoseOfJava(RunMode mode) {
        int[] operands = new int[3000];
        Random random = new Random(7);
        int[] edges = {0, 1, 2, -1, 65535, 65536, 65537, 0x000F_0000, -1_114_111, -1_114_112};
        for (int i = 0; i < operands.length; i++) {
            operands[i] = random.nextInt() >> random.nextInt(32);
        }
        System.arraycopy(edges, 0, operands, 0, edges.length);
        operands[edges.length] = Integer.MIN_VALUE;
        operands[edges.length + 1] = Integer.MAX_VALUE;
        ByteBuffer bytes = ByteBuffer.allocate(4 * operands.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(operands);
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr from = process.heap().copyFromHost(bytes.array());
            DpaAddr to = process.heap().zeros(12 * operands.length);
            call(process, app, "fixed", from.value(), to.value(), operands.length);
            ByteBuffer results =
                    ByteBuffer.wrap(process.heap().copyOut(to, 12 * operands.length))
                            .order(ByteOrder.LITTLE_ENDIAN);
            for (int operand : operands) {
                int[] all = {results.getInt(), results.getInt(), results.getInt()};
                assertThat(all)
                        .as("of %d", operand)
                        .containsExactly(
                                DpaFxp.log2(operand), DpaFxp.rcp(operand), DpaFxp.pow2(operand));
            }
        }
    }

    private static long[] words(FlexioProcess process, DpaAddr from, int count) {
        long[] words = new long[count];
        ByteBuffer.wrap(process.heap().copyOut(from, 8 * count))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words);
        return words;
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-RV-4")
    void anAddressTellsItsSpace(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            DpaAddr to = process.heap().zeros(64);
            call(process, app, "places", to.value());
            long[] at = words(process, to, 8);
            assertThat(at[0]).isBetween(AddressMap.CODE, AddressMap.GLOBALS - 1);
            assertThat(at[1]).isBetween(AddressMap.CODE, AddressMap.GLOBALS - 1);
            assertThat(at[2]).isBetween(AddressMap.GLOBALS, AddressMap.HEAP - 1);
            assertThat(at[3]).isBetween(AddressMap.GLOBALS, AddressMap.HEAP - 1);
            assertThat(at[4]).isBetween(AddressMap.HEAP, AddressMap.STACKS - 1);
            assertThat(at[5]).isBetween(AddressMap.STACKS, AddressMap.OUTBOX - 1);
            assertThat(at[6]).isEqualTo(AddressMap.OUTBOX);
            assertThat(at[7]).isEqualTo(AddressMap.WINDOW).isNegative();
            for (int i = 0; i < at.length; i++) {
                assertThat(AddressMap.contains(Space.HEAP, at[i])).isEqualTo(i == 4);
                assertThat(AddressMap.contains(Space.MEMORY, at[i])).isEqualTo(i < 6);
                assertThat(AddressMap.contains(Space.MMIO, at[i])).isEqualTo(i >= 6);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-RV-3")
    void aThreadHasAContext(RunMode mode) {
        try (HostProcess host = HostProcess.open();
                FlexioProcess process = open(host, mode)) {
            FlexioBuffer buffer = FlexioBuffer.create(process, "word", ExternalKind.HOST, 8);
            int key =
                    FlexioMkey.create(process.domain(), buffer, 0, 8, Access.LOCAL_WRITE).number();
            FlexioWindow.create(process, process.domain());
            int window = FlexioWindow.create(process, process.domain()).number();
            FlexioOutbox.create(process, process.uar());
            int outbox = FlexioOutbox.create(process, process.uar()).number();
            DpaAddr to = process.heap().zeros(128);
            assertThat(call(process, app, "context", to.value(), outbox, window, key)).isOne();
            assertThat(words(process, to, 15))
                    .containsExactly(
                            1,
                            AddressMap.OUTBOX,
                            AddressMap.WINDOW,
                            0,
                            0,
                            0,
                            0,
                            0,
                            outbox,
                            window,
                            1,
                            22,
                            outbox,
                            22,
                            0);
            // The latest refusal is known to the next call, too.
            call(process, app, "context", to.value(), outbox, window, key);
            assertThat(words(process, to, 15)[5]).isEqualTo(22);
        }
    }

    /// Nothing of where it was built stands in it.
    @Test
    void theSameSourceGivesTheSameProgram(@TempDir Path directory) throws IOException {
        Path source =
                Files.writeString(
                        directory.resolve("kernel.c"),
                        "#include <libflexio-libc/stdio.h>\nint f(void) { return puts(\"a\"); }");
        DeviceCompiler compiler = Clang.orSkip();
        byte[] elf = compiler.compile(DeviceSources.of(source));
        assertThat(compiler.compile(DeviceSources.of(source))).isEqualTo(elf);
        assertThat(new String(elf, StandardCharsets.ISO_8859_1)).doesNotContain("outboard-dpacc-");
    }

    @Test
    @Requirement("DPA-RV-1")
    void theProgramTellsItsInterface() {
        byte[] elf = Clang.elf("intrinsics");
        assertThat(new String(elf, StandardCharsets.ISO_8859_1))
                .contains("Outboard\0\0\0\0" + (char) DeviceElf.ABI_VERSION + "\0\0\0");
    }
}
