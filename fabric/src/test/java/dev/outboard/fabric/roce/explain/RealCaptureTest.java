package dev.outboard.fabric.roce.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.Finding.Verdict;
import dev.outboard.fabric.pcapng.PcapngReader;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.testkit.Repository;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What Linux has sent: healthy connections are taken for healthy, and failures are found.
class RealCaptureTest {
    /// The captures in which something fails or is repeated, and how the first finding reads.
    private static final Map<String, String> TROUBLE =
            Map.ofEntries(
                    Map.entry("cm-reject", "nobody listens on this port (reason 8)"),
                    Map.entry("host-cm-rej", "nobody listens on this port (reason 8)"),
                    Map.entry("odd-reject", "(reason 28); it says 'not today'"),
                    Map.entry("odd-badrkey", "no request with this key was granted"),
                    Map.entry("odd-badread", "(RDMA READ) with 'remote access error'"),
                    Map.entry("odd-inv", "its key invalidated meanwhile"),
                    Map.entry("odd-toolong", "(SEND) with 'remote operational error'"),
                    Map.entry("odd-rnr", "10.77.0.2 had no receive posted in time"),
                    Map.entry("odd-rnrfail", "'receiver not ready' 3 times over 1.36 s"),
                    Map.entry("loss-rc-pingpong", "missed packets of 10.77.0.3"),
                    Map.entry("loss-write", "missed packets of 10.77.0.3"),
                    Map.entry("loss-read", "responses of 10.77.0.2 to a READ were lost"));

    static Stream<String> healthy() {
        return captures().filter(name -> !TROUBLE.containsKey(name));
    }

    static Stream<String> captures() {
        return dev.outboard.fabric.roce.wire.CapturedPacket.captures();
    }

    static List<CapturedPacket> packets(String capture) {
        List<CapturedPacket> packets = new ArrayList<>();
        try (PcapngReader reader =
                PcapngReader.open(
                        Repository.root().resolve("spec/captures/" + capture + ".pcap"),
                        CaptureExplainer.MAX_PACKET_BYTES)) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                packets.add(packet);
            }
        }
        return packets;
    }

    private static List<Finding> explain(String capture) {
        return CapturedPair.explain(packets(capture));
    }

    @ParameterizedTest
    @MethodSource("healthy")
    void nothingIsWrongWithAHealthyConnection(String capture) {
        assertThat(explain(capture)).allMatch(finding -> finding.verdict() == Verdict.OK);
    }

    @Test
    void mostCapturesAreHealthy() {
        assertThat(healthy()).hasSizeGreaterThan(25);
        assertThat(captures()).containsAll(TROUBLE.keySet());
    }

    @ParameterizedTest
    @MethodSource("captures")
    void troubleIsFound(String capture) {
        String expected = TROUBLE.get(capture);
        if (expected != null) {
            Finding first = explain(capture).getFirst();

            assertThat(first.verdict()).isNotEqualTo(Verdict.OK);
            assertThat(first.detail()).contains(expected);
        }
    }

    /// What Linux repeated was answered in the end.
    @ParameterizedTest
    @CsvSource({"loss-rc-pingpong", "loss-write", "loss-read", "odd-rnr"})
    void whatWasRepairedIsNoFailure(String capture) {
        assertThat(explain(capture))
                .noneMatch(finding -> finding.verdict() == Verdict.FAIL)
                .noneMatch(finding -> finding.detail().contains("overtook"));
    }

    /// They are of other programs, and sound.
    @ParameterizedTest
    @MethodSource("captures")
    void noChecksumIsTakenForWrong(String capture) {
        assertThat(explain(capture))
                .noneMatch(finding -> finding.detail().contains("wrong checksum"));
    }
}
