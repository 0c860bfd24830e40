// Copies `count` lines, four at a time wherever both ends are aligned to four, with up to 512 lines in flight.
//
// A line has a number, counted from 0. Requests go out in order; the lines of the responses come back in any
// order, and wait in `lines` at their number modulo 512 until all lines before them were written.

import ccip_if_pkg::*;

module copy_engine (
    input  logic           clk,
    input  logic           reset,
    input  logic           start,
    input  t_ccip_clAddr   source,
    input  t_ccip_clAddr   destination,
    input  logic [31:0]    count,
    output logic           done,
    input  t_if_ccip_Rx    rx,
    output t_if_ccip_c0_Tx c0,
    output t_if_ccip_c1_Tx c1
);
    localparam int INDEX_BITS = 9;
    localparam int LINES = 1 << INDEX_BITS;

    logic running;

    // Numbers of lines: the next to ask for, to arrive, to write; and how many writes were answered.
    logic [31:0] asked;
    logic [31:0] arrived;
    logic [31:0] written;
    logic [31:0] answered;

    // Whether four lines from `line` on, which is at `address`, make one request.
    function automatic logic four_fit(input t_ccip_clAddr address, input logic [31:0] line);
        return address[1:0] == 2'd0 && count - line >= 32'd4;
    endfunction

    // Reads. mdata is the number of the first line, one bit longer than an index: see `present`.
    t_ccip_clAddr read_address;
    logic read_four;
    logic read_now;
    assign read_address = source + t_ccip_clAddr'(asked);
    assign read_four = four_fit(read_address, asked);
    assign read_now = running && !rx.c0TxAlmFull && asked != count && asked - written <= LINES - 4;

    always_ff @(posedge clk) begin
        c0.valid <= read_now && !reset;
        c0.hdr <= '0;
        c0.hdr.vc_sel <= eVC_VA;
        c0.hdr.cl_len <= read_four ? eCL_LEN_4 : eCL_LEN_1;
        c0.hdr.req_type <= eREQ_RDLINE_I;
        c0.hdr.address <= read_address;
        c0.hdr.mdata <= t_ccip_mdata'(asked[INDEX_BITS:0]);

        if (read_now) asked <= asked + (read_four ? 32'd4 : 32'd1);
        if (start || reset) asked <= '0;
    end

    // Lines that come back. A place is used again and again; present tells for which turn it is filled.
    t_ccip_clData lines[LINES];
    logic [LINES-1:0] present;
    logic line_arrives;
    logic [INDEX_BITS:0] arriving;
    assign line_arrives = rx.c0.rspValid && rx.c0.hdr.resp_type == eRSP_RDLINE;
    assign arriving = rx.c0.hdr.mdata[INDEX_BITS:0] + (INDEX_BITS + 1)'(rx.c0.hdr.cl_num);

    always_ff @(posedge clk) begin
        if (line_arrives) begin
            lines[arriving[INDEX_BITS-1:0]] <= rx.c0.data;
            present[arriving[INDEX_BITS-1:0]] <= !arriving[INDEX_BITS];
        end
        if (present[arrived[INDEX_BITS-1:0]] == !arrived[INDEX_BITS]) arrived <= arrived + 32'd1;
        if (start || reset) begin
            arrived <= '0;
            present <= '0;
        end
    end

    // Writes, and behind the last of them a fence. A burst of four starts when its lines are there, and then goes through: with what is already on
    // its way that is less than the eight beats that almost-full leaves.
    t_ccip_clAddr write_address;
    logic [1:0] beats_left;
    logic write_four;
    logic write_now;
    logic fence_now;
    logic fence_sent;
    assign write_address = destination + t_ccip_clAddr'(written);
    assign write_four = four_fit(write_address, written);

    always_comb begin
        write_now = 1'b0;
        if (beats_left != 0) begin
            write_now = 1'b1;
        end else if (running && !rx.c1TxAlmFull) begin
            write_now = arrived - written >= (write_four ? 32'd4 : 32'd1);
        end
        fence_now = running && !rx.c1TxAlmFull && written == count && beats_left == 0 && !fence_sent;
    end

    t_ccip_c1_ReqFenceHdr fence;
    always_comb begin
        fence = '0;
        fence.vc_sel = eVC_VA;
        fence.req_type = eREQ_WRFENCE;
    end

    t_ccip_c1_ReqMemHdr write_header;
    logic write_valid;
    t_ccip_clData write_line;

    always_ff @(posedge clk) begin
        write_valid <= write_now || fence_now;
        write_line <= lines[written[INDEX_BITS-1:0]];
        write_header <= '0;
        write_header.vc_sel <= eVC_VA;
        write_header.sop <= beats_left == 0;
        write_header.cl_len <= beats_left != 0 || write_four ? eCL_LEN_4 : eCL_LEN_1;
        write_header.req_type <= eREQ_WRLINE_I;
        write_header.address <= write_address;
        if (fence_now) begin
            write_header <= t_ccip_c1_ReqMemHdr'(fence);
            fence_sent <= 1'b1;
        end

        if (write_now) begin
            written <= written + 32'd1;
            if (beats_left != 0) beats_left <= beats_left - 2'd1;
            else if (write_four) beats_left <= 2'd3;
        end

        c1.valid <= write_valid;
        c1.hdr <= write_header;
        c1.data <= write_line;

        if (start || reset) begin
            written <= '0;
            fence_sent <= 1'b0;
        end
        if (reset) begin
            write_valid <= 1'b0;
            c1.valid <= 1'b0;
            beats_left <= '0;
        end
    end

    // Answers. A packed one is for all lines of its request; cl_num says how many. Only the answer to the fence
    // means that the processor sees the lines too.
    logic write_answered;
    logic fence_answered;
    logic fenced;
    assign write_answered = rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRLINE;
    assign fence_answered = rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRFENCE;

    always_ff @(posedge clk) begin
        if (write_answered) begin
            answered <= answered + (rx.c1.hdr.format ? 32'(rx.c1.hdr.cl_num) + 32'd1 : 32'd1);
        end
        if (fence_answered) fenced <= 1'b1;
        if (running && fenced && answered == count) begin
            running <= 1'b0;
            done <= 1'b1;
        end
        if (start) begin
            running <= 1'b1;
            done <= 1'b0;
        end
        if (start || reset) begin
            answered <= '0;
            fenced <= 1'b0;
        end
        if (reset) begin
            running <= 1'b0;
            done <= 1'b0;
        end
    end
endmodule
