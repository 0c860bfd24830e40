// What a design may ask about its platform at compile time. A compiled design runs on every platform, so
// these are the values that none of them contradicts: sizes that are enough for each, and no byte enable.
package ccip_cfg_pkg;
    // Lines in flight for full bandwidth, by channel: VA, VL0, VH0, VH1.
    parameter int C0_MAX_BW_ACTIVE_LINES[4] = '{512, 512, 256, 256};
    parameter int C1_MAX_BW_ACTIVE_LINES[4] = '{512, 256, 128, 128};

    parameter int MAX_OUTSTANDING_MMIO_RD_REQS = 64;
    parameter int BYTE_EN_SUPPORTED = 0;
    parameter int SUGGESTED_TIMING_REG_STAGES = 0;

    // pClk in MHz, as on a PAC with Arria 10.
    parameter int PCLK_FREQ = 200;
endpackage
