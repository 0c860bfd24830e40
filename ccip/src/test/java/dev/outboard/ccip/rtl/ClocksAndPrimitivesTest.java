package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The clocks beside pClk and the models of vendor primitives, in one design; a patch makes it
/// compile.
class ClocksAndPrimitivesTest {
    /// Registers by DWORD address: 2, 4, 6 count the edges of the divided and the user clock; what
    /// is written to 8 goes through a scfifo, a dcfifo to the user clock and back, and into a RAM,
    /// all three read at 10, 12 and 14.
    private static final String BODY =
            """
            t_ccip_c0_ReqMmioHdr mmio;
            assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
            logic writes;
            assign writes = pck_cp2af_sRx.c0.mmioWrValid && mmio.address == 8;
            logic [15:0] value;
            assign value = pck_cp2af_sRx.c0.data[15:0];
            logic [63:0] halves, quarters, users;
            always_ff @(posedge pClkDiv2) halves <= pck_cp2af_softReset ? 0 : halves + 1;
            always_ff @(posedge pClkDiv4) quarters <= pck_cp2af_softReset ? 0 : quarters + 1;
            always_ff @(posedge uClk_usr) users <= pck_cp2af_softReset ? 0 : users + 1;

            logic [15:0] queued, there, back, stored;
            logic no_there, no_back;
            logic reads;
            assign reads = pck_cp2af_sRx.c0.mmioRdValid && mmio.address == 10;
            scfifo #(.lpm_width(16), .lpm_numwords(8), .lpm_widthu(3), .lpm_showahead("ON")) queue (
                .clock(pClk), .sclr(pck_cp2af_softReset), .data(value), .wrreq(writes), .rdreq(reads), .q(queued),
                .usedw(), .full(), .empty(), .almost_full(), .almost_empty(), .eccstatus());
            dcfifo #(.lpm_width(16), .lpm_numwords(8), .lpm_widthu(3), .lpm_showahead("ON")) to_user (
                .aclr(pck_cp2af_softReset), .wrclk(pClk), .data(value), .wrreq(writes), .rdclk(uClk_usr),
                .rdreq(!no_there), .q(there), .rdempty(no_there),
                .wrusedw(), .wrfull(), .wrempty(), .rdusedw(), .rdfull(), .eccstatus());
            dcfifo #(.lpm_width(16), .lpm_numwords(8), .lpm_widthu(3), .lpm_showahead("ON")) from_user (
                .aclr(pck_cp2af_softReset), .wrclk(uClk_usr), .data(there + 16'd1), .wrreq(!no_there), .rdclk(pClk),
                .rdreq(!no_back), .q(back), .rdempty(no_back),
                .wrusedw(), .wrfull(), .wrempty(), .rdusedw(), .rdfull(), .eccstatus());
            altsyncram #(.operation_mode("DUAL_PORT"), .width_a(16), .widthad_a(4), .width_b(16), .widthad_b(4),
                .address_reg_b("CLOCK0")) ram (
                .clock0(pClk), .address_a(value[3:0]), .data_a(value), .wren_a(writes), .address_b(4'd5),
                .q_b(stored), .q_a(), .eccstatus());

            logic [15:0] last_back;
            always_ff @(posedge pClk) begin
                if (!no_back) last_back <= back;
                pck_af2cp_sTx.c0.valid <= 0;
                pck_af2cp_sTx.c1.valid <= 0;
                pck_af2cp_sTx.c2.mmioRdValid <= pck_cp2af_sRx.c0.mmioRdValid && !pck_cp2af_softReset;
                pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                case (mmio.address)
                    2: pck_af2cp_sTx.c2.data <= halves;
                    4: pck_af2cp_sTx.c2.data <= quarters;
                    6: pck_af2cp_sTx.c2.data <= users;
                    10: pck_af2cp_sTx.c2.data <= 64'(queued);
                    12: pck_af2cp_sTx.c2.data <= 64'(last_back);
                    default: pck_af2cp_sTx.c2.data <= 64'(stored);
                endcase
            end
            this_is_wrong;
            """;

    @Requirement({"CCIP-RTL-4", "CCIP-RTL-5", "CCIP-RTL-8", "CCIP-CLK-2", "CCIP-RST-11"})
    @Test
    void dividedAndUserClocksRunAndPrimitivesCarryData() throws IOException {
        RtlDesign design = Verilator.afu(ClocksAndPrimitivesTest.class, BODY);
        Path source = design.sources().getFirst();
        int line = 1 + Files.readAllLines(source).indexOf("this_is_wrong;");
        Path patches =
                Files.writeString(
                        Repository.root().resolve("ccip/target/rtl/patches.tsv"),
                        "ccip_std_afu.sv\t" + line + "\tthis_is_wrong;\t\n");
        VerilatedDesign compiled = Verilator.build().compile(RtlDesign.of(source, patches));
        try (VerilatedAfu afu = compiled.open(Profile.PAC_A10, 1)) {
            PlainPort port = new PlainPort(afu, 1, 1);
            long halves = port.read(8);
            long quarters = port.read(16);
            long users = port.read(24);
            // The counter began with any value; 0 it became by edges of uClk_usr in the reset.
            assertThat(users).isLessThan(1000);
            port.step(4000 - 3);
            assertThat(port.read(8) - halves).isEqualTo(2000);
            assertThat(port.read(16) - quarters).isEqualTo(1000);
            // 312.5 MHz beside 200 MHz.
            assertThat(port.read(24) - users).isBetween(6240L, 6260L);

            port.write(32, 0x1235);
            port.write(32, 0x4321);
            port.step(60);
            assertThat(port.read(48)).isEqualTo(0x4322);
            assertThat(port.read(40)).isEqualTo(0x1235);
            assertThat(port.read(40)).isEqualTo(0x4321);
            assertThat(port.read(56)).isEqualTo(0x1235);
        }
    }
}
