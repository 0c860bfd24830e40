package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        assertThat(of("MTU", findings))
                .isEqualTo(Finding.ok("MTU", "IP 65536 bytes, so RoCE packets carry 4096"));
        assertThat(of("batching", findings).verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void tellsWhatTheMachineGivesTheProcess() throws IOException {
        List<Finding> findings = Fabric.diagnose("roce://127.83.7.1");
        int processors = Runtime.getRuntime().availableProcessors();
        Matcher limit =
                Pattern.compile("Max locked memory +(\\S+) ")
                        .matcher(Files.readString(Path.of("/proc/self/limits")));
        assertThat(limit.find()).isTrue();
        boolean isUnlimited = limit.group(1).equals("unlimited");

        assertThat(of("Java", findings).verdict()).isEqualTo(Verdict.OK);
        assertThat(of("Java", findings).detail()).startsWith(Runtime.version().toString());
        assertThat(of("processors", findings).verdict())
                .isEqualTo(processors > 1 ? Verdict.OK : Verdict.WARN);
        assertThat(of("locked memory", findings).detail())
                .matches(isUnlimited ? "unlimited" : limit.group(1) + " bytes; software RoCE.*");
    }

    @Test
    void onIpv6ItLooksAtTheChecksumThatMayBeMissing() {
        assertThat(of("zero checksum", Fabric.diagnose("roce://::1")))
                .isEqualTo(Finding.ok("zero checksum", "IPv6 packets without UDP checksum arrive"));
    }

    @Test
    void aPeerThatNoRouteLeadsToIsNotAsked() {
        List<Finding> findings = Fabric.diagnose("roce://127.83.7.1?peer=203.0.113.7");

        assertThat(of("route", findings).verdict()).isEqualTo(Verdict.FAIL);
        assertThat(of("route", findings).remedy()).contains("ip route get");
        assertThat(findings).noneMatch(finding -> finding.subject().equals("peer"));
    }

    @Test
    void whoeverHoldsThePortIsNotAskedWithAnotherDevice() {
        try (Device device = Fabric.open(FREE)) {
            String uri = "roce://" + device.address().getHostAddress() + "?peer=127.83.7.2";

            List<Finding> findings = Fabric.diagnose(uri);

            assertThat(findings).extracting(Finding::subject).doesNotContain("peer");
            assertThat(findings)
                    .filteredOn(finding -> finding.verdict() == Verdict.FAIL)
                    .extracting(Finding::subject)
                    .containsExactly("UDP port 4791");
        }
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
            assertThat(answer.detail()).matches(peer + " speaks RoCE, it answered in \\d{1,5} ms");
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
