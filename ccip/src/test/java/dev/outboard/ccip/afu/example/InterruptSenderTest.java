package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InterruptSenderTest {
    private static final int LINES = 40;

    @Test
    @Requirement("CCIP-INT-6")
    void softwareFindsAllLinesWhenTheInterruptComes() {
        Seeds.campaign(
                20,
                seed -> {
                    try (Rig rig = rig(Mode.ADVERSARIAL, seed)) {
                        Buffer target = rig.buffer(LINES, 1);
                        rig.fpga.registerInterrupt(0);
                        rig.setLines(0, target.lineAddress(), LINES);
                        rig.start();
                        assertThat(rig.fpga.waitForInterrupt(0, Rig.LIMIT)).isEqualTo(1);
                        for (long i = 0; i < LINES * 8L; i++) {
                            assertThat(target.segment().getAtIndex(ValueLayout.JAVA_LONG, i))
                                    .isEqualTo(i / 8);
                        }
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-INT-2", "CCIP-INT-3"})
    void sendsEachInterruptOfTheSetOnceAJob(Mode mode) {
        try (Rig rig = rig(mode, 2)) {
            Buffer target = rig.buffer(1, 1);
            for (int id = 0; id < 4; id++) {
                rig.fpga.registerInterrupt(id);
            }
            rig.setLines(0, target.lineAddress(), 1);
            rig.write(InterruptSender.IDS, 0b1011);
            for (int job = 0; job < 3; job++) {
                rig.run();
                assertThat(rig.fpga.waitForInterrupt(0, Rig.LIMIT)).isEqualTo(1);
                assertThat(rig.fpga.waitForInterrupt(1, Rig.LIMIT)).isEqualTo(1);
                assertThat(rig.fpga.waitForInterrupt(3, Rig.LIMIT)).isEqualTo(1);
            }
            rig.write(InterruptSender.IDS, 0b0100);
            rig.run();
            assertThat(rig.fpga.waitForInterrupt(2, Rig.LIMIT)).isEqualTo(1);
            assertThat(rig.fpga.spuriousInterrupts()).isZero();
        }
    }

    private static Rig rig(Mode mode, long seed) {
        return new Rig(Profile.PAC_A10, mode, seed, new InterruptSender(), InterruptSender.AFU_ID);
    }
}
