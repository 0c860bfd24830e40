// |Gx| + |Gy| by the Sobel operator, at most 255, of each pixel of the row before the one that comes. Pixels beyond
// the border count as equal to the nearest one inside.
import ccip_if_pkg::*;

module sobel_rows (
    input  logic         clk,
    input  logic         reset,
    input  logic         beat_valid,
    input  t_ccip_clData beat_pixels,
    input  logic [6:0]   beat_count,
    input  logic [9:0]   beat_block,
    input  logic         beat_first,
    input  logic         beat_last,
    input  logic         beat_stores,
    input  logic         beat_top,
    input  logic         beat_bottom,
    output logic         edges_valid,
    // Zero beyond `edges_count`.
    output t_ccip_clData edges,
    output logic [6:0]   edges_count
);
    localparam int BLOCKS = 1024;

    // The two rows before the one that comes.
    t_ccip_clData above_row[BLOCKS];
    t_ccip_clData here_row[BLOCKS];

    // The beat, and what stands above it.
    logic valid;
    t_ccip_clData pixels;
    t_ccip_clData above;
    t_ccip_clData here;
    logic [6:0] count;
    logic [9:0] block;
    logic first;
    logic last;
    logic stores;
    logic top;
    logic bottom;

    always_ff @(posedge clk) begin
        valid <= beat_valid && !reset;
        if (beat_valid) begin
            pixels <= beat_pixels;
            count <= beat_count;
            block <= beat_block;
            first <= beat_first;
            last <= beat_last;
            stores <= beat_stores;
            top <= beat_top;
            bottom <= beat_bottom;
            // What is being written there is not read yet.
            if (valid && block == beat_block) begin
                above <= here;
                here <= pixels;
            end else begin
                above <= above_row[beat_block];
                here <= here_row[beat_block];
            end
        end
        if (valid) begin
            above_row[block] <= here;
            here_row[block] <= pixels;
        end
    end

    // Of a column of three pixels: their weighted sum, and the lowest less the highest.
    typedef struct packed {
        logic [15:0] sum;
        logic [15:0] slope;
    } t_column;

    function automatic t_column column(input logic [7:0] high, input logic [7:0] middle, input logic [7:0] low);
        column.sum = 16'(high) + {7'd0, middle, 1'b0} + 16'(low);
        column.slope = 16'(low) - 16'(high);
    endfunction

    function automatic logic [15:0] magnitude(input logic [15:0] value);
        return value[15] ? -value : value;
    endfunction

    function automatic logic [7:0] edge_of(input t_column left, input t_column middle, input t_column right);
        logic [15:0] strength;
        strength = magnitude(right.sum - left.sum)
            + magnitude(left.slope + {middle.slope[14:0], 1'b0} + right.slope);
        return strength > 16'd255 ? 8'd255 : strength[7:0];
    endfunction

    t_ccip_clData highest;
    t_ccip_clData lowest;
    assign highest = top ? here : above;
    assign lowest = bottom ? here : pixels;

    // The columns of a beat wait for the first one of the next, unless their row ends with them.
    logic waiting;
    t_column [63:0] columns;
    t_column previous;
    logic [6:0] columns_count;
    logic columns_last;
    logic emit;
    assign emit = waiting && (columns_last || valid);

    always_ff @(posedge clk) begin
        if (valid && !stores) begin
            for (int i = 0; i < 64; i++) begin
                columns[i] <= column(highest[8*i +: 8], here[8*i +: 8], lowest[8*i +: 8]);
            end
            previous <= first ? column(highest[7:0], here[7:0], lowest[7:0]) : columns[63];
            columns_count <= count;
            columns_last <= last;
        end
        waiting <= !reset && ((valid && !stores) || (waiting && !emit));
    end

    // The row after the last column, which is full: that one once more.
    t_column after;
    assign after = columns_last ? columns[63] : column(highest[7:0], here[7:0], lowest[7:0]);

    always_ff @(posedge clk) begin
        edges_valid <= emit && !reset;
        if (emit) begin
            edges[7:0] <= edge_of(previous, columns[0], columns[1]);
            for (int i = 1; i < 63; i++) begin
                edges[8*i +: 8] <= 7'(i) < columns_count ? edge_of(columns[i-1], columns[i], columns[i+1]) : 8'd0;
            end
            edges[511:504] <= columns_count == 7'd64 ? edge_of(columns[62], columns[63], after) : 8'd0;
            edges_count <= columns_count;
        end
    end
endmodule
