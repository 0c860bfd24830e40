// The smallest AFU that does something: software can find it, has a register to try, and gets a line of memory
// that says "Hello world!".
//
// Registers, as byte offsets, 8 bytes each: 0x00 device feature header, 0x08 and 0x10 AFU_ID,
// 0x40 line address of a buffer (a write has the line written), 0x68 scratch.

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

    // An AFU, and the last feature of the list: its registers end at 0x70.
    localparam logic [63:0] DFH = {4'h1, 19'd0, 1'b1, 24'h70, 4'd0, CCIP_VERSION_NUMBER};

    // "Hello world!": byte 0 of a line is its bits 7:0.
    localparam logic [95:0] GREETING = "!dlrow olleH";

    // Addresses on the port count DWORDs.
    localparam t_ccip_mmioAddr BUFFER = 16'h40 >> 2;
    localparam t_ccip_mmioAddr SCRATCH = 16'h68 >> 2;

    // CCI-P asks to register what comes in.
    t_if_ccip_Rx rx;
    logic reset;
    always_ff @(posedge pClk) begin
        rx <= pck_cp2af_sRx;
        reset <= pck_cp2af_softReset;
    end

    t_ccip_c0_ReqMmioHdr mmio;
    assign mmio = t_ccip_c0_ReqMmioHdr'(rx.c0.hdr);

    t_ccip_clAddr buffer;
    t_ccip_mmioData scratch;
    logic greeting_due;

    // Registers that software writes, and the one write to memory that follows.
    t_ccip_c1_ReqMemHdr request;
    always_comb begin
        request = '0;
        request.vc_sel = eVC_VA;
        request.sop = 1'b1;
        request.cl_len = eCL_LEN_1;
        request.req_type = eREQ_WRLINE_I;
        request.address = buffer;
    end

    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c1.valid <= greeting_due && !rx.c1TxAlmFull;
        pck_af2cp_sTx.c1.hdr <= request;
        pck_af2cp_sTx.c1.data <= t_ccip_clData'(GREETING);
        if (!rx.c1TxAlmFull) greeting_due <= 1'b0;

        if (rx.c0.mmioWrValid) begin
            case (mmio.address)
                BUFFER: begin
                    buffer <= t_ccip_clAddr'(rx.c0.data);
                    greeting_due <= 1'b1;
                end
                SCRATCH: scratch <= rx.c0.data[63:0];
                default: ;
            endcase
        end

        if (reset) begin
            pck_af2cp_sTx.c1.valid <= 1'b0;
            greeting_due <= 1'b0;
            scratch <= '0;
            buffer <= '0;
        end
    end

    // Registers that software reads. Each read is answered, also where there is no register.
    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c2.mmioRdValid <= rx.c0.mmioRdValid && !reset;
        pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
        case (mmio.address)
            16'h00 >> 2: pck_af2cp_sTx.c2.data <= DFH;
            16'h08 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[63:0];
            16'h10 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[127:64];
            BUFFER: pck_af2cp_sTx.c2.data <= 64'(buffer);
            SCRATCH: pck_af2cp_sTx.c2.data <= scratch;
            default: pck_af2cp_sTx.c2.data <= '0;
        endcase
    end

    // It reads no memory.
    assign pck_af2cp_sTx.c0 = '0;
endmodule
