// What a design gets from `include "platform_if.vh": the CCI-P port, and macros that tell what the platform
// has. Local memory, HSSI and the platform interface manager are not part of this platform.
`ifndef PLATFORM_IF_VH
`define PLATFORM_IF_VH

`define PLATFORM_IF_AVAIL 1
`include "platform_afu_top_config.vh"
`include "ccip_if.vh"

`endif
