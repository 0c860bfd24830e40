// The CCI-P port as SystemVerilog types: what a design imports as ccip_if_pkg.
//
// Written from the manual's tables (1.3.6 to 1.3.11). The names are those that designs for CCI-P use, so
// that they compile unchanged; the layouts are the bit images that the other side of the port reads.
/// CCIP-RTL-15, CCIP-ENC-17: every name that designs take from it, and the version.
package ccip_if_pkg;

    // Widths.
    parameter CCIP_VERSION_NUMBER = 12'h080;

    parameter CCIP_CLADDR_WIDTH = 42;
    parameter CCIP_CLDATA_WIDTH = 512;
    parameter CCIP_CLDATA_BYTE_WIDTH = 64;
    parameter CCIP_CLDATA_BYTE_IDX_WIDTH = 6;
    parameter CCIP_MMIOADDR_WIDTH = 16;
    parameter CCIP_MMIODATA_WIDTH = 64;
    parameter CCIP_MDATA_WIDTH = 16;
    parameter CCIP_TID_WIDTH = 9;

    parameter CCIP_C0TX_HDR_WIDTH = 74;
    parameter CCIP_C1TX_HDR_WIDTH = 80;
    parameter CCIP_C2TX_HDR_WIDTH = CCIP_TID_WIDTH;
    parameter CCIP_C0RX_HDR_WIDTH = 28;
    parameter CCIP_C1RX_HDR_WIDTH = 28;
    parameter CCIP_C0RX_MMIOHDR_WIDTH = 28;
    parameter CCIP_TXPORT_WIDTH = 742;
    parameter CCIP_RXPORT_WIDTH = 574;
    parameter NUM_CCIP_PORTS = 1;

    // The level of pck_cp2af_softReset at which the AFU is in reset.
    parameter CCIP_SYNC_RESET_POLARITY = 1;

    // Beats that may still be sent after almost-full, and cycles in which an MMIO read is answered.
    parameter CCIP_TX_ALMOST_FULL_THRESHOLD = 8;
    parameter CCIP_MMIO_RD_TIMEOUT = 65536;

    // Fields.
    typedef logic [CCIP_CLADDR_WIDTH-1:0] t_ccip_clAddr;
    typedef logic [CCIP_CLDATA_WIDTH-1:0] t_ccip_clData;
    typedef logic [CCIP_CLDATA_BYTE_IDX_WIDTH-1:0] t_ccip_clByteIdx;
    typedef logic [CCIP_MMIOADDR_WIDTH-1:0] t_ccip_mmioAddr;
    typedef logic [CCIP_MMIODATA_WIDTH-1:0] t_ccip_mmioData;
    typedef logic [CCIP_MDATA_WIDTH-1:0] t_ccip_mdata;
    typedef logic [CCIP_TID_WIDTH-1:0] t_ccip_tid;
    typedef logic [1:0] t_ccip_clNum;
    typedef logic [2:0] t_ccip_qwIdx;
    typedef logic [2:0] t_ccip_umsgid;
    typedef logic [1:0] t_ccip_intr_id;

    // Encodings (1.2.2.3, 1.3.7, 1.3.8.1).
    typedef enum logic [1:0] {
        eVC_VA  = 2'd0,
        eVC_VL0 = 2'd1,
        eVC_VH0 = 2'd2,
        eVC_VH1 = 2'd3
    } t_ccip_vc;

    typedef enum logic [1:0] {
        eCL_LEN_1 = 2'd0,
        eCL_LEN_2 = 2'd1,
        eCL_LEN_4 = 2'd3
    } t_ccip_clLen;

    typedef enum logic [0:0] {
        eMOD_CL   = 1'b0,
        eMOD_BYTE = 1'b1
    } t_ccip_mem_access_mode;

    // No platform takes a speculative read or an atomic: the names are there for designs that ask ccip_cfg_pkg
    // first (C0_SUPPORTED_REQS).
    typedef enum logic [3:0] {
        eREQ_RDLINE_I  = 4'd0,
        eREQ_RDLINE_S  = 4'd1,
        eREQ_RDLSPEC_I = 4'd2,
        eREQ_RDLSPEC_S = 4'd3
    } t_ccip_c0_req;

    typedef enum logic [3:0] {
        eREQ_WRLINE_I = 4'd0,
        eREQ_WRLINE_M = 4'd1,
        eREQ_WRPUSH_I = 4'd2,
        eREQ_WRFENCE  = 4'd4,
        eREQ_ATOMIC   = 4'd5,
        eREQ_INTR     = 4'd6
    } t_ccip_c1_req;

    typedef enum logic [3:0] {
        eRSP_RDLINE = 4'd0,
        eRSP_UMSG   = 4'd4,
        eRSP_ATOMIC = 4'd5
    } t_ccip_c0_rsp;

    typedef enum logic [3:0] {
        eRSP_WRLINE  = 4'd0,
        eRSP_WRFENCE = 4'd4,
        eRSP_INTR    = 4'd6
    } t_ccip_c1_rsp;

    // Request headers (1.3.7).
    typedef struct packed {
        t_ccip_vc     vc_sel;
        logic [1:0]   rsvd1;
        t_ccip_clLen  cl_len;
        t_ccip_c0_req req_type;
        logic [5:0]   rsvd0;
        t_ccip_clAddr address;
        t_ccip_mdata  mdata;
    } t_ccip_c0_ReqMemHdr;

    typedef struct packed {
        t_ccip_clByteIdx       byte_len;
        t_ccip_vc              vc_sel;
        logic                  sop;
        t_ccip_mem_access_mode mode;
        t_ccip_clLen           cl_len;
        t_ccip_c1_req          req_type;
        t_ccip_clByteIdx       byte_start;
        t_ccip_clAddr          address;
        t_ccip_mdata           mdata;
    } t_ccip_c1_ReqMemHdr;

    typedef struct packed {
        logic [5:0]   rsvd2;
        t_ccip_vc     vc_sel;
        logic [3:0]   rsvd1;
        t_ccip_c1_req req_type;
        logic [47:0]  rsvd0;
        t_ccip_mdata  mdata;
    } t_ccip_c1_ReqFenceHdr;

    typedef struct packed {
        logic [5:0]    rsvd2;
        t_ccip_vc      vc_sel;
        logic [3:0]    rsvd1;
        t_ccip_c1_req  req_type;
        logic [61:0]   rsvd0;
        t_ccip_intr_id id;
    } t_ccip_c1_ReqIntrHdr;

    typedef struct packed {
        t_ccip_tid tid;
    } t_ccip_c2_RspMmioHdr;

    // Response headers and MMIO requests (1.3.8.1).
    typedef struct packed {
        t_ccip_vc     vc_used;
        logic         rsvd1;
        logic         hit_miss;
        logic         error;
        logic         rsvd0;
        t_ccip_clNum  cl_num;
        t_ccip_c0_rsp resp_type;
        t_ccip_mdata  mdata;
    } t_ccip_c0_RspMemHdr;

    typedef struct packed {
        t_ccip_mmioAddr address;
        logic [1:0]     length;
        logic           rsvd;
        t_ccip_tid      tid;
    } t_ccip_c0_ReqMmioHdr;

    typedef struct packed {
        logic [7:0]   rsvd1;
        t_ccip_c0_rsp resp_type;
        logic         umsg_type;
        logic [11:0]  rsvd0;
        t_ccip_umsgid umsg_id;
    } t_ccip_c0_RspUmsgHdr;

    typedef struct packed {
        t_ccip_vc     vc_used;
        logic         rsvd1;
        logic         hit_miss;
        logic         format;
        logic         rsvd0;
        t_ccip_clNum  cl_num;
        t_ccip_c1_rsp resp_type;
        t_ccip_mdata  mdata;
    } t_ccip_c1_RspMemHdr;

    typedef struct packed {
        logic [7:0]   rsvd0;
        t_ccip_c1_rsp resp_type;
        t_ccip_mdata  mdata;
    } t_ccip_c1_RspFenceHdr;

    typedef struct packed {
        t_ccip_vc      vc_used;
        logic [5:0]    rsvd1;
        t_ccip_c1_rsp  resp_type;
        logic [13:0]   rsvd0;
        t_ccip_intr_id id;
    } t_ccip_c1_RspIntrHdr;

    // The header of Rx C0 by what the valid wires say.
    typedef union packed {
        t_ccip_c0_RspMemHdr  rspMemHdr;
        t_ccip_c0_ReqMmioHdr reqMmioHdr;
    } t_if_ccip_c0_RxHdr;

    // From the AFU (1.3.6): 742 bits.
    typedef struct packed {
        t_ccip_c0_ReqMemHdr hdr;
        logic               valid;
    } t_if_ccip_c0_Tx;

    typedef struct packed {
        t_ccip_c1_ReqMemHdr hdr;
        t_ccip_clData       data;
        logic               valid;
    } t_if_ccip_c1_Tx;

    typedef struct packed {
        t_ccip_c2_RspMmioHdr hdr;
        logic                mmioRdValid;
        t_ccip_mmioData      data;
    } t_if_ccip_c2_Tx;

    typedef struct packed {
        t_if_ccip_c0_Tx c0;
        t_if_ccip_c1_Tx c1;
        t_if_ccip_c2_Tx c2;
    } t_if_ccip_Tx;

    // To the AFU (1.3.8): 574 bits.
    typedef struct packed {
        t_ccip_c0_RspMemHdr hdr;
        t_ccip_clData       data;
        logic               rspValid;
        logic               mmioRdValid;
        logic               mmioWrValid;
    } t_if_ccip_c0_Rx;

    typedef struct packed {
        t_ccip_c1_RspMemHdr hdr;
        logic               rspValid;
    } t_if_ccip_c1_Rx;

    typedef struct packed {
        logic           c0TxAlmFull;
        logic           c1TxAlmFull;
        t_if_ccip_c0_Rx c0;
        t_if_ccip_c1_Rx c1;
    } t_if_ccip_Rx;
endpackage
