package dev.outboard.console.verbs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.terminal.CommandException;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// What the tools say before, between and after the traffic, against words of the originals that
/// were recorded on the wire.
class ExchangeTextTest {
    private static final String PING_PONG = "0000:000018:4501ed:00000000000000000000ffff0a4d0003\0";
    private static final String PERFTEST =
            "0000:0080:000025:d5e7e6:00002005:000055a983ceb000"
                    + ":00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:03:00000000:\0";
    private static final String PERFTEST_OVER_CM =
            "00000000000000010000002200ba45cc00001d7500000000000055e9141b5000"
                    + "00000000000000000000ffff0a4d00030000000000000001";
    private static final String RPING =
            "72646d612d70696e672d313a2042434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e"
                    + "5f606162636465666768696a6b6c6d6e6f7071727300";

    @Test
    void understandsAndRepeatsAnIbvPingpong() {
        PairAddress address = PairAddress.parse(PING_PONG.getBytes(US_ASCII));

        assertThat(address)
                .hasToString("LID 0x0000, QPN 0x000018, PSN 0x4501ed, GID ::ffff:10.77.0.3");
        assertThat(address.text()).asString(US_ASCII).isEqualTo(PING_PONG);
    }

    @Test
    void understandsAndRepeatsPerftestOverTcp() {
        PerftestPeer peer = PerftestPeer.parse(PERFTEST.getBytes(US_ASCII));

        assertThat(peer.readDepth()).isEqualTo(0x80);
        assertThat(peer.number()).isEqualTo(0x25);
        assertThat(peer.psn()).isEqualTo(0xD5E7E6);
        assertThat(peer.key()).isEqualTo(0x2005);
        assertThat(peer.memory()).isEqualTo(0x55A983CEB000L);
        assertThat(peer.address().getHostAddress()).isEqualTo("10.77.0.3");
        assertThat(peer.text()).asString(US_ASCII).isEqualTo(PERFTEST);
    }

    @Test
    void understandsAndRepeatsPerftestOverAConnection() {
        byte[] recorded = HexFormat.of().parseHex(PERFTEST_OVER_CM);

        PerftestPeer peer = PerftestPeer.parseBinary(recorded);

        assertThat(peer.number()).isEqualTo(0x22);
        assertThat(peer.key()).isEqualTo(0x1D75);
        assertThat(peer.memory()).isEqualTo(0x55E9141B5000L);
        assertThat(peer.binary()).isEqualTo(recorded);
    }

    @Test
    void writesTheTextOfRping() {
        byte[] text = new byte[64];

        RpingText.fill(MemorySegment.ofArray(text), 1);

        assertThat(text).isEqualTo(HexFormat.of().parseHex(RPING));
    }

    @Test
    void theShortestTextOfRpingHoldsTheNumberOfTheLastPing() {
        MemorySegment text = MemorySegment.ofArray(new byte[RpingText.LEAST_BYTES]);

        RpingText.fill(text, Integer.MAX_VALUE);

        assertThat(text.getString(0)).isEqualTo("rdma-ping-2147483647: ");
    }

    @Test
    void readsTheOfferOfRping() {
        byte[] recorded = HexFormat.of().parseHex("0000564cba8203700000053f00000040");

        RpingAdvertisement offer = RpingAdvertisement.parse(MemorySegment.ofArray(recorded));

        assertThat(offer).isEqualTo(new RpingAdvertisement(0x564CBA820370L, 0x53F, 64));
        byte[] repeated = new byte[RpingAdvertisement.BYTES];
        offer.emit(MemorySegment.ofArray(repeated));
        assertThat(repeated).isEqualTo(recorded);
    }

    @Test
    void saysWhenThePeerIsSomethingElse() {
        byte[] words = "GET / HTTP/1.1 with enough to make up fifty-two bytes".getBytes(US_ASCII);

        assertThatThrownBy(() -> PairAddress.parse(words))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("not those of an ibv pingpong: GET / HTTP");
    }
}
