// What a design may ask about its platform at compile time. A compiled design runs on every platform, so
// these are the values that none of them contradicts: what all of them have, and sizes that are enough for
// each. A macro of platform_afu_top_config.vh that is defined on the command line sets another value.
`include "platform_afu_top_config.vh"

/// CCIP-RTL-15: every name that designs take from it.
package ccip_cfg_pkg;
    parameter VERSION_NUMBER = 1;

    // Kinds of requests, as bits of a set.
    typedef enum {
        C0_REQ_RDLINE_S  = 1,
        C0_REQ_RDLINE_I  = 2,
        C0_REQ_RDLSPEC_S = 4,
        C0_REQ_RDLSPEC_I = 8
    } e_c0_req;

    typedef enum {
        C1_REQ_WRLINE_S = 1,
        C1_REQ_WRLINE_I = 2,
        C1_REQ_WRPUSH_I = 4,
        C1_REQ_WRFENCE  = 8,
        C1_REQ_INTR     = 16
    } e_c1_req;

    // The sets that the platform takes. Interrupts: not on INTEGRATED.
    parameter C0_SUPPORTED_REQS = int'(`PLATFORM_PARAM_CCI_P_C0_SUPPORTED_REQS);
    parameter C1_SUPPORTED_REQS = int'(`PLATFORM_PARAM_CCI_P_C1_SUPPORTED_REQS);

    // Whether there is a channel: VA, VL0, VH0, VH1. How many there are beside VA, and which to take if in doubt.
    parameter int VC_SUPPORTED[4] = `PLATFORM_PARAM_CCI_P_VC_SUPPORTED;
    parameter int NUM_PHYS_CHANNELS = `PLATFORM_PARAM_CCI_P_NUM_PHYS_CHANNELS;
    parameter ccip_if_pkg::t_ccip_vc VC_DEFAULT = ccip_if_pkg::t_ccip_vc'(`PLATFORM_PARAM_CCI_P_VC_DEFAULT);

    // Whether a request may have this cl_len.
    parameter int CL_LEN_SUPPORTED[4] = `PLATFORM_PARAM_CCI_P_CL_LEN_SUPPORTED;

    parameter int BYTE_EN_SUPPORTED = `PLATFORM_PARAM_CCI_P_BYTE_EN_SUPPORTED;

    // Lines in flight for full bandwidth, by channel: VA, VL0, VH0, VH1.
    parameter int C0_MAX_BW_ACTIVE_LINES[4] = `PLATFORM_PARAM_CCI_P_MAX_BW_ACTIVE_LINES_C0;
    parameter int C1_MAX_BW_ACTIVE_LINES[4] = `PLATFORM_PARAM_CCI_P_MAX_BW_ACTIVE_LINES_C1;

    parameter MAX_OUTSTANDING_MMIO_RD_REQS = `PLATFORM_PARAM_CCI_P_MAX_OUTSTANDING_MMIO_RD_REQS;

    // Register stages between port and AFU: the one that CCI-P asks for.
    parameter int SUGGESTED_TIMING_REG_STAGES = `PLATFORM_PARAM_CCI_P_SUGGESTED_TIMING_REG_STAGES;

    // pClk in MHz, as on a PAC with Arria 10.
    parameter int PCLK_FREQ = `PLATFORM_PARAM_CLOCKS_PCLK_FREQ;
endpackage
