package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the FIU drives on the wires of an AFU that uses all of them.
class DrivenWiresTest {
    private static final int LINES = 64;

    /// Not bit 23, which tells of a failed speculative read in later packages: it stays 0.
    private static final int READ_RESERVED = 1 << 25 | 1 << 22;

    private static final int READ_ERROR = 1 << 23;
    private static final int WRITE_RESERVED = 1 << 25 | 1 << 22;
    private static final int FENCE_RESERVED = 0xFF << 20;

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-SIG-13", "CCIP-UMSG-13", "CCIP-RSP-16"})
    void c0CarriesOneThingAtATime(Mode mode) {
        Set<String> seen = new HashSet<>();
        echo(
                mode,
                (cycle, tx, rx, answers) -> {
                    C0Rx c0 = rx.c0;
                    int valid = (c0.rspValid ? 1 : 0) + (c0.mmioRdValid ? 1 : 0);
                    assertThat(valid + (c0.mmioWrValid ? 1 : 0)).isLessThanOrEqualTo(1);
                    if (valid == 1) {
                        seen.add(c0.isUmsg() ? "umsg" : c0.isReadResponse() ? "line" : "mmio");
                    }
                });
        assertThat(seen).containsExactlyInAnyOrder("umsg", "line", "mmio");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-SIG-6")
    void reservedBitsAreUnknownToTheAfu(Mode mode) {
        int[] seen = new int[3];
        echo(
                mode,
                (cycle, tx, rx, answers) -> {
                    C1Rx c1 = rx.c1;
                    if (rx.c0.isReadResponse()) {
                        assertThat(rx.c0.hdr & READ_ERROR).isZero();
                        seen[0] |= rx.c0.hdr & READ_RESERVED;
                    }
                    if (c1.isWriteResponse()) {
                        seen[1] |= c1.hdr & WRITE_RESERVED;
                    } else if (c1.rspValid && c1.responseType() == C1Response.WRFENCE.code()) {
                        seen[2] |= c1.hdr & FENCE_RESERVED;
                    }
                });
        if (mode == Mode.ADVERSARIAL) {
            assertThat(seen).containsExactly(READ_RESERVED, WRITE_RESERVED, FENCE_RESERVED);
        } else {
            assertThat(seen).containsOnly(0);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-SIG-7")
    void idleWiresCarryGarbage(Mode mode) {
        Set<Integer> headers = new HashSet<>();
        Set<Long> data = new HashSet<>();
        echo(
                mode,
                (cycle, tx, rx, answers) -> {
                    if (!rx.c0.rspValid && !rx.c0.mmioRdValid && !rx.c0.mmioWrValid) {
                        headers.add(rx.c0.hdr);
                        data.add(rx.c0.data[7]);
                    }
                    if (!rx.c1.rspValid) {
                        headers.add(~rx.c1.hdr);
                    }
                });
        assertThat(headers).hasSizeGreaterThan(100);
        assertThat(data).hasSizeGreaterThan(50);
    }

    /// Else a trace would tell whether quiet cycles were left out.
    @Test
    void inTimedModeIdleWiresStayAsTheyAre() {
        int[] before = {-1, -1};
        Set<Integer> headers = new HashSet<>();
        echo(
                Mode.TIMED,
                (cycle, tx, rx, answers) -> {
                    if (!rx.c1.rspValid && before[1] != -1) {
                        assertThat(rx.c1.hdr).as("cycle %d", cycle).isEqualTo(before[1]);
                    }
                    boolean isIdle = !rx.c0.rspValid && !rx.c0.mmioRdValid && !rx.c0.mmioWrValid;
                    if (isIdle && before[0] != -1) {
                        assertThat(rx.c0.hdr).as("cycle %d", cycle).isEqualTo(before[0]);
                        headers.add(rx.c0.hdr);
                    }
                    before[0] = isIdle ? rx.c0.hdr : -1;
                    before[1] = rx.c1.rspValid ? -1 : rx.c1.hdr;
                });
        assertThat(headers).hasSizeGreaterThan(50);
    }

    @Test
    @Requirement({"CCIP-SIG-1", "CCIP-SIG-3", "CCIP-MOD-4"})
    void whatTheAfuSeesInACycleItCanAnswerInTheNext() {
        List<Long> delays = new ArrayList<>();
        long[] asked = {-1};
        try (Rig rig = new Rig(Profile.PAC_A10, Mode.TIMED, 1, new Hello(), Hello.AFU_ID)) {
            rig.simulation.monitor((cycle, tx, rx, answers) -> {
                if (tx.c2.mmioRdValid) {
                    delays.add(cycle - asked[0]);
                }
                if (rx.c0.mmioRdValid) {
                    asked[0] = cycle;
                }
            });
            for (int i = 0; i < 10; i++) {
                rig.read(JobRegisters.SCRATCH);
            }
        }
        assertThat(delays).hasSize(10).containsOnly(1L);
    }

    /// Sends messages to the echo, whose software also reads registers all the time.
    private static void echo(Mode mode, Monitor monitor) {
        try (Rig rig = new Rig(Profile.INTEGRATED, mode, 9, new UmsgEcho(), UmsgEcho.AFU_ID)) {
            rig.simulation.monitor(monitor);
            Buffer message = rig.buffer(LINES, 1);
            Buffer echo = rig.buffer(LINES, 2);
            Buffer flag = rig.buffer(1, 3);
            for (long sequence = 1; sequence <= 40; sequence++) {
                rig.fpga.triggerUmsg(
                        0,
                        sequence,
                        message.lineAddress(),
                        echo.lineAddress(),
                        LINES,
                        flag.lineAddress());
                while (flag.segment().get(ValueLayout.JAVA_LONG, 0) != sequence) {
                    rig.read(UmsgEcho.UMSGS);
                }
            }
        }
    }
}
