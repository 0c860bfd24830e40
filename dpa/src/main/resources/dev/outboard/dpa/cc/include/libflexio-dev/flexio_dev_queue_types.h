/*
 * What device code and NIC share: entries of queues. Multi-byte fields are big-endian; the numbers
 * before them are offsets in bytes.
 */
#ifndef FLEXIO_DEV_QUEUE_TYPES_H
#define FLEXIO_DEV_QUEUE_TYPES_H

#include <libflexio-dev/flexio_dev.h>
#include <stdint.h>

typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

/* A work entry has four segments of 16 bytes. */
#define LOG_SQE_NUM_SEGS 2

#define OUTBOARD_ENTRY __attribute__((aligned(8)))

/* Of an event queue. */
struct flexio_dev_eqe {
    /* 00 */ uint8_t rsvd00;
    /* 01 */ uint8_t type;
    /* 02 */ uint8_t rsvd02;
    /* 03 */ uint8_t sub_type;
    /* 04 */ uint8_t rsvd4[28];
    /* 20 */ struct {
        __be32 rsvd00[6];
        /* 38 */ __be32 cqn;
    } event_data;
    /* 3c */ __be16 rsvd3c;
    /* 3e */ uint8_t signature;
    /* 3f */ uint8_t owner;
} OUTBOARD_ENTRY;

/* Of a completion queue. */
struct flexio_dev_cqe64 {
    /* 00 */ __be32 rsvd00[5];
    /* 14 */ __be16 csum_ok;
    /* 16 */ uint8_t rsvd22[2];
    /* 18 */ __be32 rsvd24[2];
    /* 20 */ __be32 srqn_uidx;
    /* 24 */ __be32 imm_inval_pkey;
    /* 28 */ __be32 rsvd40;
    /* 2c */ __be32 byte_cnt;
    /* 30 */ __be32 rsvd48;
    /* 34 */ uint8_t hw_err_syndrome;
    /* 35 */ uint8_t rsvd50;
    /* 36 */ uint8_t vendor_err_synd;
    /* 37 */ uint8_t syndrome;
    /* 38 */ union {
        struct {
            uint8_t sop_rdrop;
            uint8_t qpn24[3];
        };
        __be32 qpn;
    };
    /* 3c */ __be16 wqe_counter;
    /* 3e */ union {
        uint8_t signature;
        uint8_t validity_iteration_count;
    };
    /* 3f: opcode in the upper half, owner bit */ volatile uint8_t op_own;
} OUTBOARD_ENTRY;

/* The first segment of a work entry. */
struct flexio_dev_wqe_ctrl_seg {
    /* 00: modifier 8, index 16, opcode 8 */ __be32 idx_opcode;
    /* 04: queue 24, segments 6 */ __be32 qpn_ds;
    /* 08: completion mode in bits 2 and 3 */ __be32 signature_fm_ce_se;
    /* 0c: immediate data, or 0 */ __be32 general_id;
} OUTBOARD_ENTRY;

/* What an Ethernet segment asks for. */
typedef enum {
    FLEXIO_ETH_SEG_L4CS = 0x8000,
    FLEXIO_ETH_SEG_L3CS = 0x4000,
    FLEXIO_ETH_SEG_L4CS_INNER = 0x2000,
    FLEXIO_ETH_SEG_L3CS_INNER = 0x1000,
    FLEXIO_ETH_SEG_TRAILER_ALIGN = 0x0200,
    FLEXIO_ETH_SEG_SWP_OUTER_L4_TYPE = 0x0040,
    FLEXIO_ETH_SEG_SWP_OUTER_L3_TYPE = 0x0020,
    FLEXIO_ETH_SEG_SWP_INNER_L4_TYPE = 0x0002,
    FLEXIO_ETH_SEG_SWP_INNER_L3_TYPE = 0x0001
} flexio_dev_wqe_eth_seg_cs_swp_flags_t;

struct flexio_dev_wqe_eth_seg {
    /* 00 */ __be32 rsvd0;
    /* 04 */ __be16 cs_swp_flags;
    /* 06 */ __be16 mss;
    /* 08 */ __be32 rsvd2;
    /* 0c */ __be16 inline_hdr_bsz;
    /* 0e: the first bytes of the frame */ uint8_t inline_hdrs[2];
} OUTBOARD_ENTRY;

