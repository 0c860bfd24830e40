package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.FabricException.Reason;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MacAddressTest {
    @Test
    void isWrittenAsItIsRead() {
        MacAddress address = MacAddress.of("02:00:0A:00:f0:01");
        assertThat(address.bits()).isEqualTo(0x0200_0A00_F001L);
        assertThat(address).hasToString("02:00:0a:00:f0:01");
        assertThat(MacAddress.BROADCAST).hasToString("ff:ff:ff:ff:ff:ff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "02:00:0a:00:00",
                "02:00:0a:00:00:01:02",
                "2:0:a:0:0:1",
                "02-00-0a-00-00-01",
                "02:00:0a:00:00:0g"
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> MacAddress.of(text))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARGUMENT))
                .hasMessageContaining("'" + text + "'");
        assertThatThrownBy(() -> new MacAddress(1L << 48)).hasMessageContaining("48 bits");
        assertThatThrownBy(() -> new MacAddress(-1)).hasMessageContaining("48 bits");
    }

    @Test
    void standsInAFrameMostSignificantByteFirst() {
        byte[] frame = HexFormat.of().parseHex("00ffaabbccddeeff0102030405");
        MemorySegment memory = MemorySegment.ofArray(frame);
        assertThat(MacAddress.bitsAt(memory, 1)).isEqualTo(0xFFAA_BBCC_DDEEL);
        MacAddress.of("f1:02:83:04:85:06").writeTo(memory, 7);
        assertThat(frame).isEqualTo(HexFormat.of().parseHex("00ffaabbccddeef10283048506"));
    }

    @Test
    void aGroupHasTheLowestBitOfItsFirstByteSet() {
        assertThat(MacAddress.BROADCAST.isMulticast()).isTrue();
        assertThat(MacAddress.of("01:00:5e:00:00:01").isMulticast()).isTrue();
        assertThat(MacAddress.of("02:ff:ff:ff:ff:ff").isMulticast()).isFalse();
    }

    @Test
    void aFlowSaysWhatItMatches() {
        MacAddress address = MacAddress.of("02:00:0a:00:00:01");
        assertThat(FlowMatch.all()).hasToString("all frames");
        assertThat(FlowMatch.destination(address)).hasToString("frames to 02:00:0a:00:00:01");
        assertThat(FlowMatch.etherType(0x800)).hasToString("frames of EtherType 0x0800");
        assertThat(FlowMatch.etherType(0x88B5).withDestination(address))
                .hasToString("frames to 02:00:0a:00:00:01 of EtherType 0x88b5");
        assertThat(FlowMatch.etherType(0x600).etherType()).hasValue(0x600);
        for (int none : new int[] {-1, 0x5FF, 0x10000}) {
            assertThatThrownBy(() -> FlowMatch.etherType(none))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("0x0600 to 0xffff");
        }
    }
}
