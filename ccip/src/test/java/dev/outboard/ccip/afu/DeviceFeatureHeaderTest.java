package dev.outboard.ccip.afu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceFeatureHeaderTest {
    private static final String GOLDEN =
            """
            0x1000000001000080, 1, false, 0x100,  0, 0x080
            0x2000000001801005, 2, false, 0x180,  1, 0x005
            0x3000010000800002, 3, true,  0x80,   0, 0x002
            0x1000010000000000, 1, true,  0,      0, 0x000
            0x1000000010001070, 1, false, 0x1000, 1, 0x070
            """;

    @ParameterizedTest
    @CsvSource(textBlock = GOLDEN)
    @Requirement({"CCIP-GV-20", "CCIP-GV-21", "CCIP-GV-22", "CCIP-GV-23", "CCIP-GV-24"})
    void readsGoldenHeaders(
            String bits, int type, boolean last, String next, int revision, String id) {
        DeviceFeatureHeader header = new DeviceFeatureHeader(Long.decode(bits));
        assertThat(header.type()).isEqualTo(type);
        assertThat(header.endOfList()).isEqualTo(last);
        assertThat(header.nextOffset()).isEqualTo(Integer.decode(next));
        assertThat(header.revision()).isEqualTo(revision);
        assertThat(header.id()).isEqualTo(Integer.decode(id));
        assertThat(header.minorVersion()).isZero();
        assertThat(header.reserved()).isZero();
    }

    @Test
    @Requirement({"CCIP-GV-20", "CCIP-GV-21", "CCIP-GV-22", "CCIP-DFL-1", "CCIP-ENC-17"})
    void writesGoldenHeaders() {
        assertThat(DeviceFeatureHeader.afu(0, 0, 0x100).followed().bits())
                .isEqualTo(0x1000000001000080L);
        assertThat(
                        DeviceFeatureHeader.feature(DeviceFeatureHeader.BBB, 5, 1, 0x180)
                                .followed()
                                .bits())
                .isEqualTo(0x2000000001801005L);
        assertThat(DeviceFeatureHeader.feature(DeviceFeatureHeader.PRIVATE, 2, 0, 0x80).bits())
                .isEqualTo(0x3000010000800002L);
    }

    @Test
    @Requirement("CCIP-DFL-1")
    void eachBitBelongsToOneField() {
        for (int bit = 0; bit < Long.SIZE; bit++) {
            DeviceFeatureHeader header = new DeviceFeatureHeader(1L << bit);
            assertThat(header.type()).isEqualTo(within(bit, 60, 63));
            assertThat(header.minorVersion()).isEqualTo(within(bit, 48, 51));
            assertThat(header.endOfList()).isEqualTo(bit == 40);
            assertThat(header.nextOffset()).isEqualTo(within(bit, 16, 39));
            assertThat(header.revision()).isEqualTo(within(bit, 12, 15));
            assertThat(header.id()).isEqualTo(within(bit, 0, 11));
        }
    }

    /// What a field in these bits says if this bit alone is 1.
    private static int within(int bit, int low, int high) {
        return bit >= low && bit <= high ? 1 << (bit - low) : 0;
    }

    @Test
    @Requirement("CCIP-DFL-1")
    void theMinorVersionIsReservedInAllHeadersButAnAfus() {
        long reserved = 0x0FF0_FE00_0000_0000L;
        long minor = 0x000F_0000_0000_0000L;
        assertThat(new DeviceFeatureHeader(1L << 60 | 0x0FFF_FFFF_FFFF_FFFFL).reserved())
                .isEqualTo(reserved);
        assertThat(new DeviceFeatureHeader(2L << 60 | 0x0FFF_FFFF_FFFF_FFFFL).reserved())
                .isEqualTo(reserved | minor);
        assertThat(DeviceFeatureHeader.afu(0xA, 0xB, 8))
                .extracting(DeviceFeatureHeader::revision, DeviceFeatureHeader::minorVersion)
                .containsExactly(0xA, 0xB);
    }

    @Test
    void refusesWhatAFieldCannotHold() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceFeatureHeader.afu(16, 0, 0))
                .withMessage("DFH with revision 16; valid are 0 to 15");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceFeatureHeader.afu(0, -1, 0))
                .withMessage("DFH with minor version -1; valid are 0 to 15");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> DeviceFeatureHeader.feature(DeviceFeatureHeader.BBB, 0, 0, 1 << 24))
                .withMessage("DFH with next offset 16777216; valid are 0 to 16777215");
    }
}