/* More bytes of a frame. */
struct flexio_dev_wqe_inline_data_seg {
    /* 00 */ uint8_t inline_data[16];
} OUTBOARD_ENTRY;

struct flexio_dev_wqe_rdma_seg {
    /* 00 */ __be64 raddr;
    /* 08 */ __be32 rkey;
    /* 0c */ __be32 rsvd0;
} OUTBOARD_ENTRY;

struct flexio_dev_wqe_mem_ptr_send_data_seg {
    /* 00 */ __be32 byte_count;
    /* 04 */ __be32 lkey;
    /* 08 */ __be64 addr;
} OUTBOARD_ENTRY;

/* With bit 31 of the count set. */
struct flexio_dev_wqe_inline_send_data_seg {
    /* 00 */ __be32 byte_count;
    /* 04 */ __be32 data_and_padding[3];
} OUTBOARD_ENTRY;

/* An entry of a receive queue. */
struct flexio_dev_wqe_rcv_data_seg {
    /* 00 */ __be32 byte_count;
    /* 04 */ __be32 lkey;
    /* 08 */ __be64 addr;
} OUTBOARD_ENTRY;

/* Before an entry of a shared receive queue. */
struct flexio_dev_wqe_shared_receive_seg {
    /* 00 */ uint8_t rsvd0[2];
    /* 02 */ __be16 next_wqe_index;
    /* 04 */ uint8_t signature;
    /* 05 */ uint8_t rsvd1[11];
} OUTBOARD_ENTRY;

struct flexio_dev_wqe_atomic_seg {
    /* 00 */ __be64 swap_or_add_data;
    /* 08 */ __be64 compare_data;
} OUTBOARD_ENTRY;

/* The matrix that is to be transposed. */
struct flexio_dev_wqe_transpose_seg {
    /* 00 */ uint8_t rsvd0[3];
    /* 03 */ uint8_t element_size;
    /* 04 */ uint8_t rsvd1;
    /* 05 */ uint8_t num_of_cols;
    /* 06 */ uint8_t rsvd2;
    /* 07 */ uint8_t num_of_rows;
    /* 08 */ uint8_t rsvd4[8];
} OUTBOARD_ENTRY;

/* The word that is waited for, and how it compares. */
struct flexio_dev_wqe_wait_on_data_seg {
    /* 00 */ uint8_t rsvd0[3];
    /* 03: operation 4, inverted 1 */ uint8_t op_inv;
    /* 04 */ __be32 lkey;
    /* 08 */ __be32 va_63_32;
    /* 0c: what happens if it fails in bits 0 to 2 */ __be32 va_31_3_fail_act;
} OUTBOARD_ENTRY;

/* What it compares with: data in the byte order of the DPA. */
struct flexio_dev_wqe_wait_on_data_data_seg {
    /* 00 */ uint64_t data;
    /* 08 */ __be64 data_mask;
} OUTBOARD_ENTRY;

union flexio_dev_sqe_seg {
    struct flexio_dev_wqe_ctrl_seg ctrl;
    struct flexio_dev_wqe_eth_seg eth;
    struct flexio_dev_wqe_inline_data_seg inline_data;
    struct flexio_dev_wqe_rdma_seg rdma;
    struct flexio_dev_wqe_mem_ptr_send_data_seg mem_ptr_send_data;
    struct flexio_dev_wqe_inline_send_data_seg inline_send_data;
    struct flexio_dev_wqe_atomic_seg atomic;
    struct flexio_dev_wqe_transpose_seg transpose;
    struct flexio_dev_wqe_shared_receive_seg shared_receive;
    struct flexio_dev_wqe_wait_on_data_seg wait_on_data;
    struct flexio_dev_wqe_wait_on_data_data_seg wait_on_data_data;
};

_Static_assert(sizeof(struct flexio_dev_eqe) == 64, "an event entry has 64 bytes");
_Static_assert(sizeof(struct flexio_dev_cqe64) == 64, "a completion entry has 64 bytes");
_Static_assert(sizeof(union flexio_dev_sqe_seg) == 16, "a segment has 16 bytes");

#endif
