// Adds to each byte of the first region, line by line.
`include "platform_if.vh"
`include "afu_json_info.vh"

module adder (
    input  logic        pClk, pClkDiv2, pClkDiv4, uClk_usr, uClk_usrDiv2,
    input  logic        pck_cp2af_softReset,
    input  logic [1:0]  pck_cp2af_pwrState,
    input  logic        pck_cp2af_error,
    input  t_if_ccip_Rx pck_cp2af_sRx,
    output t_if_ccip_Tx pck_af2cp_sTx
);
    localparam logic [7:0] ADDEND = 8'd1;

    t_if_ccip_Rx rx;
    logic reset;
    always_ff @(posedge pClk) begin
        rx <= pck_cp2af_sRx;
        reset <= pck_cp2af_softReset;
    end

    logic start, ended;
    t_ccip_clAddr address[1];
    logic [63:0] bytes[1];
    t_if_ccip_c1_Tx end_c1, write_c1;
    call_registers #(.AFU_ID(`AFU_ACCEL_UUID), .REGIONS(1)) registers (
        .clk(pClk), .reset, .rx, .c1(end_c1), .c2(pck_af2cp_sTx.c2), .start,
        .function_code(), .user_bytes(), .regions(), .address, .bytes, .ended, .code(8'd0)
    );
    assign pck_af2cp_sTx.c1 = end_c1.valid ? end_c1 : write_c1;

    enum logic [2:0] {IDLE, NEXT, READS, WRITES, ANSWERS} state;
    t_ccip_clAddr place;
    logic [57:0] left;

    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c0 <= '0;
        pck_af2cp_sTx.c0.hdr.address <= place;
        write_c1.valid <= 1'b0;
        ended <= 1'b0;
        case (state)
            IDLE:
                if (start) begin
                    place <= address[0];
                    left <= 58'((bytes[0] + 63) >> 6);
                    state <= NEXT;
                end
            NEXT:
                if (left == 0) begin
                    ended <= 1'b1;
                    state <= IDLE;
                end else if (!rx.c0TxAlmFull) begin
                    pck_af2cp_sTx.c0.valid <= 1'b1;
                    state <= READS;
                end
            READS:
                if (rx.c0.rspValid && rx.c0.hdr.resp_type == eRSP_RDLINE) begin
                    for (int i = 0; i < 64; i++) write_c1.data[8*i +: 8] <= rx.c0.data[8*i +: 8] + ADDEND;
                    state <= WRITES;
                end
            WRITES:
                if (!rx.c1TxAlmFull) begin
                    write_c1.hdr <= '0;
                    write_c1.hdr.sop <= 1'b1;
                    write_c1.hdr.address <= place;
                    write_c1.valid <= 1'b1;
                    state <= ANSWERS;
                end
            ANSWERS:
                if (rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRLINE) begin
                    place <= place + t_ccip_clAddr'(1);
                    left <= left - 58'd1;
                    state <= NEXT;
                end
            default: state <= IDLE;
        endcase
        if (reset) begin
            pck_af2cp_sTx.c0.valid <= 1'b0;
            write_c1.valid <= 1'b0;
            ended <= 1'b0;
            state <= IDLE;
        end
    end
endmodule
