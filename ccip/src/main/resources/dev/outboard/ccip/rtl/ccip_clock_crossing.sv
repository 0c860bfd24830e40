// Puts the CCI-P port of an AFU on another clock than pClk, for AFUs whose JSON file asks for it. The AFU gets all
// clocks as they are; its port, its reset and the wires beside them are on PLATFORM_PARAM_CCI_P_CLOCK.
//
// Each channel is a FIFO between the two clocks. To the AFU nothing can be held back, so almost-full on its side limits
// what may be under way to what the FIFOs take.
`include "platform_if.vh"

module ccip_clock_crossing_fifo #(
    parameter WIDTH = 8,
    parameter DEPTH = 16
) (
    input  logic             reset,
    input  logic             from_clk,
    input  logic             put,
    input  logic [WIDTH-1:0] data,
    output logic [31:0]      used,
    input  logic             to_clk,
    input  logic             take,
    output logic             empty,
    output logic [WIDTH-1:0] next
);
    logic [WIDTH-1:0] words[DEPTH];

    // Words put and taken since the reset, and what each side knows of the other's count two of its clocks later.
    logic [31:0] puts, puts_seen[2];
    logic [31:0] takes, takes_seen[2];

    assign used = puts - takes_seen[1];
    assign empty = puts_seen[1] == takes;
    assign next = words[takes % DEPTH];

    always_ff @(posedge from_clk or posedge reset) begin
        if (reset) begin
            puts <= 0;
            takes_seen[0] <= 0;
            takes_seen[1] <= 0;
        end else begin
            if (put) puts <= puts + 1;
            takes_seen[0] <= takes;
            takes_seen[1] <= takes_seen[0];
        end
    end

    always_ff @(posedge from_clk) if (put) words[puts % DEPTH] <= data;

    always_ff @(posedge to_clk or posedge reset) begin
        if (reset) begin
            takes <= 0;
            puts_seen[0] <= 0;
            puts_seen[1] <= 0;
        end else begin
            if (take) takes <= takes + 1;
            puts_seen[0] <= puts;
            puts_seen[1] <= puts_seen[0];
        end
    end
endmodule

module ccip_clock_crossing (
    input  logic        pClk, pClkDiv2, pClkDiv4, uClk_usr, uClk_usrDiv2,
    input  logic        pck_cp2af_softReset,
    input  logic [1:0]  pck_cp2af_pwrState,
    input  logic        pck_cp2af_error,
    input  t_if_ccip_Rx pck_cp2af_sRx,
    output t_if_ccip_Tx pck_af2cp_sTx
);
    // Requests of one channel that may wait here, and lines of answers that may.
    localparam REQUESTS = 256;
    localparam LINES = 1024;

    // Beats that may follow almost-full, of up to four lines, and as many cycles until the AFU knows of it.
    localparam SLACK = 64;

    logic clk;
    assign clk = `PLATFORM_PARAM_CCI_P_CLOCK;

    // From pClk: reset, power state and error, each a few clocks later; the reset begins on both sides at once.
    // What the host asks meanwhile waits until the AFU has left its reset.
    logic [10:0] reset_pipe;
    logic reset, ready;
    logic [1:0] power[2];
    logic [1:0] error;
    always_ff @(posedge clk or posedge pck_cp2af_softReset) begin
        if (pck_cp2af_softReset) reset_pipe <= '1;
        else reset_pipe <= {reset_pipe[9:0], 1'b0};
    end
    assign reset = reset_pipe[2];
    assign ready = !reset_pipe[10];
    always_ff @(posedge clk) begin
        power[0] <= pck_cp2af_pwrState;
        power[1] <= power[0];
        error <= {error[0], pck_cp2af_error};
    end

    t_if_ccip_Rx fiu;
    t_if_ccip_Rx rx;
    t_if_ccip_Tx tx, tx_wires;
    always_ff @(posedge pClk) fiu <= pck_cp2af_sRx;
    always_ff @(posedge clk) tx <= tx_wires;

    // To the AFU: read answers, MMIO requests and UMsgs in the order of Rx C0, and the answers of Rx C1.
    logic c0_none, c1_none;
    t_if_ccip_c0_Rx c0_next;
    t_ccip_c1_RspMemHdr c1_next;
    ccip_clock_crossing_fifo #(.WIDTH($bits(t_if_ccip_c0_Rx)), .DEPTH(LINES)) c0_rx (
        .reset(pck_cp2af_softReset), .from_clk(pClk), .data(fiu.c0), .used(),
        .put(fiu.c0.rspValid || fiu.c0.mmioRdValid || fiu.c0.mmioWrValid),
        .to_clk(clk), .take(!c0_none && ready), .empty(c0_none), .next(c0_next));
    ccip_clock_crossing_fifo #(.WIDTH($bits(t_ccip_c1_RspMemHdr)), .DEPTH(LINES)) c1_rx (
        .reset(pck_cp2af_softReset), .from_clk(pClk), .data(fiu.c1.hdr), .used(), .put(fiu.c1.rspValid),
        .to_clk(clk), .take(!c1_none && ready), .empty(c1_none), .next(c1_next));
    always_ff @(posedge clk) begin
        rx.c0 <= c0_next;
        rx.c0.rspValid <= c0_next.rspValid && !c0_none && ready;
        rx.c0.mmioRdValid <= c0_next.mmioRdValid && !c0_none && ready;
        rx.c0.mmioWrValid <= c0_next.mmioWrValid && !c0_none && ready;
        rx.c1.hdr <= c1_next;
        rx.c1.rspValid <= !c1_none && ready;
    end

    // Lines of which the AFU awaits an answer. A packed answer of Rx C1 is for all lines of its write.
    logic [31:0] reads, writes;
    logic [31:0] c0_used, c1_used;
    always_ff @(posedge clk) begin
        reads <= reads + (tx.c0.valid ? 32'(tx.c0.hdr.cl_len) + 1 : 0)
            - 32'(rx.c0.rspValid && rx.c0.hdr.resp_type == eRSP_RDLINE);
        writes <= writes + 32'(tx.c1.valid)
            - (!rx.c1.rspValid ? 0 : rx.c1.hdr.resp_type == eRSP_WRLINE && rx.c1.hdr.format
                ? 32'(rx.c1.hdr.cl_num) + 1 : 1);
        rx.c0TxAlmFull <= reset || c0_used > REQUESTS / 2 || reads > LINES - 2 * SLACK;
        rx.c1TxAlmFull <= reset || c1_used > REQUESTS / 2 || writes > LINES - 2 * SLACK;
        if (reset) begin
            reads <= 0;
            writes <= 0;
        end
    end

    // From the AFU. A write that has begun goes on: its beats are not parted by almost-full.
    logic c0_empty, c1_empty, c2_empty, c0_take, c1_take;
    logic [1:0] beats_left;
    t_ccip_c0_ReqMemHdr c0_hdr;
    t_ccip_c1_ReqMemHdr c1_hdr;
    t_ccip_clData c1_data;
    t_ccip_c2_RspMmioHdr c2_hdr;
    t_ccip_mmioData c2_data;
    ccip_clock_crossing_fifo #(.WIDTH($bits(t_ccip_c0_ReqMemHdr)), .DEPTH(REQUESTS)) c0_tx (
        .reset(pck_cp2af_softReset), .from_clk(clk), .data(tx.c0.hdr), .used(c0_used), .put(tx.c0.valid && !reset),
        .to_clk(pClk), .take(c0_take), .empty(c0_empty), .next(c0_hdr));
    ccip_clock_crossing_fifo #(.WIDTH($bits(t_ccip_c1_ReqMemHdr) + CCIP_CLDATA_WIDTH), .DEPTH(REQUESTS)) c1_tx (
        .reset(pck_cp2af_softReset), .from_clk(clk), .data({tx.c1.hdr, tx.c1.data}), .used(c1_used),
        .put(tx.c1.valid && !reset),
        .to_clk(pClk), .take(c1_take), .empty(c1_empty), .next({c1_hdr, c1_data}));
    ccip_clock_crossing_fifo #(.WIDTH(CCIP_TID_WIDTH + CCIP_MMIODATA_WIDTH), .DEPTH(REQUESTS)) c2_tx (
        .reset(pck_cp2af_softReset), .from_clk(clk), .data({tx.c2.hdr, tx.c2.data}), .used(),
        .put(tx.c2.mmioRdValid && !reset),
        .to_clk(pClk), .take(!c2_empty), .empty(c2_empty), .next({c2_hdr, c2_data}));
    assign c0_take = !c0_empty && !fiu.c0TxAlmFull;
    assign c1_take = !c1_empty && (!fiu.c1TxAlmFull || beats_left != 0);
    always_ff @(posedge pClk) begin
        pck_af2cp_sTx.c0.valid <= c0_take && !pck_cp2af_softReset;
        pck_af2cp_sTx.c0.hdr <= c0_hdr;
        pck_af2cp_sTx.c1.valid <= c1_take && !pck_cp2af_softReset;
        pck_af2cp_sTx.c1.hdr <= c1_hdr;
        pck_af2cp_sTx.c1.data <= c1_data;
        pck_af2cp_sTx.c2.mmioRdValid <= !c2_empty && !pck_cp2af_softReset;
        pck_af2cp_sTx.c2.hdr <= c2_hdr;
        pck_af2cp_sTx.c2.data <= c2_data;
        if (pck_cp2af_softReset) beats_left <= 0;
        else if (c1_take && beats_left != 0) beats_left <= beats_left - 1;
        else if (c1_take && c1_hdr.sop) beats_left <= c1_hdr.cl_len;
    end

    `OUTBOARD_AFU afu (
        .pClk(pClk),
        .pClkDiv2(pClkDiv2),
        .pClkDiv4(pClkDiv4),
        .uClk_usr(uClk_usr),
        .uClk_usrDiv2(uClk_usrDiv2),
        .pck_cp2af_softReset(reset),
        .pck_cp2af_pwrState(power[1]),
        .pck_cp2af_error(error[1]),
        .pck_cp2af_sRx(rx),
        .pck_af2cp_sTx(tx_wires));
endmodule
