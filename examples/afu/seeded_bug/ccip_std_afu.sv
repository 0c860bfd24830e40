// Fills memory with lines that hold their own number, at full speed and with a bug: it does not look at
// c1TxAlmFull. On a board lines get lost now and then. The checker names the first beat too many.
//
// Registers, as byte offsets, 8 bytes each: 0x00 device feature header, 0x08 and 0x10 AFU_ID,
// 0x48 destination as line address, 0x50 number of lines, 0x58 control (bit 0 starts), 0x60 status (bit 0: done).

`include "platform_if.vh"
`include "afu_json_info.vh"

module ccip_std_afu (
    input  logic        pClk,
    input  logic        pClkDiv2,
    input  logic        pClkDiv4,
    input  logic        uClk_usr,
    input  logic        uClk_usrDiv2,
    input  logic        pck_cp2af_softReset,
    input  logic [1:0]  pck_cp2af_pwrState,
    input  logic        pck_cp2af_error,
    input  t_if_ccip_Rx pck_cp2af_sRx,
    output t_if_ccip_Tx pck_af2cp_sTx
);
    localparam logic [127:0] AFU_ID = `AFU_ACCEL_UUID;
    localparam logic [63:0] DFH = {4'h1, 19'd0, 1'b1, 24'h70, 4'd0, CCIP_VERSION_NUMBER};

    // Addresses on the port count DWORDs.
    localparam t_ccip_mmioAddr DESTINATION = 16'h48 >> 2;
    localparam t_ccip_mmioAddr COUNT = 16'h50 >> 2;
    localparam t_ccip_mmioAddr CONTROL = 16'h58 >> 2;
    localparam t_ccip_mmioAddr STATUS = 16'h60 >> 2;

    t_if_ccip_Rx rx;
    logic reset;
    always_ff @(posedge pClk) begin
        rx <= pck_cp2af_sRx;
        reset <= pck_cp2af_softReset;
    end

    t_ccip_c0_ReqMmioHdr mmio;
    assign mmio = t_ccip_c0_ReqMmioHdr'(rx.c0.hdr);

    t_ccip_clAddr destination;
    logic [31:0] count;
    logic [31:0] written;
    logic [31:0] answered;
    logic running;
    logic write_answered;
    assign write_answered = rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRLINE;

    // The bug: `&& !rx.c1TxAlmFull` is missing.
    logic write_now;
    assign write_now = running && written != count;

    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c1.valid <= write_now && !reset;
        pck_af2cp_sTx.c1.hdr <= '0;
        pck_af2cp_sTx.c1.hdr.sop <= 1'b1;
        pck_af2cp_sTx.c1.hdr.req_type <= eREQ_WRLINE_I;
        pck_af2cp_sTx.c1.hdr.address <= destination + t_ccip_clAddr'(written);
        pck_af2cp_sTx.c1.data <= t_ccip_clData'(written);

        if (write_now) written <= written + 32'd1;
        if (write_answered) answered <= answered + 32'd1;
        if (running && answered == count) running <= 1'b0;

        if (rx.c0.mmioWrValid) begin
            case (mmio.address)
                DESTINATION: destination <= t_ccip_clAddr'(rx.c0.data);
                COUNT: count <= rx.c0.data[31:0];
                CONTROL: begin
                    running <= rx.c0.data[0];
                    written <= '0;
                    answered <= '0;
                end
                default: ;
            endcase
        end

        if (reset) begin
            running <= 1'b0;
            destination <= '0;
            count <= '0;
            written <= '0;
            answered <= '0;
        end
    end

    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c2.mmioRdValid <= rx.c0.mmioRdValid && !reset;
        pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
        case (mmio.address)
            16'h00 >> 2: pck_af2cp_sTx.c2.data <= DFH;
            16'h08 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[63:0];
            16'h10 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[127:64];
            DESTINATION: pck_af2cp_sTx.c2.data <= 64'(destination);
            COUNT: pck_af2cp_sTx.c2.data <= 64'(count);
            STATUS: pck_af2cp_sTx.c2.data <= 64'(!running && count != 0 && answered == count);
            default: pck_af2cp_sTx.c2.data <= '0;
        endcase
    end

    // It reads no memory.
    assign pck_af2cp_sTx.c0 = '0;
endmodule
