package dev.outboard.ccip.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

class SignalTest {
    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    @Test
    @Requirement("CCIP-SIG-14")
    void theLayoutOfAnRxHeaderFollowsFromTheValidWiresAndTheResponseType() {
        rx.c0.umsg(false, 3);
        assertThat(rx.c0.isUmsg()).isTrue();
        assertThat(rx.c0.isReadResponse()).isFalse();

        rx.idle();
        assertThat(rx.c0.isUmsg()).isFalse();

        rx.c0.readResponse(VirtualChannel.VH0, false, 0, 0);
        assertThat(rx.c0.isReadResponse()).isTrue();
        assertThat(rx.c0.isUmsg()).isFalse();

        rx.idle();
        // The bits of an MMIO header where a response has its type say UMsg, then RDLINE.
        rx.c0.mmioRead(0x40, MmioLength.BYTES_8, 0);
        assertThat(rx.c0.responseType()).isEqualTo(C0Response.UMSG.code());
        assertThat(rx.c0.isUmsg()).isFalse();
        rx.c0.mmioRead(0, MmioLength.BYTES_8, 0);
        assertThat(rx.c0.isReadResponse()).isFalse();
    }

    @Test
    void anIdlePortKeepsItsHeadersButNoneIsValid() {
        tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VH1, LineCount.TWO, 2, 3);
        tx.c1.fence(VirtualChannel.VA, 4);
        tx.c2.respond(5, 6);
        rx.c0.mmioWrite(7, MmioLength.BYTES_64, 8);
        rx.c1.fenceResponse(9);
        tx.idle();
        rx.idle();
        assertThat(tx.c0.valid || tx.c1.valid || tx.c2.mmioRdValid).isFalse();
        assertThat(rx.c0.rspValid || rx.c0.mmioRdValid || rx.c0.mmioWrValid || rx.c1.rspValid)
                .isFalse();
        assertThat(rx.c1.isWriteResponse()).isFalse();
    }

    @Test
    @Requirement("CCIP-ENC-18")
    void anInterruptOfTheWiderPublicHeaderIsReadByItsLowBits() {
        tx.c1.valid = true;
        tx.c1.hdrHigh = VirtualChannel.VH0.code() << 14 | WriteType.INTR.code();
        tx.c1.hdrLow = 2;
        assertThat(WriteType.of(tx.c1.requestType())).isEqualTo(WriteType.INTR);
        assertThat(VirtualChannel.of(tx.c1.channel())).isEqualTo(VirtualChannel.VA);
        assertThat(tx.c1.interruptId()).isEqualTo(2);
    }
}
