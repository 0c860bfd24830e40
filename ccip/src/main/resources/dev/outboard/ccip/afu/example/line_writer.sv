// Writes `count` lines, four at a time where the address is aligned to four. `done` as long as there is nothing
// that is not written and answered.
import ccip_if_pkg::*;

module line_writer (
    input  logic           clk,
    input  logic           reset,
    input  logic           start,
    input  t_ccip_clAddr   address,
    input  logic [26:0]    count,
    input  logic           line_valid,
    input  t_ccip_clData   line,
    // For all that a pipeline of 16 stages may hold.
    output logic           room,
    input  t_if_ccip_Rx    rx,
    output t_if_ccip_c1_Tx c1,
    output logic           done
);
    localparam int INDEX_BITS = 6;
    localparam int LINES = 1 << INDEX_BITS;

    t_ccip_clData lines[LINES];

    // Lines that have come, that were written, and that were answered.
    logic [26:0] come;
    logic [26:0] written;
    logic [26:0] answered;
    logic [26:0] held;
    logic [26:0] total;
    t_ccip_clAddr next;
    logic [1:0] beats_left;
    logic four;
    logic writes;
    assign held = come - written;
    assign four = next[1:0] == 2'd0 && total - written >= 27'd4;
    // A request begins when its lines are there, and then goes through: that is less than the eight beats that
    // almost-full leaves.
    assign writes = beats_left != 0 || (!rx.c1TxAlmFull && held >= (four ? 27'd4 : 27'd1));
    assign done = answered == total;

    always_ff @(posedge clk) begin
        room <= held <= 27'(LINES - 18);
        if (line_valid) begin
            lines[come[INDEX_BITS-1:0]] <= line;
            come <= come + 27'd1;
        end
        c1.valid <= writes && !start && !reset;
        if (writes) begin
            c1.data <= lines[written[INDEX_BITS-1:0]];
            c1.hdr <= '0;
            c1.hdr.vc_sel <= eVC_VA;
            c1.hdr.sop <= beats_left == 0;
            c1.hdr.cl_len <= beats_left != 0 || four ? eCL_LEN_4 : eCL_LEN_1;
            c1.hdr.req_type <= eREQ_WRLINE_I;
            c1.hdr.address <= next;
            written <= written + 27'd1;
            next <= next + t_ccip_clAddr'(1);
            if (beats_left != 0) beats_left <= beats_left - 2'd1;
            else if (four) beats_left <= 2'd3;
        end
        // A packed answer is for all lines of its request.
        if (rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRLINE) begin
            answered <= answered + (rx.c1.hdr.format ? 27'(rx.c1.hdr.cl_num) + 27'd1 : 27'd1);
        end
        if (start) begin
            next <= address;
            total <= count;
        end
        if (start || reset) begin
            come <= '0;
            written <= '0;
            answered <= '0;
            beats_left <= '0;
        end
        if (reset) total <= '0;
    end
endmodule
