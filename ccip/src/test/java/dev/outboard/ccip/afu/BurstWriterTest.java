package dev.outboard.ccip.afu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BurstWriterTest {
    private static final int MDATA = 0x77;

    private final Rx rx = new Rx();
    private final Tx tx = new Tx();
    private final BurstWriter writer = new BurstWriter(MDATA);

    @Test
    @Requirement({"CCIP-MCL-1", "CCIP-MCL-2", "CCIP-MCL-3", "CCIP-MCL-4", "CCIP-HDR-21"})
    void aRequestIsABurstOfConsecutiveLines() {
        writer.use(WriteType.WRLINE_M, VirtualChannel.VL0, LineCount.FOUR);
        writer.start(0x1003, 8);
        assertThat(beats())
                .containsExactly(
                        "sop 1003+1", "sop 1004+4", "1", "2", "3", "sop 1008+2", "1", "sop 100a+1");
        assertThat(writer.written()).isTrue();
        assertThat(WriteType.of(tx.c1.requestType())).isEqualTo(WriteType.WRLINE_M);
        assertThat(VirtualChannel.of(tx.c1.channel())).isEqualTo(VirtualChannel.VL0);
        assertThat(tx.c1.mdata()).isEqualTo(MDATA);
    }

    @Test
    @Requirement({"CCIP-FLW-3", "CCIP-FLW-7"})
    void endsTheBurstItHasBegunButBeginsNoneWhileTheChannelIsNearlyFull() {
        writer.start(0, 100);
        writer.write(tx);
        assertThat(writer.betweenRequests()).isFalse();
        rx.c1TxAlmFull = true;
        assertThat(beats()).containsExactly("1", "2", "3");
        assertThat(writer.betweenRequests()).isTrue();
        assertThat(writer.ready(rx)).isFalse();
        rx.c1TxAlmFull = false;
        assertThat(beats()).hasSize(96);
    }

    @Test
    @Requirement({"CCIP-ORD-37", "CCIP-ORD-35", "CCIP-RSP-9", "CCIP-RSP-10"})
    void aPackedResponseCountsForAllLinesOfItsRequestAndAnotherForOne() {
        writer.start(0x1002, 7);
        assertThat(beats()).hasSize(7);
        rx.c1.packedWriteResponse(VirtualChannel.VH0, false, LineCount.TWO, MDATA);
        writer.accept(rx);
        rx.c1.packedWriteResponse(VirtualChannel.VH0, false, LineCount.FOUR, MDATA);
        writer.accept(rx);
        assertThat(writer.done()).isFalse();
        rx.c1.writeResponse(VirtualChannel.VL0, false, 0, MDATA);
        writer.accept(rx);
        assertThat(writer.done()).isTrue();

        writer.start(0x1000, 4);
        assertThat(beats()).hasSize(4);
        for (int line = 3; line >= 0; line--) {
            assertThat(writer.done()).isFalse();
            rx.c1.writeResponse(VirtualChannel.VL0, false, line, MDATA);
            writer.accept(rx);
        }
        assertThat(writer.done()).isTrue();
    }

    @Test
    void countsOnlyResponsesToItsOwnWrites() {
        writer.start(0, 1);
        writer.write(tx);
        rx.c1.writeResponse(VirtualChannel.VL0, false, 0, MDATA + 1);
        writer.accept(rx);
        rx.c1.fenceResponse(MDATA);
        writer.accept(rx);
        rx.c1.writeResponse(VirtualChannel.VL0, false, 0, MDATA);
        rx.idle();
        writer.accept(rx);
        assertThat(writer.done()).isFalse();
    }

    @Test
    @Requirement("CCIP-RST-2")
    void aResetForgetsTheBurstAndWhatIsNotAnswered() {
        writer.start(0, 100);
        writer.write(tx);
        writer.reset();
        assertThat(writer.done()).isTrue();
        assertThat(writer.betweenRequests()).isTrue();
        writer.start(0x20, 1);
        assertThat(beats()).containsExactly("sop 20+1");
    }

    @Test
    void refusesAnMdataThatDoesNotFit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BurstWriter(1 << 16))
                .withMessage("mdata 65536; valid are 0 to 65535");
    }

    /// All beats that the writer drives one after the other: `sop address+lines`, or the low bits
    /// of the address.
    private List<String> beats() {
        List<String> beats = new ArrayList<>();
        while (writer.ready(rx)) {
            tx.idle();
            writer.write(tx);
            assertThat(tx.c1.valid).isTrue();
            if (tx.c1.startOfPacket()) {
                beats.add(
                        "sop "
                                + Long.toHexString(tx.c1.address())
                                + "+"
                                + LineCount.of(tx.c1.lengthCode()).lines());
            } else {
                beats.add(Long.toHexString(tx.c1.address()));
            }
        }
        return beats;
    }
}
