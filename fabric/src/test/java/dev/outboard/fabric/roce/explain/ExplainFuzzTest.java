package dev.outboard.fabric.roce.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Captures hold what anybody has sent: nothing of it may end the explanation with an exception, or
/// let it grow.
class ExplainFuzzTest {
    private final SplittableRandom random = new SplittableRandom(2026);

    @Test
    void randomBytesAreNoPackets() {
        CaptureExplainer explainer = new CaptureExplainer();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            LinkType[] types = LinkType.values();
            explainer.packet(packet(i, types[i % types.length].number(), bytes));
        }

        assertThat(explainer.packets()).isEqualTo(20_000);
        assertThat(explainer.rocePackets()).isZero();
        explainer.findings();
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.explain.RealCaptureTest#captures")
    void changedPacketsInAnyOrderAreExplainedSomehow(String capture) {
        List<CapturedPacket> packets = RealCaptureTest.packets(capture);
        for (int round = 0; round < 20; round++) {
            CaptureExplainer explainer = new CaptureExplainer();
            for (CapturedPacket each : mixed(packets)) {
                explainer.packet(changed(each));
            }
            for (Finding finding : explainer.findings()) {
                assertThat(finding.subject()).isNotEmpty();
                assertThat(finding.detail()).isNotEmpty();
            }
        }
    }

    private List<CapturedPacket> mixed(List<CapturedPacket> packets) {
        List<CapturedPacket> mixed = new ArrayList<>(packets);
        for (int i = 0; i < packets.size() / 4; i++) {
            mixed.add(random.nextInt(mixed.size()), mixed.remove(random.nextInt(mixed.size())));
        }
        return mixed;
    }

    /// Without the end the checksum is not looked at, so that anything counts.
    private CapturedPacket changed(CapturedPacket packet) {
        byte[] bytes = packet.bytes().clone();
        int length = bytes.length;
        if (random.nextInt(3) > 0) {
            length = Math.max(0, length - 1 - random.nextInt(random.nextInt(4) == 0 ? 60 : 8));
            for (int i = random.nextInt(4); i > 0 && length > 42; i--) {
                bytes[42 + random.nextInt(length - 42)] = (byte) random.nextInt();
            }
        }
        return packet(packet.epochNanos(), packet.linkType(), Arrays.copyOf(bytes, length));
    }

    /// Each packet belongs to a connection of its own.
    @Test
    void manyConnectionsAreForgottenInTime() {
        CapturedPacket data = RealCaptureTest.packets("odd-rnr").getFirst();
        CaptureExplainer explainer = new CaptureExplainer();
        int headers = 14 + 20 + 8;
        for (int i = 0; i < 3 * CaptureExplainer.MAX_HALVES; i++) {
            byte[] bytes = Arrays.copyOf(data.bytes(), data.bytes().length - 1);
            bytes[headers] = 4;
            bytes[headers + 6] = (byte) (i >> 8);
            bytes[headers + 7] = (byte) i;
            explainer.packet(packet(i * 1_000L, 1, bytes));
        }

        assertThat(explainer.followed()).isEqualTo(CaptureExplainer.MAX_HALVES);
        assertThat(explainer.findings().getLast().detail()).contains("findings more");
    }

    private static CapturedPacket packet(long nanos, int linkType, byte[] bytes) {
        return new CapturedPacket(0, linkType, "", nanos, bytes.length, bytes);
    }
}
