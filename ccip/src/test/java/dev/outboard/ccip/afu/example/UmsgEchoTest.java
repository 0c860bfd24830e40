package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UmsgEchoTest {
    private static final int LINES = 24;

    @Test
    @Requirement({"CCIP-UMSG-3", "CCIP-UMSG-4", "CCIP-ORD-24"})
    void theFlagSaysThatTheMessageIsBack() {
        Seeds.campaign(
                20,
                seed -> {
                    try (Rig rig = rig(Mode.ADVERSARIAL, seed)) {
                        Buffer flag = rig.buffer(1, 0);
                        for (long sequence = 1; sequence <= 5; sequence++) {
                            Buffer message = rig.buffer(LINES, sequence);
                            Buffer echo = rig.buffer(LINES, ~sequence);
                            send(rig, (int) sequence % 8, sequence, message, echo, flag);
                            await(rig, flag, sequence);
                            // At once, although the last writes may not be answered yet.
                            assertThat(echo.segment().mismatch(message.segment())).isEqualTo(-1);
                        }
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-UMSG-5", "CCIP-UMSG-9", "CCIP-UMSG-12"})
    void hintsAreCountedAndNothingMore(Mode mode) {
        try (Rig rig = rig(mode, 3)) {
            rig.fpga.falseUmsgHint(5);
            rig.fpga.step(1000);
            assertThat(rig.read(UmsgEcho.HINTS)).isPositive();
            assertThat(rig.read(UmsgEcho.UMSGS)).isZero();
            assertThat(rig.simulation.isIdle()).isTrue();

            rig.fpga.umsgHints(1 << 1);
            Buffer flag = rig.buffer(1, 0);
            Buffer message = rig.buffer(LINES, 1);
            Buffer echo = rig.buffer(LINES, 2);
            send(rig, 1, 77, message, echo, flag);
            await(rig, flag, 77);
            assertThat(rig.read(UmsgEcho.HINTS)).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    @Requirement("CCIP-UMSG-8")
    void takesTheLastOfManyMessages() {
        try (Rig rig = rig(Mode.ADVERSARIAL, 4)) {
            Buffer flag = rig.buffer(1, 0);
            Buffer echo = rig.buffer(LINES, 2);
            for (long sequence = 1; sequence <= 20; sequence++) {
                Buffer message = rig.buffer(LINES, sequence);
                send(rig, 0, sequence, message, echo, flag);
                rig.fpga.step(sequence * 10);
            }
            await(rig, flag, 20);
            rig.settle();
            MemorySegment last = rig.buffer(LINES, 20).segment();
            assertThat(echo.segment().mismatch(last)).isEqualTo(-1);
        }
    }

    /// Stores what the AFU needs to know, the sequence number last.
    private static void send(
            Rig rig, int id, long sequence, Buffer message, Buffer echo, Buffer flag) {
        MemorySegment umsg = rig.fpga.umsg(id);
        umsg.setAtIndex(ValueLayout.JAVA_LONG, UmsgEcho.SOURCE, message.lineAddress());
        umsg.setAtIndex(ValueLayout.JAVA_LONG, UmsgEcho.DESTINATION, echo.lineAddress());
        umsg.setAtIndex(ValueLayout.JAVA_LONG, UmsgEcho.LINES, LINES);
        umsg.setAtIndex(ValueLayout.JAVA_LONG, UmsgEcho.FLAG, flag.lineAddress());
        rig.fpga.step(100);
        umsg.setAtIndex(ValueLayout.JAVA_LONG, UmsgEcho.SEQUENCE, sequence);
    }

    private static void await(Rig rig, Buffer flag, long sequence) {
        rig.await(() -> flag.segment().get(ValueLayout.JAVA_LONG, 0) == sequence);
    }

    private static Rig rig(Mode mode, long seed) {
        return new Rig(Profile.INTEGRATED, mode, seed, new UmsgEcho(), UmsgEcho.AFU_ID);
    }
}
