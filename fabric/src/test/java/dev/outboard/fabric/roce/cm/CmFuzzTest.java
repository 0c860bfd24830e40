package dev.outboard.fabric.roce.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.testkit.FuzzCorpus;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// No datagram, and no sequence of them, makes the codec or the machines of the connection manager
/// fail, keep what they should not, or answer with more than they got.
class CmFuzzTest {
    private static final int MUTATIONS = 5_000;

    /// What a fuzzer calls: `bytes` are datagrams of 256 bytes each, and perhaps a shorter one.
    public static void fuzzerTestOneInput(byte[] bytes) {
        TwoAgents agents = new TwoAgents();
        agents.server.acceptEverything();
        for (int at = 0; at < bytes.length; at += CmDatagram.LENGTH) {
            byte[] mad =
                    Arrays.copyOfRange(bytes, at, Math.min(at + CmDatagram.LENGTH, bytes.length));
            survivesItsOwnEncoding(mad);
            int sent = agents.network.sent().size();
            agents.server.agent().receive(agents.client.gid(), mad, agents.network.nowNanos());
            assertThat(agents.network.sent().size() - sent).isLessThanOrEqualTo(2);
        }
        assertThat(agents.server.agent().connectionCount())
                .isLessThanOrEqualTo(bytes.length / CmDatagram.LENGTH);
    }

    private static void survivesItsOwnEncoding(byte[] mad) {
        if (CmDatagram.check(mad) == null) {
            CmDatagram datagram = CmDatagram.parse(mad);
            assertThat(CmDatagram.parse(datagram.emit())).isEqualTo(datagram);
            assertThat(datagram.toString()).doesNotContain("\n");
        }
    }

    @Test
    void survivesItsCorpusAndWhatIsNearIt() {
        FuzzCorpus corpus = FuzzCorpus.of("cm");
        corpus.replay(CmFuzzTest::fuzzerTestOneInput);
        corpus.mutate(MUTATIONS, CmFuzzTest::fuzzerTestOneInput);
    }
}
