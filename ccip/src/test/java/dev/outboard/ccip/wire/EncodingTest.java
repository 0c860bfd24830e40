package dev.outboard.ccip.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.testkit.Requirement;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class EncodingTest {
    @Test
    @Requirement({"CCIP-ENC-1", "CCIP-ENC-15", "CCIP-ENC-16"})
    void readTypes() {
        defines(16, ReadType::of, Map.of(0, ReadType.RDLINE_I, 1, ReadType.RDLINE_S));
        for (ReadType type : ReadType.values()) {
            assertThat(ReadType.of(type.code())).isEqualTo(type);
        }
    }

    @Test
    @Requirement({"CCIP-ENC-2", "CCIP-ENC-15", "CCIP-ENC-16"})
    void writeTypes() {
        defines(
                16,
                WriteType::of,
                Map.of(
                        0, WriteType.WRLINE_I,
                        1, WriteType.WRLINE_M,
                        2, WriteType.WRPUSH_I,
                        4, WriteType.WRFENCE,
                        6, WriteType.INTR));
        for (WriteType type : WriteType.values()) {
            assertThat(WriteType.of(type.code())).isEqualTo(type);
        }
    }

    @Test
    @Requirement("CCIP-ENC-3")
    void responsesOnC0() {
        defines(16, C0Response::of, Map.of(0, C0Response.RDLINE, 4, C0Response.UMSG));
        for (C0Response response : C0Response.values()) {
            assertThat(C0Response.of(response.code())).isEqualTo(response);
        }
    }

    @Test
    @Requirement("CCIP-ENC-4")
    void responsesOnC1() {
        defines(
                16,
                C1Response::of,
                Map.of(0, C1Response.WRLINE, 4, C1Response.WRFENCE, 6, C1Response.INTR));
        for (C1Response response : C1Response.values()) {
            assertThat(C1Response.of(response.code())).isEqualTo(response);
        }
    }

    @Test
    @Requirement("CCIP-ENC-5")
    void virtualChannels() {
        defines(
                4,
                VirtualChannel::of,
                Map.of(
                        0, VirtualChannel.VA,
                        1, VirtualChannel.VL0,
                        2, VirtualChannel.VH0,
                        3, VirtualChannel.VH1));
        for (VirtualChannel channel : VirtualChannel.values()) {
            assertThat(VirtualChannel.of(channel.code())).isEqualTo(channel);
        }
    }

    @Test
    @Requirement({"CCIP-ENC-6", "CCIP-ENC-10"})
    void lineCounts() {
        defines(4, LineCount::of, Map.of(0, LineCount.ONE, 1, LineCount.TWO, 3, LineCount.FOUR));
        defines(
                8,
                LineCount::ofLines,
                Map.of(1, LineCount.ONE, 2, LineCount.TWO, 4, LineCount.FOUR));
        for (LineCount count : LineCount.values()) {
            assertThat(LineCount.of(count.code())).isEqualTo(count);
            assertThat(LineCount.ofLines(count.lines())).isEqualTo(count);
        }
    }

    @Test
    @Requirement({"CCIP-ENC-7", "CCIP-ENC-8", "CCIP-ENC-9", "CCIP-ENC-11", "CCIP-ENC-13"})
    void bitsThatSayWhichOfTwo() {
        Tx tx = new Tx();
        tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VA, LineCount.ONE, 0, 0);
        assertThat(tx.c1.byteMode()).isFalse();
        tx.c1.writeBytes(WriteType.WRLINE_I, VirtualChannel.VA, 0, 0, 1, 1);
        assertThat(tx.c1.byteMode()).isTrue();

        Rx rx = new Rx();
        for (int line = 0; line < 4; line++) {
            rx.c1.writeResponse(VirtualChannel.VL0, true, line, 0);
            assertThat(rx.c1.hdr).isEqualTo(1 << 26 | 1 << 24 | line << 20);
            rx.c0.readResponse(VirtualChannel.VL0, false, line, 0);
            assertThat(rx.c0.hdr).isEqualTo(1 << 26 | line << 20);
        }
        rx.c1.packedWriteResponse(VirtualChannel.VH0, false, LineCount.FOUR, 0);
        assertThat(rx.c1.hdr).isEqualTo(2 << 26 | 1 << 23 | 3 << 20);
        rx.c0.umsg(true, 0);
        assertThat(rx.c0.hdr).isEqualTo(4 << 16 | 1 << 15);
        rx.c0.umsg(false, 0);
        assertThat(rx.c0.hdr).isEqualTo(4 << 16);
    }

    @Test
    @Requirement("CCIP-ENC-12")
    void mmioLengths() {
        defines(
                4,
                MmioLength::of,
                Map.of(0, MmioLength.BYTES_4, 1, MmioLength.BYTES_8, 2, MmioLength.BYTES_64));
        assertThat(MmioLength.BYTES_4.bytes()).isEqualTo(4);
        assertThat(MmioLength.BYTES_8.bytes()).isEqualTo(8);
        assertThat(MmioLength.BYTES_64.bytes()).isEqualTo(64);
    }

    @Test
    @Requirement("CCIP-ENC-14")
    void powerStates() {
        defines(4, PowerState::of, Map.of(0, PowerState.AP0, 1, PowerState.AP1, 3, PowerState.AP2));
        for (PowerState state : PowerState.values()) {
            assertThat(PowerState.of(state.code())).isEqualTo(state);
        }
    }

    /// Of all codes below `end`, those of the table are defined and no others.
    private static <T> void defines(int end, IntFunction<T> of, Map<Integer, T> table) {
        for (int code = 0; code < end; code++) {
            int tried = code;
            if (table.containsKey(code)) {
                assertThat(of.apply(code)).isEqualTo(table.get(code));
            } else {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> of.apply(tried))
                        .withMessageContaining(String.valueOf(tried))
                        .withMessageContaining("valid are");
            }
        }
    }
}
