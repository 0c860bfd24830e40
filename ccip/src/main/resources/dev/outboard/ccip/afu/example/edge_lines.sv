// Packs edges, up to 64 a cycle, into lines. Behind the last of `count` edges a line has zeros.
import ccip_if_pkg::*;

module edge_lines (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [32:0]  count,
    input  logic         edges_valid,
    // Zero beyond `edges_count`.
    input  t_ccip_clData edges,
    input  logic [6:0]   edges_count,
    output logic         full_valid,
    output t_ccip_clData full_line
);
    // Edges of a line that is not full, and how many.
    t_ccip_clData held;
    logic [5:0] fill;
    logic [32:0] left;
    logic [7:0] sum;
    logic overflown;
    logic [1023:0] joined;
    assign sum = {2'd0, fill} + {1'b0, edges_count};

    always_ff @(posedge clk) begin
        full_valid <= 1'b0;
        if (edges_valid) begin
            joined = {512'd0, edges};
            if (fill != 0) joined = {512'd0, held} | joined << {fill, 3'd0};
            full_valid <= sum >= 8'd64 || left == 33'(edges_count);
            full_line <= joined[511:0];
            held <= sum >= 8'd64 ? joined[1023:512] : joined[511:0];
            fill <= sum[5:0];
            left <= left - 33'(edges_count);
        end else if (left == 0 && fill != 0) begin
            // The last edges began a line more, or have just been given with theirs.
            full_valid <= overflown;
            full_line <= held;
            fill <= '0;
        end
        overflown <= edges_valid && sum > 8'd64;
        if (start) begin
            fill <= '0;
            left <= count;
        end
        if (reset) begin
            full_valid <= 1'b0;
            fill <= '0;
            left <= '0;
        end
    end
endmodule
