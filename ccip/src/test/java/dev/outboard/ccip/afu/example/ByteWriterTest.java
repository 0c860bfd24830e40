package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ByteWriterTest {
    private static final int LINES = 32;

    @Test
    @Requirement({"CCIP-BYT-11", "CCIP-BYT-12"})
    void writesAnUnalignedBufferAsHeadBodyAndTail() {
        try (Rig rig =
                new Rig(Profile.PAC_D5005, Mode.TIMED, 17, new ByteWriter(), ByteWriter.AFU_ID)) {
            List<String> beats = new ArrayList<>();
            Buffer source = rig.buffer(LINES, 1);
            Buffer target = rig.buffer(LINES, 2);
            rig.simulation.monitor((cycle, tx, rx, answers) -> {
                if (tx.c1.valid && tx.c1.requestType() != WriteType.WRFENCE.code()) {
                    beats.add(text(tx.c1, target.lineAddress()));
                }
            });
            // Byte 0x2C of line 0x18B in the manual; the buffer begins at a multiple of 64 lines.
            copies(rig, source, target, 0xB, 0x2C, 152);
            assertThat(beats)
                    .containsExactly(
                            "bytes b start 2c length 14",
                            "lines c count 2",
                            "line 1",
                            "bytes e start 0 length 4");
        }
    }

    @Test
    @Requirement("CCIP-BYT-10")
    void writesSeventeenBytesFromTheFifthOn() {
        try (Rig rig =
                new Rig(Profile.PAC_D5005, Mode.TIMED, 18, new ByteWriter(), ByteWriter.AFU_ID)) {
            List<String> beats = new ArrayList<>();
            Buffer source = rig.buffer(LINES, 1);
            Buffer target = rig.buffer(LINES, 2);
            rig.simulation.monitor((cycle, tx, rx, answers) -> {
                if (tx.c1.valid && tx.c1.requestType() != WriteType.WRFENCE.code()) {
                    beats.add(text(tx.c1, target.lineAddress()));
                }
            });
            byte[] before = target.segment().toArray(ValueLayout.JAVA_BYTE);
            copies(rig, source, target, 0, 4, 0x11);
            assertThat(beats).containsExactly("bytes 0 start 4 length 11");
            for (int i = 0; i < Line.BYTES; i++) {
                byte expected =
                        i >= 4 && i <= 20
                                ? source.segment().get(ValueLayout.JAVA_BYTE, i - 4)
                                : before[i];
                assertThat(target.segment().get(ValueLayout.JAVA_BYTE, i)).isEqualTo(expected);
            }
        }
    }

    @Test
    @Requirement({"CCIP-BYT-2", "CCIP-BYT-3", "CCIP-BYT-5"})
    void writesTheBytesItIsToldAndNoOthers() {
        Seeds.campaign(
                30,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    Mode mode = random.nextBoolean() ? Mode.ADVERSARIAL : Mode.TIMED;
                    try (Rig rig =
                            new Rig(
                                    Profile.PAC_D5005,
                                    mode,
                                    seed,
                                    new ByteWriter(),
                                    ByteWriter.AFU_ID)) {
                        Buffer source = rig.buffer(LINES, seed);
                        Buffer target = rig.buffer(LINES, ~seed);
                        for (int i = 0; i < 10; i++) {
                            int line = random.nextInt(8);
                            int offset = random.nextInt(Line.BYTES);
                            int most = random.nextBoolean() ? 130 : 1000;
                            copies(rig, source, target, line, offset, random.nextInt(most));
                        }
                    }
                });
    }

    private static void copies(
            Rig rig, Buffer source, Buffer target, long line, int offset, int length) {
        byte[] expected = target.segment().toArray(ValueLayout.JAVA_BYTE);
        MemorySegment.copy(
                source.segment(),
                0,
                MemorySegment.ofArray(expected),
                line * Line.BYTES + offset,
                length);
        rig.write(JobRegisters.SOURCE, source.lineAddress());
        rig.write(JobRegisters.DESTINATION, target.lineAddress() + line);
        rig.write(ByteWriter.OFFSET, offset);
        rig.write(ByteWriter.LENGTH, length);
        rig.run();
        assertThat(target.segment().mismatch(MemorySegment.ofArray(expected))).isEqualTo(-1);
    }

    private static String text(C1Tx c1, long base) {
        if (c1.byteMode()) {
            return "bytes %x start %x length %x"
                    .formatted(c1.address() - base, c1.byteStart(), c1.byteLength());
        }
        if (!c1.startOfPacket()) {
            return "line %x".formatted(c1.address());
        }
        return "lines %x count %d"
                .formatted(c1.address() - base, LineCount.of(c1.lengthCode()).lines());
    }
}
