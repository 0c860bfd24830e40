package dev.outboard.naa.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.MrspMessage.Malformed;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionFlags;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The test vectors of section 20, and everything a peer may send instead.
class MrspCodecTest {
    private static final AdvertiseRequest V1 =
            new AdvertiseRequest(
                    java.util.List.of(
                            new Entry(
                                    RegionFlags.INPUT | RegionFlags.OUTPUT,
                                    0xAABBCCDDEE1000L,
                                    0x00007F1122334455L,
                                    0xA1B2C3D4,
                                    1024),
                            new Entry(RegionFlags.INTERNAL, 0x2000, 0, 0, 32)));
    private static final String V1_BYTES =
            "01020000 0caabbccddee1000 00007f1122334455 a1b2c3d4 00000400"
                    + "0100000000002000 0000000000000000 00000000 00000020";
    private static final Advertise V2 =
            new Advertise(java.util.List.of(new PeerRegion(0x0000555566667777L, 0x1234, 1024)));
    private static final String V2_BYTES = "02010000 0000555566667777 00001234 00000400";
    private static final AdvertiseRequest V4 =
            new AdvertiseRequest(
                    java.util.List.of(
                            new Entry(0, 0, 0x0000600000001000L, 0x11, 8),
                            new Entry(0, 0, 0x0000600000002000L, 0x12, 1024)));
    private static final String V4_BYTES =
            "01020000 0000000000000000 0000600000001000 00000011 00000008"
                    + "0000000000000000 0000600000002000 00000012 00000400";

    @Test
    @Requirement({"NAA-MRSP-20", "NAA-FLAG-1"})
    void encodesTheVectorsBitForBit() {
        assertThat(encoded(V1)).isEqualTo(bytes(V1_BYTES));
        assertThat(encoded(V2)).isEqualTo(bytes(V2_BYTES));
        assertThat(encoded(new MrspError(1))).isEqualTo(bytes("00010000"));
        assertThat(encoded(V4)).isEqualTo(bytes(V4_BYTES));
    }

    @Test
    @Requirement("NAA-MRSP-20")
    void decodesTheVectors() {
        assertThat(decoded(V1_BYTES)).isEqualTo(V1);
        assertThat(decoded(V2_BYTES)).isEqualTo(V2);
        assertThat(decoded("00010000")).isEqualTo(new MrspError(1));
        assertThat(decoded(V4_BYTES)).isEqualTo(V4);
    }

    @Test
    @Requirement("NAA-MRSP-20")
    void ignoresPaddingAndOverwritesItWithZeros() {
        assertThat(decoded("0201beef" + V2_BYTES.substring(8))).isEqualTo(V2);
        MemorySegment dirty = Arena.ofAuto().allocate(MrspCodec.MAX_LENGTH).fill((byte) 0xff);
        int length = MrspCodec.encode(new MrspError(3), dirty);
        assertThat(dirty.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(bytes("00030000"));
    }

    @Test
    @Requirement("NAA-MRSP-20")
    void keepsSizesAndKeysUnsigned() {
        PeerRegion large = new PeerRegion(-1, -1, 0xffff_ffffL);
        Advertise message = new Advertise(java.util.List.of(large));
        assertThat(decoded(HexFormat.of().formatHex(encoded(message)))).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"31, 748", "32, 772", "255, 6124"})
    @Requirement("NAA-MRSP-11")
    void requestsHaveTheLengthsOfTheCatalog(int count, int length) {
        Entry entry = new Entry(0, 0, 1, 2, 3);
        AdvertiseRequest request = new AdvertiseRequest(Collections.nCopies(count, entry));
        assertThat(encoded(request)).hasSize(length);
        assertThat(decoded(HexFormat.of().formatHex(encoded(request)))).isEqualTo(request);
        assertThat(length).isLessThanOrEqualTo(MrspCodec.MAX_LENGTH);
    }

    @ParameterizedTest
    @CsvSource({"32, 516", "255, 4084"})
    void advertisementsHaveTheLengthsOfTheCatalog(int count, int length) {
        Advertise message = new Advertise(Collections.nCopies(count, new PeerRegion(1, 2, 3)));
        assertThat(encoded(message)).hasSize(length);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "01",
                "010100",
                "00",
                "01000000",
                "02000000",
                "01010000",
                "01020000 0caabbccddee1000 00007f1122334455 a1b2c3d4 00000400",
                "01010000 0caabbccddee1000 00007f1122334455 a1b2c3d4 0000040000",
                "02010000 0000555566667777 00001234 000004",
                "02010000 0000555566667777 00001234 00000400 00",
                "02ff0000 0000555566667777 00001234 00000400"
            })
    @Requirement({"NAA-MRSP-21", "NAA-ROB-1"})
    void refusesLengthsThatDoNotFitTheCount(String hex) {
        assertThat(decoded(hex)).isInstanceOf(Malformed.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "01000000 | a request with count 0; valid: 1 to 255",
                "01020000 | a request with count 2 has 4 bytes instead of 52",
                "02010000 | an advertisement with count 1 has 4 bytes instead of 20"
            })
    void saysWhatIsWrongWithTheLength(String hex, String why) {
        assertThat(decoded(hex)).isEqualTo(new Malformed(why));
    }

    @ParameterizedTest
    @ValueSource(strings = {"03010000", "04010000", "ff000000"})
    @Requirement("NAA-MRSP-12")
    void takesReservedTypesForUnknown(String hex) {
        assertThat(decoded(hex)).isInstanceOf(Malformed.class);
    }

    @Test
    @Requirement("NAA-MRSP-25")
    void acceptsEveryErrorCodeAndLeftoversBehindIt() {
        for (int code = 0; code <= 0xff; code++) {
            assertThat(decoded("00%02xaffe1234".formatted(code))).isEqualTo(new MrspError(code));
            assertThat(MrspException.explain(code)).startsWith("0x%02x".formatted(code));
        }
    }

    @Test
    @Requirement("NAA-ROB-1")
    void survivesAnyBytes() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(80)];
            random.nextBytes(noise);
            if (noise.length > 1 && random.nextBoolean()) {
                noise[0] = (byte) random.nextInt(3);
                noise[1] = (byte) random.nextInt(4);
            }
            assertThat(decoded(HexFormat.of().formatHex(noise))).isNotNull();
        }
    }

    @Test
    void sendsNoMalformedMessage() {
        assertThatThrownBy(() -> encoded(new Malformed("x")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] encoded(MrspMessage message) {
        MemorySegment memory = Arena.ofAuto().allocate(MrspCodec.MAX_LENGTH);
        int length = MrspCodec.encode(message, memory);
        return memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static MrspMessage decoded(String hex) {
        byte[] bytes = bytes(hex);
        MemorySegment memory = Arena.ofAuto().allocate(bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return MrspCodec.decode(memory);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
