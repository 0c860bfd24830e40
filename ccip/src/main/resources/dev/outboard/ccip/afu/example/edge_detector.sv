// Finds the edges of an image as it streams through, a line of 64 bytes in a cycle: the function that
// EdgeDetector.java is too, with the same registers, regions and return codes.
//
//   line_reader -> pixel_rows -> sobel_rows -> edge_lines -> line_writer
//
// Nothing on this way is held back once it is in pixel_rows' output: it begins nothing for which line_writer
// might have no room.
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
    localparam int HEADER = 0;
    localparam int PIXELS = 1;
    localparam int EDGES = 2;
    localparam int REGIONS = 3;

    localparam logic [7:0] BAD_DIMENSIONS = 8'h23;
    localparam logic [7:0] BAD_SIZE = 8'h24;
    localparam logic [31:0] MOST_SIDE = 32'd65536;

    // CCI-P asks to register what comes in.
    t_if_ccip_Rx rx;
    logic reset;
    always_ff @(posedge pClk) begin
        rx <= pck_cp2af_sRx;
        reset <= pck_cp2af_softReset;
    end

    logic start;
    logic ended;
    logic [7:0] code;
    logic [63:0] regions;
    t_ccip_clAddr address[REGIONS];
    logic [63:0] bytes[REGIONS];
    t_if_ccip_c1_Tx end_c1;
    t_if_ccip_c1_Tx write_c1;
    call_registers #(
        .AFU_ID(`AFU_ACCEL_UUID),
        .REGIONS(REGIONS)
    ) registers (
        .clk(pClk), .reset, .rx, .c1(end_c1), .c2(pck_af2cp_sTx.c2), .start, .function_code(), .user_bytes(), .regions,
        .address, .bytes, .ended, .code
    );
    assign pck_af2cp_sTx.c1 = end_c1.valid ? end_c1 : write_c1;

    // The call: the header is read, checked, and the image streams.
    typedef enum logic [2:0] {IDLE, READS, COUNTS, CHECKS, STREAMS} t_state;
    t_state state;
    logic [31:0] width;
    logic [31:0] height;
    logic [31:0] channels;
    logic [33:0] count;
    logic read_start;
    t_ccip_clAddr read_address;
    logic [27:0] read_lines;
    logic stream_start;
    logic line_valid;
    t_ccip_clData line;
    logic line_take;
    logic row_take;
    logic written;

    assign line_take = state == READS ? line_valid : row_take;

    function automatic logic is_side(input logic [31:0] pixels);
        return pixels != 0 && pixels <= MOST_SIDE;
    endfunction

    always_ff @(posedge pClk) begin
        ended <= 1'b0;
        code <= '0;
        read_start <= 1'b0;
        stream_start <= 1'b0;
        case (state)
            IDLE:
                if (start && regions != 64'(REGIONS)) begin
                    ended <= 1'b1;
                    code <= BAD_SIZE;
                end else if (start) begin
                    read_start <= 1'b1;
                    read_address <= address[HEADER];
                    read_lines <= 28'd1;
                    state <= READS;
                end
            READS:
                if (line_valid) begin
                    width <= line[31:0];
                    height <= line[63:32];
                    channels <= line[95:64];
                    state <= COUNTS;
                end
            COUNTS: begin
                count <= 34'(width[16:0]) * 34'(height[16:0]);
                state <= CHECKS;
                if (!is_side(width) || !is_side(height) || (channels != 1 && channels != 3)) begin
                    ended <= 1'b1;
                    code <= BAD_DIMENSIONS;
                    state <= IDLE;
                end
            end
            CHECKS:
                if (bytes[EDGES] != 64'(count) || bytes[PIXELS] != 64'(count) * 64'(channels)) begin
                    ended <= 1'b1;
                    code <= BAD_SIZE;
                    state <= IDLE;
                end else begin
                    read_start <= 1'b1;
                    read_address <= address[PIXELS];
                    read_lines <= 28'((bytes[PIXELS] + 63) >> 6);
                    stream_start <= 1'b1;
                    state <= STREAMS;
                end
            STREAMS:
                if (written && !stream_start) begin
                    ended <= 1'b1;
                    state <= IDLE;
                end
            default: state <= IDLE;
        endcase
        if (reset) begin
            ended <= 1'b0;
            read_start <= 1'b0;
            stream_start <= 1'b0;
            state <= IDLE;
        end
    end

    line_reader reader (
        .clk(pClk), .reset, .start(read_start), .address(read_address), .count(read_lines), .rx, .c0(pck_af2cp_sTx.c0),
        .valid(line_valid), .line, .take(line_take)
    );

    logic room;
    logic beat_valid;
    t_ccip_clData beat_pixels;
    logic [6:0] beat_count;
    logic [9:0] beat_block;
    logic beat_first;
    logic beat_last;
    logic beat_stores;
    logic beat_top;
    logic beat_bottom;
    pixel_rows rows (
        .clk(pClk), .reset, .start(stream_start), .width(width[16:0]), .height(height[16:0]), .rgb(channels[1]),
        .line_valid(line_valid && state == STREAMS), .line, .take(row_take), .room, .beat_valid, .beat_pixels,
        .beat_count, .beat_block, .beat_first, .beat_last, .beat_stores, .beat_top, .beat_bottom
    );

    logic edges_valid;
    t_ccip_clData edges;
    logic [6:0] edges_count;
    sobel_rows sobel (
        .clk(pClk), .reset, .beat_valid, .beat_pixels, .beat_count, .beat_block, .beat_first, .beat_last, .beat_stores,
        .beat_top, .beat_bottom, .edges_valid, .edges, .edges_count
    );

    logic full_valid;
    t_ccip_clData full_line;
    edge_lines packer (
        .clk(pClk), .reset, .start(stream_start), .count(count[32:0]), .edges_valid, .edges, .edges_count, .full_valid,
        .full_line
    );

    line_writer writer (
        .clk(pClk), .reset, .start(stream_start), .address(address[EDGES]), .count(27'((count + 63) >> 6)),
        .line_valid(full_valid), .line(full_line), .room, .rx, .c1(write_c1), .done(written)
    );
endmodule
