// A block RAM, as the vendor's primitive of this name behaves in the modes SINGLE_PORT, DUAL_PORT (port A writes,
// port B reads: the simple two-port RAM), BIDIR_DUAL_PORT and ROM. ECC is not modelled, nor are initial contents
// in another form than that of $readmemh; clocken2 and clocken3 are ignored.
module altsyncram #(
    parameter operation_mode = "BIDIR_DUAL_PORT",
    parameter width_a = 1,
    parameter widthad_a = 1,
    parameter numwords_a = 1 << widthad_a,
    parameter width_byteena_a = 1,
    parameter byte_size = 8,
    parameter outdata_reg_a = "UNREGISTERED",
    parameter outdata_aclr_a = "NONE",
    parameter read_during_write_mode_port_a = "NEW_DATA_NO_NBE_READ",
    parameter width_b = width_a,
    parameter widthad_b = widthad_a,
    parameter numwords_b = 1 << widthad_b,
    parameter width_byteena_b = 1,
    parameter address_reg_b = "CLOCK1",
    parameter indata_reg_b = "CLOCK1",
    parameter outdata_reg_b = "UNREGISTERED",
    parameter outdata_aclr_b = "NONE",
    parameter read_during_write_mode_port_b = "NEW_DATA_NO_NBE_READ",
    parameter read_during_write_mode_mixed_ports = "DONT_CARE",
    parameter init_file = "UNUSED",
    parameter power_up_uninitialized = "FALSE",
    // What follows says how the vendor's tools implement it.
    parameter lpm_type = "altsyncram",
    parameter lpm_hint = "",
    parameter intended_device_family = "",
    parameter ram_block_type = "AUTO",
    parameter maximum_depth = 0,
    parameter init_file_layout = "PORT_A",
    parameter enable_ecc = "FALSE",
    parameter address_aclr_a = "NONE",
    parameter address_aclr_b = "NONE",
    parameter indata_aclr_a = "NONE",
    parameter indata_aclr_b = "NONE",
    parameter byteena_aclr_a = "NONE",
    parameter byteena_aclr_b = "NONE",
    parameter byteena_reg_b = "CLOCK1",
    parameter wrcontrol_aclr_a = "NONE",
    parameter wrcontrol_aclr_b = "NONE",
    parameter wrcontrol_wraddress_reg_b = "CLOCK1",
    parameter rdcontrol_aclr_b = "NONE",
    parameter rdcontrol_reg_b = "CLOCK1",
    parameter clock_enable_input_a = "NORMAL",
    parameter clock_enable_input_b = "NORMAL",
    parameter clock_enable_output_a = "NORMAL",
    parameter clock_enable_output_b = "NORMAL",
    parameter clock_enable_core_a = "USE_INPUT_CLKEN",
    parameter clock_enable_core_b = "USE_INPUT_CLKEN"
) (
    input  logic                       clock0,
    input  tri1                        clock1,
    input  tri1                        clocken0,
    input  tri1                        clocken1,
    input  tri1                        clocken2,
    input  tri1                        clocken3,
    input  tri0                        aclr0,
    input  tri0                        aclr1,
    input  logic [widthad_a-1:0]       address_a,
    input  tri1  [width_a-1:0]         data_a,
    input  tri1  [width_byteena_a-1:0] byteena_a,
    input  tri0                        wren_a,
    input  tri1                        rden_a,
    input  tri0                        addressstall_a,
    output logic [width_a-1:0]         q_a,
    input  tri1  [widthad_b-1:0]       address_b,
    input  tri1  [width_b-1:0]         data_b,
    input  tri1  [width_byteena_b-1:0] byteena_b,
    input  tri0                        wren_b,
    input  tri1                        rden_b,
    input  tri0                        addressstall_b,
    output logic [width_b-1:0]         q_b,
    output logic [2:0]                 eccstatus
);
    localparam bit WRITES_A = operation_mode != "ROM";
    localparam bit WRITES_B = operation_mode == "BIDIR_DUAL_PORT";
    localparam bit NEW_A = read_during_write_mode_port_a != "OLD_DATA";
    localparam bit NEW_B = read_during_write_mode_port_b != "OLD_DATA";

    // The memory in units of the narrower port; the other sees several at a time.
    localparam int UNIT = width_a < width_b ? width_a : width_b;
    localparam int UNITS_A = width_a / UNIT;
    localparam int UNITS_B = width_b / UNIT;
    localparam int LANE_A = width_byteena_a == 1 ? width_a : byte_size;
    localparam int LANE_B = width_byteena_b == 1 ? width_b : byte_size;

    logic [UNIT-1:0] units[numwords_a * UNITS_A];

    initial begin
        if (power_up_uninitialized == "FALSE") begin
            for (int i = 0; i < numwords_a * UNITS_A; ++i) units[i] = '0;
        end
        if (init_file != "UNUSED" && init_file != "") $readmemh(init_file, units);
    end

    logic clock_b;
    logic enabled_a;
    logic enabled_b;
    assign clock_b = address_reg_b == "CLOCK0" ? clock0 : clock1;
    assign enabled_a = clock_enable_input_a == "BYPASS" || clocken0;
    assign enabled_b = clock_enable_input_b == "BYPASS" || (address_reg_b == "CLOCK0" ? clocken0 : clocken1);
    assign eccstatus = '0;

    // What a port finds, and what it finds with its own write in it.
    function automatic logic [width_a-1:0] found_a(input logic [widthad_a-1:0] address);
        for (int i = 0; i < UNITS_A; ++i) found_a[i*UNIT +: UNIT] = units[32'(address) * UNITS_A + i];
    endfunction

    function automatic logic [width_b-1:0] found_b(input logic [widthad_b-1:0] address);
        for (int i = 0; i < UNITS_B; ++i) found_b[i*UNIT +: UNIT] = units[32'(address) * UNITS_B + i];
    endfunction

    logic [width_a-1:0] written_a;
    logic [width_b-1:0] written_b;
    always_comb begin
        written_a = found_a(address_a);
        for (int i = 0; i < width_a; ++i) if (byteena_a[i/LANE_A]) written_a[i] = data_a[i];
        written_b = found_b(address_b);
        for (int i = 0; i < width_b; ++i) if (byteena_b[i/LANE_B]) written_b[i] = data_b[i];
    end

    // An address that is stalled stays the one before.
    logic [widthad_a-1:0] kept_a;
    logic [widthad_b-1:0] kept_b;
    logic [width_a-1:0] core_a;
    logic [width_b-1:0] core_b;

    always_ff @(posedge clock0) begin
        if (enabled_a) begin
            if (!addressstall_a) kept_a <= address_a;
            if (WRITES_A && wren_a) begin
                for (int i = 0; i < UNITS_A; ++i) units[32'(address_a) * UNITS_A + i] <= written_a[i*UNIT +: UNIT];
            end
            if (rden_a) begin
                core_a <= NEW_A && WRITES_A && wren_a ? written_a : found_a(addressstall_a ? kept_a : address_a);
            end
        end
    end

    always_ff @(posedge clock_b) begin
        if (enabled_b) begin
            if (!addressstall_b) kept_b <= address_b;
            if (WRITES_B && wren_b) begin
                for (int i = 0; i < UNITS_B; ++i) units[32'(address_b) * UNITS_B + i] <= written_b[i*UNIT +: UNIT];
            end
            if (rden_b) begin
                core_b <= NEW_B && WRITES_B && wren_b ? written_b : found_b(addressstall_b ? kept_b : address_b);
            end
        end
    end

    // Registers after the outputs, if the instance has them.
    logic [width_a-1:0] registered_a;
    logic [width_b-1:0] registered_b;
    logic clock_out_a;
    logic clock_out_b;
    logic clear_a;
    logic clear_b;
    assign clock_out_a = outdata_reg_a == "CLOCK1" ? clock1 : clock0;
    assign clock_out_b = outdata_reg_b == "CLOCK1" ? clock1 : clock0;
    assign clear_a = outdata_aclr_a == "CLEAR0" ? aclr0 : outdata_aclr_a == "CLEAR1" && aclr1;
    assign clear_b = outdata_aclr_b == "CLEAR0" ? aclr0 : outdata_aclr_b == "CLEAR1" && aclr1;

    always_ff @(posedge clock_out_a or posedge clear_a) begin
        if (clear_a) registered_a <= '0;
        else if (clock_enable_output_a == "BYPASS" || enabled_a) registered_a <= core_a;
    end

    always_ff @(posedge clock_out_b or posedge clear_b) begin
        if (clear_b) registered_b <= '0;
        else if (clock_enable_output_b == "BYPASS" || enabled_b) registered_b <= core_b;
    end

    assign q_a = outdata_reg_a == "UNREGISTERED" ? core_a : registered_a;
    assign q_b = outdata_reg_b == "UNREGISTERED" ? core_b : registered_b;
endmodule
