package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.math.BigInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The golden vectors of the catalog, filled in and taken apart by member names in SystemVerilog,
/// against the same in Java: both packages put every field at the same bit.
class GoldenHeadersTest {
    /// Request k of C0 or C1 leaves after an MMIO write to DWORD k. What comes in on C0 and C1 is
    /// answered on C2 with its fields, each in bytes of its own.
    private static final String FIELDS =
            """
            t_ccip_c0_ReqMmioHdr mmio;
            assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
            t_ccip_c0_RspUmsgHdr umsg;
            assign umsg = t_ccip_c0_RspUmsgHdr'(pck_cp2af_sRx.c0.hdr);
            t_ccip_c1_RspFenceHdr fenced;
            assign fenced = t_ccip_c1_RspFenceHdr'(pck_cp2af_sRx.c1.hdr);
            t_ccip_c1_RspIntrHdr interrupted;
            assign interrupted = t_ccip_c1_RspIntrHdr'(pck_cp2af_sRx.c1.hdr);

            t_ccip_c0_ReqMemHdr read;
            t_ccip_c1_ReqMemHdr write;
            t_ccip_c1_ReqFenceHdr fence;
            t_ccip_c1_ReqIntrHdr interrupt;
            logic [7:0] which;
            assign which = mmio.address[7:0];
            always_comb begin
                read = '0;
                read.vc_sel = eVC_VH0;
                read.cl_len = eCL_LEN_4;
                read.req_type = eREQ_RDLINE_I;
                read.address = 42'h1000;
                read.mdata = 16'hBEEF;
                write = '0;
                write.req_type = eREQ_WRLINE_I;
                fence = '0;
                fence.req_type = eREQ_WRFENCE;
                interrupt = '0;
                interrupt.req_type = eREQ_INTR;
                case (which)
                    2: begin
                        write.vc_sel = eVC_VL0;
                        write.sop = 1;
                        write.cl_len = eCL_LEN_4;
                        write.req_type = eREQ_WRLINE_M;
                        write.address = 42'h3FFFFFFFFFC;
                        write.mdata = 16'h1234;
                    end
                    4: begin
                        write.sop = 1;
                        write.mode = eMOD_BYTE;
                        write.byte_start = 6'h2C;
                        write.byte_len = 6'h14;
                        write.address = 42'h18B;
                    end
                    5: begin
                        write.sop = 1;
                        write.cl_len = eCL_LEN_2;
                        write.address = 42'h18C;
                    end
                    6: write.address[1:0] = 2'd1;
                    8: fence.mdata = 16'h55AA;
                    9: begin
                        fence.vc_sel = eVC_VH1;
                        fence.mdata = 16'd1;
                    end
                    10: begin
                        interrupt.vc_sel = eVC_VH0;
                        interrupt.id = 2'd3;
                    end
                    default: ;
                endcase
                if (which == 8 || which == 9) write = t_ccip_c1_ReqMemHdr'(fence);
                if (which == 10) write = t_ccip_c1_ReqMemHdr'(interrupt);
            end

            always_ff @(posedge pClk) begin
                pck_af2cp_sTx.c0.valid <= pck_cp2af_sRx.c0.mmioWrValid && which == 1;
                pck_af2cp_sTx.c0.hdr <= read;
                pck_af2cp_sTx.c1.valid <= pck_cp2af_sRx.c0.mmioWrValid && which > 1;
                pck_af2cp_sTx.c1.hdr <= write;
                pck_af2cp_sTx.c1.data <= pck_cp2af_sRx.c0.data;
                pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                pck_af2cp_sTx.c2.mmioRdValid <= pck_cp2af_sRx.c0.mmioRdValid || pck_cp2af_sRx.c0.rspValid
                    || pck_cp2af_sRx.c1.rspValid;
                if (pck_cp2af_sRx.c0.mmioRdValid) begin
                    pck_af2cp_sTx.c2.data <= {16'(mmio.address), 16'(mmio.length), 32'(mmio.tid)};
                end else if (pck_cp2af_sRx.c0.rspValid && pck_cp2af_sRx.c0.hdr.resp_type == eRSP_UMSG) begin
                    pck_af2cp_sTx.c2.data <= {8'(umsg.umsg_type), 8'(umsg.umsg_id)};
                end else if (pck_cp2af_sRx.c0.rspValid) begin
                    pck_af2cp_sTx.c2.data <= {8'(pck_cp2af_sRx.c0.hdr.vc_used), 8'(pck_cp2af_sRx.c0.hdr.hit_miss),
                        8'd0, 8'(pck_cp2af_sRx.c0.hdr.cl_num), 8'(pck_cp2af_sRx.c0.hdr.resp_type),
                        pck_cp2af_sRx.c0.hdr.mdata};
                end else if (pck_cp2af_sRx.c1.hdr.resp_type == eRSP_WRFENCE) begin
                    pck_af2cp_sTx.c2.data <= 64'(fenced.mdata);
                end else if (pck_cp2af_sRx.c1.hdr.resp_type == eRSP_INTR) begin
                    pck_af2cp_sTx.c2.data <= {8'(interrupted.vc_used), 8'(interrupted.id)};
                end else begin
                    pck_af2cp_sTx.c2.data <= {8'(pck_cp2af_sRx.c1.hdr.vc_used), 8'(pck_cp2af_sRx.c1.hdr.hit_miss),
                        8'(pck_cp2af_sRx.c1.hdr.format), 8'(pck_cp2af_sRx.c1.hdr.cl_num),
                        8'(pck_cp2af_sRx.c1.hdr.resp_type), pck_cp2af_sRx.c1.hdr.mdata};
                end
            end
            """;

