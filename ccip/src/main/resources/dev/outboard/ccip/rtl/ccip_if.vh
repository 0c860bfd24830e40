// The types of the port, and macros for designs that ask which fields its headers have.
`ifndef CCIP_IF_VH
`define CCIP_IF_VH

// There are names for speculative reads. No platform takes them: see C0_SUPPORTED_REQS in ccip_cfg_pkg.
`define CCIP_ENCODING_HAS_RDLSPEC 1
`define CCIP_RDLSPEC_AVAIL 1

// Writes have byte_start and byte_len. Whether they count says BYTE_EN_SUPPORTED in ccip_cfg_pkg.
`define CCIP_ENCODING_HAS_BYTE_WR 1

/* verilator lint_save */
/* verilator lint_off IMPORTSTAR */
import ccip_if_pkg::*;
/* verilator lint_restore */

`endif
