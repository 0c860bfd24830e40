package dev.outboard.ccip.host;

import static dev.outboard.ccip.host.HostPrograms.ENOUGH;
import static dev.outboard.ccip.host.HostPrograms.assertRefused;
import static dev.outboard.ccip.host.HostPrograms.fill;
import static dev.outboard.ccip.host.HostPrograms.open;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.example.InterruptSender;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Interrupts and UMsgs, as a host program has them.
class EventTest {
    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-INT-8", "CCIP-INT-2"})
    void waitsForTheInterruptOfAnAfu(Mode mode) {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new InterruptSender())
                        .mode(mode)
                        .policy(ErrorPolicy.LOG)
                        .build();
        Fpga fpga = Fpga.open(simulation, InterruptSender.AFU_ID);
        Buffer target = fpga.prepareBuffer(4096);
        fpga.registerInterrupt(3);
        fpga.writeMmio64(JobRegisters.DESTINATION, target.lineAddress());
        fpga.writeMmio64(JobRegisters.LINES, 4);
        fpga.writeMmio64(InterruptSender.IDS, 0b1010);
        fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
        assertThat(fpga.waitForInterrupt(3, ENOUGH)).isEqualTo(1);
        assertThat(target.segment().get(ValueLayout.JAVA_LONG, 3 * 64)).isEqualTo(3);
        fpga.waitUntil(() -> fpga.spuriousInterrupts() == 1, ENOUGH);
        assertThat(simulation.checker().count(Violation.HOST_INTR_NO_WAITER)).isEqualTo(1);
    }

    @Test
    @Requirement({"CCIP-PLT-7", "CCIP-UMSG-1"})
    void aPlatformRefusesWhatItDoesNotHave() {
        Fpga card = open(Profile.PAC_A10, new RegisterAfu());
        assertRefused(
                FpgaException.Reason.UNSUPPORTED,
                () -> card.umsg(0),
                "Platform PAC_A10 has no UMsgs");
        assertRefused(FpgaException.Reason.UNSUPPORTED, () -> card.triggerUmsg(0, 1), "no UMsgs");
        assertRefused(
                FpgaException.Reason.INVALID_ARGUMENT,
                () -> open(Profile.INTEGRATED, new RegisterAfu()).triggerUmsg(0, new long[9]),
                "9 words; valid are up to 8");
        Fpga integrated = open(Profile.INTEGRATED, new RegisterAfu());
        assertRefused(
                FpgaException.Reason.UNSUPPORTED,
                () -> integrated.waitForInterrupt(0, 1),
                "Platform INTEGRATED has no interrupts");
        assertRefused(
                FpgaException.Reason.INVALID_ARGUMENT,
                () -> card.registerInterrupt(4),
                "valid are 0 to 3");
        assertRefused(
                FpgaException.Reason.INVALID_ARGUMENT,
                () -> integrated.umsg(8),
                "valid are 0 to 7");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-UMSG-3", "CCIP-UMSG-8", "CCIP-PLT-8"})
    void anAfuServesWhatAUmsgAsksFor(Mode mode) {
        Simulation simulation =
                Simulation.of(Profile.INTEGRATED, new UmsgEcho()).mode(mode).build();
        Fpga fpga = Fpga.open(simulation, UmsgEcho.AFU_ID);
        Buffer source = fpga.prepareBuffer(4096);
        Buffer target = fpga.prepareBuffer(4096);
        Buffer flag = fpga.prepareBuffer(64);
        fill(source);
        fpga.umsgHints(0xFF);
        long address = target.lineAddress();
        for (int sequence = 1; sequence <= 5; sequence++) {
            int expected = sequence;
            fpga.triggerUmsg(0, sequence, source.lineAddress(), address, 64, flag.lineAddress());
            fpga.waitUntil(() -> flag.segment().get(ValueLayout.JAVA_LONG, 0) == expected, ENOUGH);
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
        }
        MemorySegment line = fpga.umsg(0);
        line.set(ValueLayout.JAVA_LONG, 0, 6);
        fpga.waitUntil(() -> flag.segment().get(ValueLayout.JAVA_LONG, 0) == 6, ENOUGH);
        assertThat(fpga.readMmio64(UmsgEcho.UMSGS)).isGreaterThanOrEqualTo(6);
        assertThat(fpga.readMmio64(UmsgEcho.HINTS)).isPositive();
    }
}
