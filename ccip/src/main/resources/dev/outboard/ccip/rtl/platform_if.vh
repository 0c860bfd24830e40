// What a design gets from `include "platform_if.vh": the CCI-P port, and macros that tell what the platform
// has. Local memory, HSSI and the platform interface manager are not part of this platform.
`ifndef PLATFORM_IF_VH
`define PLATFORM_IF_VH

`define PLATFORM_IF_AVAIL
`define PLATFORM_CLASS_NAME "OUTBOARD"
`define PLATFORM_CLASS_NAME_IS_OUTBOARD
`define AFU_TOP_MODULE_NAME ccip_std_afu
`define AFU_TOP_REQUIRES_CCI_P
`define PLATFORM_PROVIDES_CCI_P

// The clock of the port cannot be chosen.
`define PLATFORM_PARAM_CCI_P_CLOCK pClk
`define PLATFORM_PARAM_CCI_P_CLOCK_IS_DEFAULT 1
`define PLATFORM_PARAM_CCI_P_CLOCK_IS_PCLK 1
`define PLATFORM_PARAM_CCI_P_RESET pck_cp2af_softReset

/* verilator lint_save */
/* verilator lint_off IMPORTSTAR */
import ccip_if_pkg::*;
/* verilator lint_restore */

`endif
