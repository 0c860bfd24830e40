package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.io.Faults;
import dev.outboard.fabric.roce.rc.PeerBuffer;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.spi.DeviceUri;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoceOptionsTest {
    private static RoceOptions of(String query) {
        return RoceOptions.of(DeviceUri.parse("roce://127.0.0.1" + query));
    }

    @Test
    void hasDefaults() {
        assertThat(of(""))
                .isEqualTo(
                        new RoceOptions(
                                null,
                                null,
                                null,
                                Policy.SOLVE,
                                true,
                                false,
                                PeerBuffer.DEFAULT_BYTES));
    }

    @Test
    void readsEachOption() {
        assertThat(
                        of(
                                "?peer=10.0.0.7&capture=a.pcapng&fault=loss=5%25&icrc=strict&acknowledge=first"
                                        + "&congestion=dcqcn&peer-buffer=4194304"))
                .isEqualTo(
                        new RoceOptions(
                                "10.0.0.7",
                                Path.of("a.pcapng"),
                                Faults.parse("loss=5%"),
                                Policy.STRICT,
                                false,
                                true,
                                4_194_304));
    }

    @Test
    void acknowledgesFirstBehindACaptureUnlessTold() {
        assertThat(of("?capture=a.pcapng").takesRequestsAhead()).isFalse();
        assertThat(of("?capture=a.pcapng&acknowledge=together").takesRequestsAhead()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {212_992, 1 << 28})
    void aPeersBufferMayBeAsSmallAsASocketsAndAQuarterOfAGiB(int bytes) {
        assertThat(of("?peer-buffer=" + bytes).peerBufferBytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    icrc=loose        | icrc=loose; valid: [strict, solve, off]
                    congestion=ecn    | congestion=ecn; valid: [none, dcqcn]
                    acknowledge=last  | acknowledge=last; valid: [first, together]
                    peer-buffer=212991 | peer-buffer=212991; valid: 212992 to
                    peer-buffer=268435457 | valid: 212992 to 268435456
                    peer-buffer=much  | peer-buffer=much; valid: 212992 to
                    fault=loss        | loss
                    mtu=9000          | unknown option 'mtu'; valid: [acknowledge, capture,
                    """)
    void refusesWhatItDoesNotKnow(String option, String message) {
        String uri = "roce://127.0.0.1?" + option;
        assertThatThrownBy(() -> Fabric.open(uri))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BAD_URI))
                .hasMessageContaining(message);
        // Who only asks what the device could do is told as well.
        assertThatThrownBy(() -> Fabric.limits(uri)).hasMessageContaining(message);
        assertThatThrownBy(() -> Fabric.diagnose(uri)).hasMessageContaining(message);
    }
}
