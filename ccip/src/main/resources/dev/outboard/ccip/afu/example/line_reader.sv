// Reads `count` lines, four at a time where the address is aligned to four, with up to 512 lines in flight, and
// gives them in their order.
//
// A line has a number, counted from 0. Responses come in any order and wait in `lines` at their number modulo 512.
import ccip_if_pkg::*;

module line_reader (
    input  logic           clk,
    input  logic           reset,
    input  logic           start,
    input  t_ccip_clAddr   address,
    input  logic [27:0]    count,
    input  t_if_ccip_Rx    rx,
    output t_if_ccip_c0_Tx c0,
    output logic           valid,
    output t_ccip_clData   line,
    input  logic           take
);
    localparam int INDEX_BITS = 9;
    localparam int LINES = 1 << INDEX_BITS;

    // Numbers of lines: the next to ask for, and to give.
    logic [27:0] asked;
    logic [27:0] given;
    logic [27:0] left;
    t_ccip_clAddr next;
    logic asks;
    logic four;
    assign asks = left != 0 && !rx.c0TxAlmFull && asked - given <= 28'(LINES - 4);
    assign four = next[1:0] == 2'd0 && left >= 28'd4;

    always_ff @(posedge clk) begin
        c0.valid <= asks && !start && !reset;
        c0.hdr <= '0;
        c0.hdr.vc_sel <= eVC_VA;
        c0.hdr.cl_len <= four ? eCL_LEN_4 : eCL_LEN_1;
        c0.hdr.req_type <= eREQ_RDLINE_I;
        c0.hdr.address <= next;
        // One bit longer than an index: see `present`.
        c0.hdr.mdata <= t_ccip_mdata'(asked[INDEX_BITS:0]);
        if (asks) begin
            asked <= asked + (four ? 28'd4 : 28'd1);
            left <= left - (four ? 28'd4 : 28'd1);
            next <= next + (four ? t_ccip_clAddr'(4) : t_ccip_clAddr'(1));
        end
        if (start) begin
            asked <= '0;
            left <= count;
            next <= address;
        end
        if (reset) begin
            asked <= '0;
            left <= '0;
        end
    end

    // A place is used again and again: present tells for which turn it is filled.
    t_ccip_clData lines[LINES];
    logic [LINES-1:0] present;
    logic [INDEX_BITS:0] arriving;
    logic here;
    assign arriving = rx.c0.hdr.mdata[INDEX_BITS:0] + (INDEX_BITS + 1)'(rx.c0.hdr.cl_num);
    assign here = present[given[INDEX_BITS-1:0]] == !given[INDEX_BITS];

    always_ff @(posedge clk) begin
        if (rx.c0.rspValid && rx.c0.hdr.resp_type == eRSP_RDLINE) begin
            lines[arriving[INDEX_BITS-1:0]] <= rx.c0.data;
            present[arriving[INDEX_BITS-1:0]] <= !arriving[INDEX_BITS];
        end
        if (here && (!valid || take)) begin
            line <= lines[given[INDEX_BITS-1:0]];
            given <= given + 28'd1;
            valid <= 1'b1;
        end else if (take) begin
            valid <= 1'b0;
        end
        if (start || reset) begin
            present <= '0;
            given <= '0;
            valid <= 1'b0;
        end
    end
endmodule
