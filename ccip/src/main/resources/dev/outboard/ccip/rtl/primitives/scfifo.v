// A FIFO with one clock, as the vendor's primitive of this name behaves.
module scfifo #(
    parameter lpm_width = 8,
    parameter lpm_numwords = 16,
    parameter lpm_widthu = 4,
    parameter lpm_showahead = "OFF",
    parameter almost_full_value = lpm_numwords,
    parameter almost_empty_value = 0,
    parameter overflow_checking = "ON",
    parameter underflow_checking = "ON",
    // What follows says how the vendor's tools implement it.
    parameter lpm_type = "scfifo",
    parameter lpm_hint = "",
    parameter intended_device_family = "",
    parameter use_eab = "ON",
    parameter add_ram_output_register = "OFF",
    parameter allow_rwcycle_when_full = "OFF",
    parameter maximum_depth = 0,
    parameter ram_block_type = "AUTO",
    parameter enable_ecc = "FALSE"
) (
    input  logic                  clock,
    input  tri0                   aclr,
    input  tri0                   sclr,
    input  logic [lpm_width-1:0]  data,
    input  logic                  wrreq,
    input  logic                  rdreq,
    output logic [lpm_width-1:0]  q,
    output logic [lpm_widthu-1:0] usedw,
    output logic                  full,
    output logic                  empty,
    output logic                  almost_full,
    output logic                  almost_empty,
    output logic [1:0]            eccstatus
);
    logic [lpm_width-1:0] words[lpm_numwords];
    logic [31:0] used;
    logic [31:0] head;
    logic [31:0] tail;
    logic [lpm_width-1:0] last;

    logic accepted;
    logic taken;
    assign accepted = wrreq && (overflow_checking == "OFF" || !full);
    assign taken = rdreq && (underflow_checking == "OFF" || !empty);

    assign full = used == lpm_numwords;
    assign empty = used == 0;
    assign almost_full = used >= almost_full_value;
    assign almost_empty = used < almost_empty_value;
    assign usedw = lpm_widthu'(used);
    assign q = lpm_showahead == "ON" ? words[head] : last;
    assign eccstatus = '0;

    function automatic logic [31:0] after(input logic [31:0] index);
        return index == lpm_numwords - 1 ? 0 : index + 1;
    endfunction

    always_ff @(posedge clock or posedge aclr) begin
        if (aclr) begin
            used <= 0;
            head <= 0;
            tail <= 0;
            last <= '0;
        end else if (sclr) begin
            used <= 0;
            head <= 0;
            tail <= 0;
        end else begin
            if (taken) begin
                last <= words[head];
                head <= after(head);
            end
            if (accepted) tail <= after(tail);
            used <= used + 32'(accepted) - 32'(taken);
        end
    end

    always_ff @(posedge clock) begin
        if (accepted) words[tail] <= data;
    end
endmodule
