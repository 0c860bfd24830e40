package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Sha256Test {
    private static final int SHA_256 = 12;

    /// The examples of FIPS 180-2, appendix B, and the digest of nothing.
    @ParameterizedTest
    @CsvSource({
        "'',1,e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "abc,1,ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq,1,"
                + "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "a,1000000,cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    })
    void computesTheDigestsOfTheStandard(String text, int repetitions, String digest)
            throws Exception {
        byte[] message = text.repeat(repetitions).getBytes(StandardCharsets.US_ASCII);
        MemorySegment region = Rpc.zeros(message.length);
        region.copyFrom(MemorySegment.ofArray(message));
        MemorySegment result = Rpc.zeros(32);

        assertThat(Rpc.call(SHA_256, region, result)).isEqualTo(ReturnCode.SUCCESS);

        assertThat(HexFormat.of().formatHex(result.toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(digest);
    }

    @Test
    void refusesADigestRegionOfAnotherSize() throws Exception {
        assertThat(Rpc.call(SHA_256, Rpc.zeros(8), Rpc.zeros(31)))
                .isEqualTo(ReturnCode.WRONG_ARGUMENTS);
        assertThat(Rpc.call(SHA_256, Rpc.zeros(8), Rpc.zeros(33)))
                .isEqualTo(ReturnCode.WRONG_ARGUMENTS);
    }
}
