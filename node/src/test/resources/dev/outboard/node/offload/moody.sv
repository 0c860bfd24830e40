// Does as the user bytes say, as Moody in AfuRoutineTest does.
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
    localparam logic [23:0] ENDS = 24'd0;
    localparam logic [23:0] WRITES_NOWHERE = 24'd2;
    localparam logic [23:0] TELLS_NO_CODE = 24'd3;
    localparam logic [23:0] TELLS_A_CODE = 24'd4;
    localparam logic [23:0] ENDS_THE_SIMULATION = 24'd6;

    t_if_ccip_Rx rx;
    logic reset;
    always_ff @(posedge pClk) begin
        rx <= pck_cp2af_sRx;
        reset <= pck_cp2af_softReset;
    end

    logic start;
    logic ended;
    logic [7:0] code;
    logic [23:0] mood;
    t_if_ccip_c1_Tx end_c1;
    t_if_ccip_c1_Tx write_c1;
    call_registers #(
        .AFU_ID(`AFU_ACCEL_UUID),
        .REGIONS(1)
    ) registers (
        .clk(pClk), .reset, .rx, .c1(end_c1), .c2(pck_af2cp_sTx.c2), .start, .function_code(), .user_bytes(mood),
        .regions(), .address(), .bytes(), .ended, .code
    );
    assign pck_af2cp_sTx.c0 = '0;
    assign pck_af2cp_sTx.c1 = end_c1.valid ? end_c1 : write_c1;

    always_ff @(posedge pClk) begin
        ended <= start && (mood == ENDS || mood == TELLS_NO_CODE || mood == TELLS_A_CODE) && !reset;
        code <= mood == TELLS_NO_CODE ? 8'h99 : mood == TELLS_A_CODE ? 8'h42 : 8'd0;
        write_c1 <= '0;
        write_c1.hdr.sop <= 1'b1;
        write_c1.hdr.address <= 42'h3_0000_0000;
        write_c1.valid <= start && mood == WRITES_NOWHERE && !reset;
        if (start && mood == ENDS_THE_SIMULATION) $fatal(1, "the design has had enough");
    end
endmodule