    private static VerilatedAfu afu;

    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    @BeforeAll
    static void build() throws IOException {
        VerilatedDesign design =
                Verilator.build().compile(Verilator.afu(GoldenHeadersTest.class, FIELDS));
        afu = design.open(Profile.PAC_A10, 1);
    }

    @AfterAll
    static void close() {
        if (afu != null) {
            afu.close();
        }
    }

    private Tx request(int number) {
        rx.idle();
        rx.c0.mmioWrite(number, MmioLength.BYTES_64, 0);
        tx.idle();
        afu.clock(rx, tx);
        return tx;
    }

    private static String hex(int high, long low) {
        return BigInteger.valueOf(high)
                .shiftLeft(64)
                .or(new BigInteger(Long.toUnsignedString(low)))
                .toString(16);
    }

    @Requirement({"CCIP-HDR-1", "CCIP-GV-1"})
    @Test
    void aReadIsPackedAsTheCodecDoes() {
        Tx seen = request(1);
        assertThat(hex(seen.c0.hdrHigh, seen.c0.hdrLow)).isEqualTo("230000000001000beef");
        Tx java = new Tx();
        java.c0.read(ReadType.RDLINE_I, VirtualChannel.VH0, LineCount.FOUR, 0x1000, 0xBEEF);
        assertThat(seen.c0.hdrHigh).isEqualTo(java.c0.hdrHigh);
        assertThat(seen.c0.hdrLow).isEqualTo(java.c0.hdrLow);
        assertThat(seen.c1.valid).isFalse();
    }

    @Requirement(
            table = true,
            value = {
                "CCIP-GV-2",
                "CCIP-GV-4",
                "CCIP-GV-5",
                "CCIP-GV-6",
                "CCIP-GV-8",
                "CCIP-GV-9",
                "CCIP-GV-10"
            })
    @ParameterizedTest
    @CsvSource({
        "CCIP-GV-2, 1b103fffffffffc1234",
        "CCIP-GV-4, 50c0b0000000018b0000",
        "CCIP-GV-5, 9000000000018c0000",
        "CCIP-GV-6, 10000",
        "CCIP-GV-8, 400000000000055aa",
        "CCIP-GV-9, 3040000000000000001",
        "CCIP-GV-10, 2060000000000000003"
    })
    void aRequestOnC1IsPackedAsInTheCatalog(String row, String golden) {
        Tx seen = request(Integer.parseInt(row.substring("CCIP-GV-".length())));
        assertThat(seen.c1.valid).isTrue();
        assertThat(hex(seen.c1.hdrHigh, seen.c1.hdrLow)).isEqualTo(golden);
    }

