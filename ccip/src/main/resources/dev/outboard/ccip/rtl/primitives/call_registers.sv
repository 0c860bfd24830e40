// The registers by which a node calls a function of an FPGA (docs/afu-registers.md), for a design to instantiate.
//
// `start` is 1 for a cycle when a call begins; what is called, and where its regions are, then stays until it has
// ended. The function sets `ended` for a cycle, with its return code, once all its writes are answered. From then
// on Tx C1 is this module's: it drives the fence, and the interrupt if software wants one.
`include "platform_if.vh"

module call_registers #(
    parameter logic [127:0] AFU_ID = '0,
    // Regions that have registers; what software writes to others is lost.
    parameter int REGIONS = 32
) (
    input  logic           clk,
    input  logic           reset,
    // Registered.
    input  t_if_ccip_Rx    rx,
    output t_if_ccip_c1_Tx c1,
    output t_if_ccip_c2_Tx c2,
    output logic           start,
    output logic [7:0]     function_code,
    output logic [23:0]    user_bytes,
    output logic [63:0]    regions,
    output t_ccip_clAddr   address[REGIONS],
    output logic [63:0]    bytes[REGIONS],
    input  logic           ended,
    input  logic [7:0]     code
);
    // An AFU, and the last feature of the list: its registers end behind those of the last region.
    localparam logic [63:0] DFH = {4'h1, 19'd0, 1'b1, 24'(128 + 16 * REGIONS), 4'd0, CCIP_VERSION_NUMBER};

    // Addresses on the port count DWORDs.
    localparam t_ccip_mmioAddr CONTROL = 16'h40 >> 2;
    localparam t_ccip_mmioAddr STATUS = 16'h48 >> 2;
    localparam t_ccip_mmioAddr CALL = 16'h50 >> 2;
    localparam t_ccip_mmioAddr COUNT = 16'h58 >> 2;
    localparam t_ccip_mmioAddr OFFERS = 16'h60 >> 2;
    localparam t_ccip_mmioAddr FIRST_REGION = 16'h80 >> 2;

    // The bits of CONTROL besides START: it interrupts if it is asked to.
    localparam logic [63:0] INTERRUPT = 64'd2;

    t_ccip_c0_ReqMmioHdr mmio;
    assign mmio = t_ccip_c0_ReqMmioHdr'(rx.c0.hdr);

    t_ccip_mmioAddr place;
    logic [13:0] region;
    logic is_region;
    assign place = mmio.address - FIRST_REGION;
    assign region = place[15:2];
    assign is_region = mmio.address >= FIRST_REGION && region < 14'(REGIONS);

    logic [63:0] called;
    assign function_code = called[7:0];
    assign user_bytes = called[31:8];

    always_ff @(posedge clk) begin
        if (rx.c0.mmioWrValid) begin
            if (mmio.address == CALL) called <= rx.c0.data[63:0];
            if (mmio.address == COUNT) regions <= rx.c0.data[63:0];
            if (is_region && !place[1]) address[region] <= t_ccip_clAddr'(rx.c0.data);
            if (is_region && place[1]) bytes[region] <= rx.c0.data[63:0];
        end
        if (reset) begin
            called <= '0;
            regions <= '0;
            for (int i = 0; i < REGIONS; i++) begin
                address[i] <= '0;
                bytes[i] <= '0;
            end
        end
    end

    logic done;
    logic [7:0] result;

    // Each read is answered, also where there is no register.
    always_ff @(posedge clk) begin
        c2.mmioRdValid <= rx.c0.mmioRdValid && !reset;
        c2.hdr.tid <= mmio.tid;
        case (mmio.address)
            16'h00 >> 2: c2.data <= DFH;
            16'h08 >> 2: c2.data <= AFU_ID[63:0];
            16'h10 >> 2: c2.data <= AFU_ID[127:64];
            STATUS: c2.data <= {48'd0, done ? result : 8'd0, 7'd0, done};
            CALL: c2.data <= called;
            COUNT: c2.data <= regions;
            OFFERS: c2.data <= INTERRUPT;
            default:
                if (!is_region) c2.data <= '0;
                else c2.data <= place[1] ? bytes[region] : 64'(address[region]);
        endcase
    end

    typedef enum logic [2:0] {IDLE, RUNS, FENCES, WAITS, TELLS} t_state;
    t_state state;
    logic interrupts;
    // A second interrupt before the first one is answered may be lost.
    logic interrupt_unanswered;

    t_ccip_c1_ReqFenceHdr fence;
    t_ccip_c1_ReqIntrHdr interrupt;
    always_comb begin
        fence = '0;
        fence.vc_sel = eVC_VA;
        fence.req_type = eREQ_WRFENCE;
        interrupt = '0;
        interrupt.vc_sel = eVC_VA;
        interrupt.req_type = eREQ_INTR;
    end

    always_ff @(posedge clk) begin
        start <= 1'b0;
        c1.valid <= 1'b0;
        c1.data <= '0;
        if (rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_INTR) interrupt_unanswered <= 1'b0;
        case (state)
            IDLE:
                if (rx.c0.mmioWrValid && mmio.address == CONTROL && rx.c0.data[0]) begin
                    start <= 1'b1;
                    done <= 1'b0;
                    interrupts <= rx.c0.data[1];
                    state <= RUNS;
                end
            RUNS:
                if (ended) begin
                    result <= code;
                    state <= FENCES;
                end
            FENCES:
                if (!rx.c1TxAlmFull) begin
                    c1.valid <= 1'b1;
                    c1.hdr <= t_ccip_c1_ReqMemHdr'(fence);
                    state <= WAITS;
                end
            WAITS:
                if (rx.c1.rspValid && rx.c1.hdr.resp_type == eRSP_WRFENCE) begin
                    done <= !interrupts;
                    state <= interrupts ? TELLS : IDLE;
                end
            TELLS:
                if (!rx.c1TxAlmFull && !interrupt_unanswered) begin
                    c1.valid <= 1'b1;
                    c1.hdr <= t_ccip_c1_ReqMemHdr'(interrupt);
                    interrupt_unanswered <= 1'b1;
                    done <= 1'b1;
                    state <= IDLE;
                end
            default: state <= IDLE;
        endcase
        if (reset) begin
            start <= 1'b0;
            c1.valid <= 1'b0;
            done <= 1'b0;
            interrupts <= 1'b0;
            interrupt_unanswered <= 1'b0;
            state <= IDLE;
        end
    end
endmodule
