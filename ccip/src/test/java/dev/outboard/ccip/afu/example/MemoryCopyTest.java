package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.example.MemoryCopy.Setting;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemoryCopyTest {
    private static final List<Profile> PLATFORMS =
            List.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.PAC_D5005, Profile.INTEGRATED);
    private static final int LINES = 300;

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-PLT-25", "CCIP-GUI-10"})
    void copiesOnEveryPlatformWithoutAChange(Mode mode) {
        for (Profile profile : PLATFORMS) {
            try (Rig rig = rig(profile, mode, 5)) {
                copies(rig, Setting.DEFAULT, LINES, 0, 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-PLT-9", "CCIP-MEM-7", "CCIP-PLT-15"})
    void copiesWithEverySizeHintAndChannel(Mode mode) {
        try (Rig rig = rig(Profile.INTEGRATED, mode, 6)) {
            for (LineCount most : LineCount.values()) {
                for (VirtualChannel channel : VirtualChannel.values()) {
                    VirtualChannel other = VirtualChannel.of(channel.code() + 1);
                    copies(rig, Setting.DEFAULT.with(most).with(channel, other), 65, 3, 2);
                }
            }
            for (ReadType reads : ReadType.values()) {
                for (WriteType writes :
                        List.of(WriteType.WRLINE_I, WriteType.WRLINE_M, WriteType.WRPUSH_I)) {
                    copies(rig, Setting.DEFAULT.with(reads, writes), 65, 0, 1);
                }
            }
        }
    }

    @Test
    void copiesAnyNumberOfLinesFromAnyLineToAnyLine() {
        Seeds.campaign(
                20,
                seed -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    Profile profile = PLATFORMS.get(random.nextInt(PLATFORMS.size()));
                    try (Rig rig = rig(profile, Mode.ADVERSARIAL, seed)) {
                        for (int i = 0; i < 3; i++) {
                            copies(
                                    rig,
                                    Setting.DEFAULT,
                                    random.nextInt(100),
                                    random.nextInt(8),
                                    random.nextInt(8));
                        }
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void onlyReadsOrOnlyWritesOrDoesBothAtOnce(Mode mode) {
        try (Rig rig = rig(Profile.PAC_A10, mode, 7)) {
            Buffer source = rig.buffer(LINES, 1);
            Buffer target = rig.buffer(LINES, 2);
            rig.setLines(source.lineAddress(), target.lineAddress(), LINES);

            rig.write(MemoryCopy.SETTING, Setting.DEFAULT.with(MemoryCopy.Mode.READ).code());
            rig.run();
            assertThat(target.segment().mismatch(rig.buffer(LINES, 2).segment())).isEqualTo(-1);

            for (MemoryCopy.Mode writes :
                    List.of(MemoryCopy.Mode.WRITE, MemoryCopy.Mode.THROUGHPUT)) {
                target.segment().fill((byte) 0);
                rig.write(MemoryCopy.SETTING, Setting.DEFAULT.with(writes).code());
                rig.run();
                for (long i = 0; i < LINES * 8L; i++) {
                    assertThat(target.segment().getAtIndex(ValueLayout.JAVA_LONG, i))
                            .isEqualTo(i / 8);
                }
            }
        }
    }

    @Test
    @Requirement({"CCIP-CHK-24", "CCIP-RST-2", "CCIP-RST-10"})
    void aResetInTheMiddleOfTrafficLeavesNoTrace() {
        Seeds.campaign(
                20,
                seed -> {
                    Mode mode = seed % 2 == 0 ? Mode.TIMED : Mode.ADVERSARIAL;
                    try (Rig rig = rig(Profile.PAC_A10, mode, seed)) {
                        Buffer source = rig.buffer(LINES, seed);
                        for (int run = 0; run < 4; run++) {
                            Buffer target = rig.buffer(LINES, ~seed);
                            rig.setLines(source.lineAddress(), target.lineAddress(), LINES);
                            rig.start();
                            rig.fpga.step(50 + seed * 37);
                            rig.fpga.reset();
                            assertThat(rig.read(JobRegisters.LINES)).isZero();
                            rig.setLines(source.lineAddress(), target.lineAddress(), LINES);
                            rig.run();
                            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
                        }
                    }
                });
    }

    @Test
    @Requirement({"CCIP-PLT-32", "CCIP-GUI-9"})
    void linesInTheFpgaCacheComeFasterThanTheLinkBringsThem() {
        int lines = 2048;
        try (Rig rig = rig(Profile.INTEGRATED, Mode.TIMED, 1)) {
            Buffer source = rig.buffer(lines, 1);
            rig.setLines(source.lineAddress(), 0, lines);
            rig.write(
                    MemoryCopy.SETTING,
                    Setting.DEFAULT
                            .with(MemoryCopy.Mode.READ)
                            .with(VirtualChannel.VL0, VirtualChannel.VL0)
                            .with(ReadType.RDLINE_S, WriteType.WRLINE_I)
                            .code());
            long first = cycles(rig);
            long second = cycles(rig);
            assertThat(first).isGreaterThan(2L * lines);
            assertThat(second).isLessThan(lines * 5L / 4);
        }
    }

    @Test
    void onlyAStartStartsAJobAndOnlyWhenNoneRuns() {
        try (Rig rig = rig(Profile.PAC_A10, Mode.TIMED, 1)) {
            Buffer source = rig.buffer(LINES, 1);
            Buffer target = rig.buffer(LINES, 2);
            rig.setLines(source.lineAddress(), target.lineAddress(), LINES);
            rig.write(JobRegisters.CONTROL, ~JobRegisters.START);
            assertThat(rig.simulation.isIdle()).isTrue();
            rig.start();
            rig.start();
            rig.awaitDone();
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            rig.fpga.writeMmio32(JobRegisters.CONTROL + 4, 1);
            assertThat(rig.isDone()).isTrue();
            assertThat(rig.read(JobRegisters.CONTROL)).isZero();
        }
    }

    /// Cycles from the start of a job to its end.
    private static long cycles(Rig rig) {
        long before = rig.simulation.cycle();
        rig.start();
        rig.awaitDone();
        return rig.simulation.cycle() - before;
    }

    private static Rig rig(Profile profile, Mode mode, long seed) {
        return new Rig(profile, mode, seed, new MemoryCopy(), MemoryCopy.AFU_ID);
    }

    /// Copies `lines` lines between two places of two buffers, and finds the rest as it was.
    private static void copies(Rig rig, Setting setting, int lines, int from, int to) {
        Buffer source = rig.buffer(lines + 16, 1);
        Buffer target = rig.buffer(lines + 16, 2);
        byte[] expected = target.segment().toArray(ValueLayout.JAVA_BYTE);
        MemorySegment.copy(
                source.segment(),
                (long) from * Line.BYTES,
                MemorySegment.ofArray(expected),
                (long) to * Line.BYTES,
                (long) lines * Line.BYTES);
        rig.write(MemoryCopy.SETTING, setting.code());
        rig.setLines(source.lineAddress() + from, target.lineAddress() + to, lines);
        rig.run();
        assertThat(target.segment().mismatch(MemorySegment.ofArray(expected))).isEqualTo(-1);
    }
}