    @Requirement({"CCIP-RTL-2", "CCIP-HDR-2", "CCIP-HDR-3", "CCIP-HDR-4"})
    @Test
    void requestsOnC1ArePackedAsTheCodecDoes() {
        Tx java = new Tx();
        java.c1.write(
                WriteType.WRLINE_M, VirtualChannel.VL0, LineCount.FOUR, 0x3FFFFFFFFFCL, 0x1234);
        expectC1(request(2), java);
        java.c1.writeBytes(WriteType.WRLINE_I, VirtualChannel.VA, 0x18B, 0, 0x2C, 0x14);
        expectC1(request(4), java);
        java.c1.writeNext(WriteType.WRLINE_I, 0x18D);
        expectC1(request(6), java);
        java.c1.fence(VirtualChannel.VH1, 1);
        expectC1(request(9), java);
        java.c1.interrupt(VirtualChannel.VH0, 3);
        expectC1(request(10), java);
    }

    private static void expectC1(Tx seen, Tx java) {
        assertThat(hex(seen.c1.hdrHigh, seen.c1.hdrLow))
                .isEqualTo(hex(java.c1.hdrHigh, java.c1.hdrLow));
    }

    @Requirement(
            table = true,
            value = {
                "CCIP-HDR-6",
                "CCIP-HDR-7",
                "CCIP-HDR-8",
                "CCIP-HDR-9",
                "CCIP-HDR-10",
                "CCIP-HDR-11",
                "CCIP-GV-11",
                "CCIP-GV-13",
                "CCIP-GV-14",
                "CCIP-GV-15",
                "CCIP-GV-16",
                "CCIP-GV-17",
                "CCIP-GV-18",
                "CCIP-GV-19"
            })
    @ParameterizedTest
    @CsvSource({
        "CCIP-HDR-7 CCIP-GV-11, mmio read, 00025a5, 00020001000001a5",
        "CCIP-HDR-6 CCIP-GV-13, c0, c30beef, 0300000300beef",
        "CCIP-HDR-6 CCIP-GV-14, c0, 500beef, 0101000000beef",
        "CCIP-HDR-8 CCIP-GV-19, c0, 0040005, 0005",
        "CCIP-HDR-8 CCIP-GV-19, c0, 0048005, 0105",
        "CCIP-HDR-9 CCIP-GV-15, c1, 8b01234, 02000103001234",
        "CCIP-HDR-9 CCIP-GV-16, c1, 4201234, 01000002001234",
        "CCIP-HDR-10 CCIP-GV-17, c1, 00455aa, 55aa",
        "CCIP-HDR-11 CCIP-GV-18, c1, 8060003, 0203"
    })
    void whatComesInIsTakenApartAsInTheCatalog(
            String rows, String wires, String golden, String fields) {
        rx.idle();
        int header = Integer.parseInt(golden, 16);
        rx.c0.hdr = header;
        rx.c1.hdr = header;
        rx.c0.mmioRdValid = wires.equals("mmio read");
        rx.c0.rspValid = wires.equals("c0");
        rx.c1.rspValid = wires.equals("c1");
        tx.idle();
        afu.clock(rx, tx);
        assertThat(tx.c2.mmioRdValid).isTrue();
        assertThat(tx.c2.data).as(rows).isEqualTo(Long.parseUnsignedLong(fields, 16));
    }

    @Requirement({"CCIP-SIG-10", "CCIP-MOD-3", "CCIP-GV-12"})
    @Test
    void dataAndTheWidestMmioRequestPassUnchanged() {
        rx.idle();
        rx.c0.hdr = 0xfff0800;
        rx.c0.mmioWrValid = true;
        for (int i = 0; i < 8; i++) {
            rx.c0.data[i] = 0x8123_4567_89AB_CDEFL * (2 * i + 1);
        }
        tx.idle();
        afu.clock(rx, tx);
        assertThat(tx.c1.valid).isTrue();
        assertThat(tx.c1.data).containsExactly(rx.c0.data);
        assertThat(rx.c0.mmioAddress()).isEqualTo(0x3FFC0 >> 2);
        assertThat(rx.c0.mmioLength()).isEqualTo(MmioLength.BYTES_64.code());
    }
}
