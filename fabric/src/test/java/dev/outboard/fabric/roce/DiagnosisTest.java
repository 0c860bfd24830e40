package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
    private static final String FREE = "roce://auto?peer=127.0.0.1";

    @Test
    void findsNothingToDoOnAFreeLoopbackAddress() {
        List<Finding> findings = Fabric.diagnose("roce://127.83.7.1");

        assertThat(findings)
                .extracting(Finding::subject)
                .containsExactly(
                        "Java",
                        "processors",
                        "locked memory",
                        "address",
                        "UDP port 4791",
                        "MTU",
                        "receive buffer",
                        "send buffer",
                        "IPv4 headers",
                        "batching");
        assertThat(findings).noneMatch(finding -> finding.verdict() == Verdict.FAIL);
        assertThat(of("MTU", findings).detail()).contains("carry 4096");
        assertThat(of("batching", findings).verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    @Requirement("ROCE-SOCK-5")
    void namesWhoHoldsThePort() {
        try (Device device = Fabric.open(FREE)) {
            Finding port =
                    of(
                            "UDP port 4791",
                            Fabric.diagnose("roce://" + device.address().getHostAddress()));

            assertThat(port.verdict()).isEqualTo(Verdict.FAIL);
            assertThat(port.detail()).contains("process " + ProcessHandle.current().pid());
            assertThat(port.remedy()).contains("another loopback address");
        }
    }

    @Test
    void aPeerWithADeviceAnswers() {
        try (Device device = Fabric.open(FREE)) {
            String peer = device.address().getHostAddress();

            Finding answer = of("peer", Fabric.diagnose("roce://auto?peer=" + peer));

            assertThat(answer.verdict()).as(answer.toString()).isEqualTo(Verdict.OK);
            assertThat(answer.detail()).startsWith(peer + " speaks RoCE");
        }
    }

    @Test
    void aPeerWithoutADeviceDoesNot() {
        Finding silence = of("peer", Fabric.diagnose("roce://auto?peer=127.83.7.2"));

        assertThat(silence.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(silence.detail()).contains("127.83.7.2 does not answer");
    }

    @Test
    void stopsAtAnAddressThatIsNotOfThisMachine() {
        List<Finding> findings = Fabric.diagnose("roce://203.0.113.7");

        assertThat(findings.getLast())
                .isEqualTo(
                        Finding.fail(
                                "address",
                                "203.0.113.7 is not an address of this machine",
                                "choose one that `ip address` lists, or any of 127.0.0.0/8"));
    }

    @Test
    void asksForTheSettingThatLimitsABuffer() {
        Finding small = Diagnosis.buffer("receive buffer", 425_984, "net.core.rmem_max");

        assertThat(small.verdict()).isEqualTo(Verdict.WARN);
        assertThat(small.detail()).startsWith("208 KiB of 4096 asked for");
        assertThat(small.remedy()).isEqualTo("`sysctl -w net.core.rmem_max=4194304`");
        assertThat(Diagnosis.buffer("receive buffer", 8 << 20, "net.core.rmem_max").verdict())
                .isEqualTo(Verdict.OK);
    }

    @Test
    void refusesToDiagnoseWhatItDoesNotUnderstand() {
        assertThatThrownBy(() -> Fabric.diagnose("roce://127.0.0.1?colour=red"))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("unknown option 'colour'");
        assertThatThrownBy(() -> Fabric.diagnose("tcp://127.0.0.1"))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("no provider for 'tcp' in tcp://127.0.0.1");
    }

    private static Finding of(String subject, List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow(() -> new AssertionError(subject + " is not in " + findings));
    }
}
