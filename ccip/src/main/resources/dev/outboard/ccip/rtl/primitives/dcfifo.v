// A FIFO between two clocks, as the vendor's primitive of this name behaves: each side learns of the other's
// progress a few of its own clocks later.
module dcfifo #(
    parameter lpm_width = 8,
    parameter lpm_numwords = 16,
    parameter lpm_widthu = 4,
    parameter lpm_showahead = "OFF",
    parameter overflow_checking = "ON",
    parameter underflow_checking = "ON",
    parameter rdsync_delaypipe = 4,
    parameter wrsync_delaypipe = 4,
    // What follows says how the vendor's tools implement it.
    parameter lpm_type = "dcfifo",
    parameter lpm_hint = "",
    parameter intended_device_family = "",
    parameter use_eab = "ON",
    parameter add_ram_output_register = "OFF",
    parameter add_usedw_msb_bit = "OFF",
    parameter clocks_are_synchronized = "FALSE",
    parameter delay_rdusedw = 1,
    parameter delay_wrusedw = 1,
    parameter read_aclr_synch = "OFF",
    parameter write_aclr_synch = "OFF",
    parameter enable_ecc = "FALSE"
) (
    input  tri0                   aclr,
    input  logic                  wrclk,
    input  logic [lpm_width-1:0]  data,
    input  logic                  wrreq,
    output logic [lpm_widthu-1:0] wrusedw,
    output logic                  wrfull,
    output logic                  wrempty,
    input  logic                  rdclk,
    input  logic                  rdreq,
    output logic [lpm_width-1:0]  q,
    output logic [lpm_widthu-1:0] rdusedw,
    output logic                  rdfull,
    output logic                  rdempty,
    output logic [1:0]            eccstatus
);
    // A pipe of 0 stands for the vendor's choice; one stage is the least that tells the domains apart.
    localparam int TO_READER = rdsync_delaypipe < 1 ? 1 : rdsync_delaypipe;
    localparam int TO_WRITER = wrsync_delaypipe < 1 ? 1 : wrsync_delaypipe;

    logic [lpm_width-1:0] words[lpm_numwords];

    // Words written and read since the start, and what each side knows of the other's count.
    logic [31:0] written;
    logic [31:0] read;
    logic [31:0] written_seen[TO_READER];
    logic [31:0] read_seen[TO_WRITER];
    logic [lpm_width-1:0] last;

    logic [31:0] used_at_writer;
    logic [31:0] used_at_reader;
    assign used_at_writer = written - read_seen[TO_WRITER-1];
    assign used_at_reader = written_seen[TO_READER-1] - read;

    assign wrusedw = lpm_widthu'(used_at_writer);
    assign wrfull = used_at_writer >= lpm_numwords;
    assign wrempty = used_at_writer == 0;
    assign rdusedw = lpm_widthu'(used_at_reader);
    assign rdfull = used_at_reader >= lpm_numwords;
    assign rdempty = used_at_reader == 0;
    assign q = lpm_showahead == "ON" ? words[read % lpm_numwords] : last;
    assign eccstatus = '0;

    logic accepted;
    logic taken;
    assign accepted = wrreq && (overflow_checking == "OFF" || !wrfull);
    assign taken = rdreq && (underflow_checking == "OFF" || !rdempty);

    always_ff @(posedge wrclk or posedge aclr) begin
        if (aclr) begin
            written <= 0;
            for (int i = 0; i < TO_WRITER; ++i) read_seen[i] <= 0;
        end else begin
            if (accepted) written <= written + 1;
            read_seen[0] <= read;
            for (int i = 1; i < TO_WRITER; ++i) read_seen[i] <= read_seen[i-1];
        end
    end

    always_ff @(posedge wrclk) begin
        if (accepted) words[written % lpm_numwords] <= data;
    end

    always_ff @(posedge rdclk or posedge aclr) begin
        if (aclr) begin
            read <= 0;
            last <= '0;
            for (int i = 0; i < TO_READER; ++i) written_seen[i] <= 0;
        end else begin
            if (taken) begin
                last <= words[read % lpm_numwords];
                read <= read + 1;
            end
            written_seen[0] <= written;
            for (int i = 1; i < TO_READER; ++i) written_seen[i] <= written_seen[i-1];
        end
    end
endmodule
