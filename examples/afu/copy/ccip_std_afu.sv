// Copies memory. This module holds the registers; copy_engine does the work.
//
// Registers, as byte offsets, 8 bytes each: 0x00 device feature header, 0x08 and 0x10 AFU_ID,
// 0x40 source and 0x48 destination as line addresses, 0x50 number of lines, 0x58 control (bit 0 starts),
// 0x60 status (bit 0: done), 0x68 scratch.

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

    // Addresses on the port count DWORDs.
    localparam t_ccip_mmioAddr SOURCE = 16'h40 >> 2;
    localparam t_ccip_mmioAddr DESTINATION = 16'h48 >> 2;
    localparam t_ccip_mmioAddr COUNT = 16'h50 >> 2;
    localparam t_ccip_mmioAddr CONTROL = 16'h58 >> 2;
    localparam t_ccip_mmioAddr STATUS = 16'h60 >> 2;
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

    t_ccip_clAddr source;
    t_ccip_clAddr destination;
    logic [31:0] count;
    t_ccip_mmioData scratch;
    logic start;
    logic done;

    always_ff @(posedge pClk) begin
        start <= 1'b0;
        if (rx.c0.mmioWrValid) begin
            case (mmio.address)
                SOURCE: source <= t_ccip_clAddr'(rx.c0.data);
                DESTINATION: destination <= t_ccip_clAddr'(rx.c0.data);
                COUNT: count <= rx.c0.data[31:0];
                CONTROL: start <= rx.c0.data[0];
                SCRATCH: scratch <= rx.c0.data[63:0];
                default: ;
            endcase
        end
        if (reset) begin
            start <= 1'b0;
            source <= '0;
            destination <= '0;
            count <= '0;
            scratch <= '0;
        end
    end

    // Each read is answered, also where there is no register.
    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c2.mmioRdValid <= rx.c0.mmioRdValid && !reset;
        pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
        case (mmio.address)
            16'h00 >> 2: pck_af2cp_sTx.c2.data <= DFH;
            16'h08 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[63:0];
            16'h10 >> 2: pck_af2cp_sTx.c2.data <= AFU_ID[127:64];
            SOURCE: pck_af2cp_sTx.c2.data <= 64'(source);
            DESTINATION: pck_af2cp_sTx.c2.data <= 64'(destination);
            COUNT: pck_af2cp_sTx.c2.data <= 64'(count);
            // Not done any more as soon as software has started the next one.
            STATUS: pck_af2cp_sTx.c2.data <= 64'(done && !start);
            SCRATCH: pck_af2cp_sTx.c2.data <= scratch;
            default: pck_af2cp_sTx.c2.data <= '0;
        endcase
    end

    copy_engine engine (
        .clk(pClk),
        .reset,
        .start,
        .source,
        .destination,
        .count,
        .done,
        .rx,
        .c0(pck_af2cp_sTx.c0),
        .c1(pck_af2cp_sTx.c1)
    );
endmodule
