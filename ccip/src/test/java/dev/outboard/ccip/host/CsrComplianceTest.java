package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CsrComplianceTest {
    private Simulation simulation = Simulation.of(Profile.PAC_A10, new Hello()).build();

    @Test
    @Requirement({"CCIP-CHK-20", "CCIP-CHK-21", "CCIP-CHK-22", "CCIP-CHK-23"})
    void findsNothingInAfusThatKeepTheRules() {
        CsrSpace features =
                new CsrSpace(new UUID(1, 2))
                        .buildingBlock(0x80, 7, 1, new UUID(3, 4))
                        .readWrite(0xA0)
                        .privateFeature(0x100, 9, 0);
        for (Afu afu :
                List.of(new Hello(), new MemoryCopy(), new UmsgEcho(), (Afu) features::clock)) {
            assertThat(check(afu)).isEmpty();
        }
    }

    @Test
    @Requirement({"CCIP-CHK-20", "CCIP-MMIO-23"})
    void findsAReadWithASideEffect() {
        CsrSpace csrs = new CsrSpace(Hello.AFU_ID);
        long[] reads = new long[1];
        assertThat(
                        check((rx, tx) -> {
                            csrs.clock(rx, tx);
                            if (rx.c0.mmioRdValid && rx.c0.mmioAddress() == 8) {
                                csrs.set(0x20, reads[0]++ / 2);
                            }
                        }))
                .extracting(Finding::violation)
                .contains(Violation.CSR_READ_SIDE_EFFECT);
        assertThat(simulation.checker().count(Violation.CSR_READ_SIDE_EFFECT)).isPositive();
    }

    @Test
    @Requirement({"CCIP-CHK-21", "CCIP-CSR-3"})
    void findsAReadOnlyRegisterThatCanBeWritten() {
        long[] idLow = {Hello.AFU_ID.getLeastSignificantBits()};
        CsrSpace csrs = new CsrSpace(Hello.AFU_ID);
        List<Finding> findings =
                check((rx, tx) -> {
                    csrs.clock(rx, tx);
                    if (rx.c0.mmioWrValid && rx.c0.mmioAddress() == 2) {
                        idLow[0] = rx.c0.data[0];
                    }
                    csrs.set(0x8, idLow[0]);
                });
        assertThat(findings)
                .extracting(Finding::violation)
                .containsExactly(Violation.CSR_RO_WRITABLE);
        assertThat(findings.getFirst().detail())
                .contains("the register at 0x8 was 0x", "after a write of 0xffffffffffffffff");
    }

    @Test
    @Requirement({"CCIP-CHK-22", "CCIP-MMIO-10"})
    void findsReadsThatAreNotAnswered() {
        List<Finding> findings = check(answering((rx, offset) -> offset < 0x48));
        assertThat(findings)
                .extracting(Finding::violation)
                .containsOnly(Violation.MMIO_RSP_TIMEOUT)
                .hasSize(60);
        assertThat(findings.getFirst().detail())
                .contains("the read of 8 bytes at 0x48, where no register is, was not answered");
    }

    @Test
    @Requirement({"CCIP-CHK-23", "CCIP-RST-7"})
    void findsAnAfuThatSleepsAfterReset() {
        long[] awake = new long[1];
        boolean[] slow = new boolean[1];
        Afu afu =
                answering((rx, offset) -> {
                    awake[0] = rx.softReset ? 0 : awake[0] + 1;
                    return !slow[0] || awake[0] > 3;
                });
        Fpga fpga = open(afu);
        slow[0] = true;
        assertThat(CsrCompliance.check(fpga))
                .extracting(Finding::violation)
                .containsExactly(Violation.MMIO_RSP_TIMEOUT);
    }

    @Test
    @Requirement("CCIP-MMIO-17")
    void findsAnAfuThatAnswersReadsOf8BytesWithFour() {
        CsrSpace csrs = new CsrSpace(Hello.AFU_ID);
        assertThat(
                        check((rx, tx) -> {
                            csrs.clock(rx, tx);
                            if (rx.c0.mmioRdValid
                                    && rx.c0.mmioLength() == MmioLength.BYTES_8.code()) {
                                tx.c2.data &= 0xFFFF_FFFFL;
                            }
                        }))
                .extracting(Finding::violation)
                .contains(Violation.CSR_8B_UNSUPPORTED);
    }

    @Test
    @Requirement({"CCIP-CHK-24", "CCIP-RST-2"})
    void findsStateThatSurvivesAReset() {
        assertThat(survivesReset(new RegisterAfu())).isTrue();
        long[] count = new long[1];
        CsrSpace csrs = new CsrSpace(RegisterAfu.AFU_ID).readOnly(0x40, 0);
        assertThat(
                        survivesReset((rx, tx) -> {
                            csrs.clock(rx, tx);
                            count[0] += rx.c0.mmioWrValid ? 1 : 0;
                            csrs.set(0x40, count[0]);
                        }))
                .isFalse();
    }

    private boolean survivesReset(Afu afu) {
        return CsrCompliance.survivesReset(
                open(afu),
                fpga -> fpga.readMmio64(0x40),
                fpga -> {
                    for (int i = 1; i < 20; i++) {
                        fpga.writeMmio64(0x40, i);
                    }
                    fpga.step(400);
                });
    }

    private List<Finding> check(Afu afu) {
        return CsrCompliance.check(open(afu));
    }

    private Fpga open(Afu afu) {
        simulation = Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.LOG).build();
        return Fpga.open(simulation);
    }

    /// An AFU with the mandatory registers that answers some reads only.
    private static Afu answering(Answered answered) {
        CsrSpace csrs = new CsrSpace(Hello.AFU_ID);
        return (Rx rx, Tx tx) -> {
            csrs.clock(rx, tx);
            tx.c2.mmioRdValid &= answered.test(rx, 4 * rx.c0.mmioAddress());
        };
    }

    private interface Answered {
        boolean test(Rx rx, int offset);
    }
}
