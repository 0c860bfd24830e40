package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.rv.Guest.Way;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// DPA-RV-5: interpreter and compiled code do what QEMU does. To compile code that runs once takes
/// much longer than to interpret it, so of the 100,000 sequences of an extension a tenth is
/// compiled. `-Dseeds=10` runs ten times as many.
class QemuTest {
    private static final Path QEMU = Path.of("/usr/bin/qemu-riscv64");
    private static final int SEQUENCES = 2_500;
    private static final int PROGRAMS = 40;
    private static final int SEQUENCES_IN_TURNS = 200;
    private static final int HEADER_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int PAGE_BYTES = 4096;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"I", "M", "A", "C", "Zba", "Zbb", "Zbs"})
    @Requirement("DPA-HW-6")
    void randomSequencesDoTheSame(String extension) {
        assumeTrue(Files.isExecutable(QEMU), "qemu-riscv64 is not installed");
        Seeds.campaign(
                1,
                seed -> {
                    for (int i = 0; i < PROGRAMS; i++) {
                        long own = seed * PROGRAMS + i;
                        RandomProgram program = new RandomProgram(own, extension, SEQUENCES);
                        byte[] expected = byQemu(program);
                        for (Way way : i % 10 == 0 ? Guest.fast() : List.of(Guest.INTERPRETED)) {
                            assertThat(program.difference(expected, byTheMachine(program, way)))
                                    .as(way.toString())
                                    .isEmpty();
                        }
                    }
                });
    }

    @Test
    void randomSequencesDoTheSameInTurns() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(QEMU), "qemu-riscv64 is not installed");
        for (String extension : new String[] {"I", "A", "C"}) {
            RandomProgram program = new RandomProgram(7, extension, SEQUENCES_IN_TURNS);
            byte[] expected = byQemu(program);
            for (RunMode mode :
                    List.of(RunMode.check(Observer.NONE, 1), RunMode.weak(Profile.SEED, 1))) {
                byte[] actual = byTheMachine(program, new Way(mode, 0));
                assertThat(program.difference(expected, actual)).isEmpty();
            }
        }
    }

    private byte[] byQemu(RandomProgram program) throws IOException, InterruptedException {
        Path elf = directory.resolve("program");
        Path output = directory.resolve("output");
        Files.write(elf, elf(program));
        assertThat(elf.toFile().setExecutable(true)).isTrue();
        Process qemu =
                new ProcessBuilder(QEMU.toString(), elf.toString())
                        .redirectOutput(output.toFile())
                        .redirectError(directory.resolve("errors").toFile())
                        .start();
        assertThat(qemu.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(qemu.exitValue()).as(() -> "qemu: " + errors()).isZero();
        return Files.readAllBytes(output);
    }

    private String errors() {
        try {
            return Files.readString(directory.resolve("errors"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static byte[] byTheMachine(RandomProgram program, Way way) {
        byte[] data = program.data();
        MachineOptions options =
                MachineOptions.DEFAULT
                        .withUnits(UnitGrid.SMALL)
                        .withStorage(new Storage(data.length, 4096, false));
        DpaProcess process = DpaProcess.open(options, ProgramImage.EMPTY, way.mode());
        process.write(RandomProgram.DATA, data);
        RvCode code = new RvCode(RandomProgram.CODE, program.code(), way.threshold());
        process.trustedThread(
                "sequences",
                thread -> new RvHart(code, QemuTest::call).run(thread, RandomProgram.CODE),
                ThreadAttributes.DEFAULT);
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        return process.read(RandomProgram.DATA, data.length);
    }

    private static long call(RvHart hart, DpaThread thread, long number) {
        if (number == RandomProgram.EXIT) {
            hart.stop();
        }
        return 0;
    }

    /// A static program of two segments.
    private static byte[] elf(RandomProgram program) {
        byte[] code = program.code();
        byte[] data = program.data();
        int dataAt = PAGE_BYTES + (code.length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        ByteBuffer elf = ByteBuffer.allocate(dataAt + data.length).order(ByteOrder.LITTLE_ENDIAN);
        elf.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1}).position(16);
        elf.putShort((short) 2).putShort((short) 243).putInt(1).putLong(RandomProgram.CODE);
        elf.putLong(HEADER_BYTES).putLong(0).putInt(1);
        elf.putShort((short) HEADER_BYTES).putShort((short) SEGMENT_BYTES).putShort((short) 2);
        elf.position(HEADER_BYTES);
        segment(elf, 5, PAGE_BYTES, RandomProgram.CODE, code.length);
        segment(elf, 6, dataAt, RandomProgram.DATA, data.length);
        elf.put(PAGE_BYTES, code).put(dataAt, data);
        return elf.array();
    }

    private static void segment(ByteBuffer elf, int rights, int at, long address, int length) {
        elf.putInt(1).putInt(rights).putLong(at).putLong(address).putLong(address);
        elf.putLong(length).putLong(length).putLong(PAGE_BYTES);
    }
}
