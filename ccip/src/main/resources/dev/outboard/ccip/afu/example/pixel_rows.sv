// From lines of an image to the luminance of its rows, in beats of up to 64 pixels that begin at the beginning of
// a row. After the last row come beats without pixels, for one row more.
import ccip_if_pkg::*;

module pixel_rows (
    input  logic         clk,
    input  logic         reset,
    input  logic         start,
    input  logic [16:0]  width,
    input  logic [16:0]  height,
    // Three bytes a pixel, otherwise one.
    input  logic         rgb,
    input  logic         line_valid,
    input  t_ccip_clData line,
    output logic         take,
    // Whether a beat may begin.
    input  logic         room,
    output logic         beat_valid,
    // The pixel behind the last one of a row is there once more.
    output t_ccip_clData beat_pixels,
    output logic [6:0]   beat_count,
    // Where it is in its row, in 64 pixels.
    output logic [9:0]   beat_block,
    output logic         beat_first,
    output logic         beat_last,
    // Of row 0, row 1, and the one behind the last.
    output logic         beat_stores,
    output logic         beat_top,
    output logic         beat_bottom
);
    // Luminance as in ITU-R BT.601, in 256ths, of 22 pixels.
    function automatic logic [175:0] luminance(input logic [527:0] bytes);
        for (int i = 0; i < 22; i++) begin
            logic [15:0] sum;
            sum = 16'd77 * 16'(bytes[24*i +: 8]) + 16'd150 * 16'(bytes[24*i+8 +: 8])
                + 16'd29 * 16'(bytes[24*i+16 +: 8]) + 16'd128;
            luminance[8*i +: 8] = sum[15:8];
        end
    endfunction

    // Two times 64 pixels: the next beat begins at pixel `offset` of the first.
    t_ccip_clData low;
    t_ccip_clData high;
    logic low_valid;
    logic high_valid;
    logic [5:0] offset;

    // Three lines make 64 pixels. What a line has of a pixel that the next one ends is carried over.
    logic [1:0] phase;
    logic [15:0] carry;

    logic running;
    logic [16:0] row;
    logic [16:0] left;
    logic [6:0] count;
    logic [7:0] end_at;
    logic bottom;
    logic issue;
    logic low_used;
    logic high_moves;
    logic beat_first_next;
    logic [27:0] lines_left;
    logic [35:0] total;
    assign count = left >= 17'd64 ? 7'd64 : left[6:0];
    assign end_at = {2'd0, offset} + {1'b0, count};
    assign bottom = row == height;
    assign issue = running && room && (bottom || (low_valid && (end_at <= 8'd64 || high_valid)));
    assign low_used = issue && !bottom && end_at >= 8'd64;
    assign high_moves = high_valid && (!low_valid || low_used);
    // The lines of an image may end before `high` is full: the rest is asked for by nobody.
    assign take = running && line_valid && (!high_valid || high_moves);

    always_ff @(posedge clk) begin
        if (high_moves) low <= high;
        low_valid <= high_moves || (low_valid && !low_used);
        if (high_moves) high_valid <= 1'b0;
        if (take && !rgb) begin
            high <= line;
            high_valid <= 1'b1;
        end
        if (take && rgb) begin
            carry <= line[511:496];
            case (phase)
                2'd0: high[167:0] <= 168'(luminance({16'd0, line}));
                2'd1: high[335:168] <= 168'(luminance({8'd0, line, carry[15:8]}));
                default: high[511:336] <= luminance({line, carry});
            endcase
            phase <= phase == 2'd2 ? 2'd0 : phase + 2'd1;
            high_valid <= phase == 2'd2 || lines_left == 28'd1;
        end
        if (start || reset) begin
            low_valid <= 1'b0;
            high_valid <= 1'b0;
            phase <= 2'd0;
        end
    end

    // How many lines there still are.
    assign total = 36'(width) * 36'(height) * (rgb ? 36'd3 : 36'd1) + 36'd63;
    always_ff @(posedge clk) begin
        if (take) lines_left <= lines_left - 28'd1;
        if (start) lines_left <= 28'(total >> 6);
        if (reset) lines_left <= '0;
    end

    // `pixels` pixels from pixel `from` on, and the last of them once more.
    function automatic t_ccip_clData aligned(input logic [1023:0] both, input logic [5:0] from, input logic [6:0] pixels);
        aligned = from == 0 ? both[511:0] : 512'(both >> {from, 3'd0});
        if (pixels != 7'd64) aligned[{pixels[5:0], 3'd0} +: 8] = aligned[{pixels[5:0] - 6'd1, 3'd0} +: 8];
    endfunction

    always_ff @(posedge clk) begin
        beat_valid <= issue;
        if (issue) begin
            beat_pixels <= aligned({high, low}, offset, count);
            beat_count <= count;
            beat_block <= beat_first_next ? 10'd0 : beat_block + 10'd1;
            beat_first <= beat_first_next;
            beat_last <= left <= 17'd64;
            beat_stores <= row == 0;
            beat_top <= row == 17'd1;
            beat_bottom <= bottom;
            beat_first_next <= left <= 17'd64;
            if (!bottom) offset <= end_at[5:0];
            left <= left - 17'(count);
            if (left <= 17'd64) begin
                left <= width;
                row <= row + 17'd1;
                if (bottom) running <= 1'b0;
            end
        end
        if (start) begin
            running <= 1'b1;
            row <= '0;
            left <= width;
            offset <= '0;
            beat_first_next <= 1'b1;
        end
        if (reset) begin
            beat_valid <= 1'b0;
            running <= 1'b0;
        end
    end
endmodule
