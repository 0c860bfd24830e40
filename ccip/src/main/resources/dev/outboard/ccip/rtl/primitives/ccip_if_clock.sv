// The clock and the reset of the port, whichever the AFU's JSON file has chosen.
`include "platform_if.vh"

module ccip_if_clock (
    input  logic pClk,
    input  logic pClkDiv2,
    input  logic pClkDiv4,
    input  logic uClk_usr,
    input  logic uClk_usrDiv2,
    input  logic pck_cp2af_softReset,
    output logic clk,
    output logic reset
);
    assign clk = `PLATFORM_PARAM_CCI_P_CLOCK;
    assign reset = pck_cp2af_softReset;
endmodule
