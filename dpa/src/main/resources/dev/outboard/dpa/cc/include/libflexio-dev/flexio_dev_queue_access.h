/*
 * Queues in device code: doorbells, and fields of their entries. Doorbells are given in two
 * spellings, with the context of the thread before the other arguments and without. They contain no
 * fence: what the NIC will read must have been written back before, unless the machine does it by
 * its option flexio.fenced.
 */
#ifndef FLEXIO_DEV_QUEUE_ACCESS_H
#define FLEXIO_DEV_QUEUE_ACCESS_H

#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_dpa_arch.h>
#include <libflexio-dev/flexio_dev_endianity.h>
#include <libflexio-dev/flexio_dev_queue_types.h>
#include <stdint.h>

/* Doorbells. */

FLEXIO_DEV_ALWAYS_INLINE void outboard_before_doorbell(struct flexio_dev_thread_ctx *context)
{
    if ((context->flags & OUTBOARD_FENCED) != 0) {
        __dpa_thread_memory_writeback();
        __dpa_thread_window_writeback();
    }
}

#define OUTBOARD_RING(name, value)                                                                 \
    do {                                                                                           \
        struct flexio_dev_thread_ctx *own = outboard_thread();                                     \
        outboard_before_doorbell(own);                                                             \
        outbox_write(own->outbox_base, name, value);                                               \
    } while (0)

/* A send queue is posted up to that index. */
OUTBOARD_OVERLOADED void flexio_dev_qp_sq_ring_db(uint16_t pi, uint32_t qnum)
{
    OUTBOARD_RING(SXD_DB, OUTBOX_V_SXD_DB(pi, qnum));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_qp_sq_ring_db(
        struct flexio_dev_thread_ctx *context, uint16_t pi, uint32_t qnum)
{
    (void)context;
    flexio_dev_qp_sq_ring_db(pi, qnum);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* The next completion from that index on is an event, once. */
OUTBOARD_OVERLOADED void flexio_dev_cq_arm(uint32_t ci, uint32_t qnum)
{
    OUTBOARD_RING(CQ_DB, OUTBOX_V_CQ_DB(qnum, ci));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_cq_arm(
        struct flexio_dev_thread_ctx *context, uint32_t ci, uint32_t qnum)
{
    (void)context;
    flexio_dev_cq_arm(ci, qnum);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Entries of an event queue were taken up to that index. */
OUTBOARD_OVERLOADED void flexio_dev_eq_update_ci(uint32_t ci, uint32_t qnum)
{
    OUTBOARD_RING(EQ_DB_NO_REARM, OUTBOX_V_EQ_DB_NO_REARM(qnum, ci));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_eq_update_ci(
        struct flexio_dev_thread_ctx *context, uint32_t ci, uint32_t qnum)
{
    (void)context;
    flexio_dev_eq_update_ci(ci, qnum);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Makes an entry without content in a completion queue, with all that follows from one. */
OUTBOARD_OVERLOADED void flexio_dev_zcqe_gen(uint32_t cqn)
{
    OUTBOARD_RING(RXT_DB, OUTBOX_V_RXT_DB(cqn));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_zcqe_gen(
        struct flexio_dev_thread_ctx *context, uint32_t cqn)
{
    (void)context;
    flexio_dev_zcqe_gen(cqn);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

#define flexio_dev_msix_send(...) flexio_dev_zcqe_gen(__VA_ARGS__)

/* Device emulation. */
OUTBOARD_OVERLOADED void flexio_dev_db_ctx_arm(uint32_t qnum, uint32_t emu_ctx_id)
{
    OUTBOARD_RING(EMU_CAP, OUTBOX_V_EMU_CAP(qnum, emu_ctx_id));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_db_ctx_arm(
        struct flexio_dev_thread_ctx *context, uint32_t qnum, uint32_t emu_ctx_id)
{
    (void)context;
    flexio_dev_db_ctx_arm(qnum, emu_ctx_id);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

OUTBOARD_OVERLOADED void flexio_dev_db_ctx_force_trigger(uint32_t cqn, uint32_t emu_ctx_id)
{
    OUTBOARD_RING(EMU_CAP_TRIGGER, OUTBOX_V_EMU_CAP_TRIGGER(cqn, emu_ctx_id));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_db_ctx_force_trigger(
        struct flexio_dev_thread_ctx *context, uint32_t cqn, uint32_t emu_ctx_id)
{
    (void)context;
    flexio_dev_db_ctx_force_trigger(cqn, emu_ctx_id);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Completion and event entries. Each call loads the field anew. */

FLEXIO_DEV_ALWAYS_INLINE uint8_t flexio_dev_cqe_get_owner(struct flexio_dev_cqe64 *cqe)
{
    return cqe->op_own & 1;
}

FLEXIO_DEV_ALWAYS_INLINE uint8_t flexio_dev_cqe_get_opcode(struct flexio_dev_cqe64 *cqe)
{
    return cqe->op_own >> 4;
}

FLEXIO_DEV_ALWAYS_INLINE uint32_t flexio_dev_cqe_get_qpn(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(*(volatile __be32 *)&cqe->qpn) & 0xFFFFFF;
}

FLEXIO_DEV_ALWAYS_INLINE uint16_t flexio_dev_cqe_get_wqe_counter(struct flexio_dev_cqe64 *cqe)
{
    return be16_to_cpu(*(volatile __be16 *)&cqe->wqe_counter);
}

FLEXIO_DEV_ALWAYS_INLINE uint32_t flexio_dev_cqe_get_byte_cnt(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(*(volatile __be32 *)&cqe->byte_cnt);
}

FLEXIO_DEV_ALWAYS_INLINE uint32_t flexio_dev_cqe_get_err_synd(struct flexio_dev_cqe64 *cqe)
{
    return *(volatile uint8_t *)&cqe->syndrome;
}

FLEXIO_DEV_ALWAYS_INLINE uint16_t flexio_dev_cqe_get_csum_ok(struct flexio_dev_cqe64 *cqe)
{
    return be16_to_cpu(*(volatile __be16 *)&cqe->csum_ok);
}

FLEXIO_DEV_ALWAYS_INLINE uint32_t flexio_dev_cqe_get_user_index(struct flexio_dev_cqe64 *cqe)
{
    return be32_to_cpu(*(volatile __be32 *)&cqe->srqn_uidx) & 0xFFFFFF;
}

FLEXIO_DEV_ALWAYS_INLINE uint32_t flexio_dev_eqe_get_cqn(struct flexio_dev_eqe *eqe)
{
    return be32_to_cpu(*(volatile __be32 *)&eqe->event_data.cqn) & 0xFFFFFF;
}

FLEXIO_DEV_ALWAYS_INLINE uint8_t flexio_dev_eqe_get_owner(struct flexio_dev_eqe *eqe)
{
    return *(volatile uint8_t *)&eqe->owner & 1;
}

/* Where the data of a receive entry goes. */
FLEXIO_DEV_ALWAYS_INLINE void *flexio_dev_rwqe_get_addr(struct flexio_dev_wqe_rcv_data_seg *rwqe)
{
    return (void *)be64_to_cpu(*(volatile __be64 *)&rwqe->addr);
}

/* Send entries. */

enum {
    MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_TRANSPOSE = 0x0,
    MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_LOCAL_DMA = 0x1,
    MLX5_CTRL_SEGMENT_OPC_MOD_WAIT_ON_DATA = 0x1
};

/* What an entry is for. */
enum flexio_ctrl_seg {
    FLEXIO_CTRL_SEG_SEND_EN = 0,
    FLEXIO_CTRL_SEG_SEND_RC = 1,
    FLEXIO_CTRL_SEG_SEND_UC = 1,
    FLEXIO_CTRL_SEG_SEND_UD = 2,
    FLEXIO_CTRL_SEG_LDMA = 3,
    FLEXIO_CTRL_SEG_RDMA_WRITE = 4,
    FLEXIO_CTRL_SEG_RDMA_READ = 5,
    FLEXIO_CTRL_SEG_LSO = 6,
    FLEXIO_CTRL_SEG_NOP = 7,
    FLEXIO_CTRL_SEG_RDMA_WRITE_IMM = 8,
    FLEXIO_CTRL_SEG_TRANSPOSE = 9,
    FLEXIO_CTRL_SEG_WAIT_ON_DATA = 10,
    FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP = 11,
    FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD = 12
};

/* The older spelling. */
typedef enum flexio_ctrl_seg flexio_ctrl_seg_t;

/* The opcodes that the NIC knows, and others of the hardware. */
enum {
    MLX5_CTRL_SEG_OPCODE_NOP = 0x00,
    MLX5_CTRL_SEG_OPCODE_SND_INV = 0x01,
    MLX5_CTRL_SEG_OPCODE_RDMA_WRITE = 0x08,
    MLX5_CTRL_SEG_OPCODE_RDMA_WRITE_WITH_IMMEDIATE = 0x09,
    MLX5_CTRL_SEG_OPCODE_SEND = 0x0A,
    MLX5_CTRL_SEG_OPCODE_SEND_WITH_IMMEDIATE = 0x0B,
    MLX5_CTRL_SEG_OPCODE_LSO = 0x0E,
    MLX5_CTRL_SEG_OPCODE_WAIT = 0x0F,
    MLX5_CTRL_SEG_OPCODE_RDMA_READ = 0x10,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_COMPARE_AND_SWAP = 0x11,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_FETCH_AND_ADD = 0x12,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_MASKED_COMPARE_AND_SWAP = 0x14,
    MLX5_CTRL_SEG_OPCODE_ATOMIC_MASKED_FETCH_AND_ADD = 0x15,
    MLX5_CTRL_SEG_OPCODE_RECEIVE_EN = 0x16,
    MLX5_CTRL_SEG_OPCODE_SEND_EN = 0x17,
    MLX5_CTRL_SEG_OPCODE_UMR = 0x25,
    MLX5_CTRL_SEG_OPCODE_MMO = 0x2F,
    MLX5_CTRL_SEG_OPCODE_LOCAL_MMO = 0x32
};

/* Opcode in the low byte, its modifier in the highest, and how many segments the entry has. */
struct outboard_ctrl {
    uint32_t opcode;
    uint32_t segments;
};

FLEXIO_DEV_ALWAYS_INLINE struct outboard_ctrl outboard_ctrl_of(enum flexio_ctrl_seg type)
{
#define OUTBOARD_CTRL(code, modifier, count)                                                       \
    return (struct outboard_ctrl) { MLX5_CTRL_SEG_OPCODE_##code | (uint32_t)(modifier) << 24, count }
    switch (type) {
    case FLEXIO_CTRL_SEG_SEND_RC:
        OUTBOARD_CTRL(SEND, 0, 2);
    case FLEXIO_CTRL_SEG_LDMA:
        OUTBOARD_CTRL(LOCAL_MMO, MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_LOCAL_DMA, 4);
    case FLEXIO_CTRL_SEG_RDMA_WRITE:
        OUTBOARD_CTRL(RDMA_WRITE, 0, 3);
    case FLEXIO_CTRL_SEG_RDMA_READ:
        OUTBOARD_CTRL(RDMA_READ, 0, 3);
    case FLEXIO_CTRL_SEG_LSO:
        OUTBOARD_CTRL(LSO, 0, 4);
    case FLEXIO_CTRL_SEG_NOP:
        OUTBOARD_CTRL(NOP, 0, 1);
    case FLEXIO_CTRL_SEG_RDMA_WRITE_IMM:
        OUTBOARD_CTRL(RDMA_WRITE_WITH_IMMEDIATE, 0, 3);
    case FLEXIO_CTRL_SEG_TRANSPOSE:
        OUTBOARD_CTRL(LOCAL_MMO, MLX5_CTRL_SEGMENT_OPC_MOD_LOCAL_MMO_TRANSPOSE, 4);
    case FLEXIO_CTRL_SEG_WAIT_ON_DATA:
        OUTBOARD_CTRL(WAIT, MLX5_CTRL_SEGMENT_OPC_MOD_WAIT_ON_DATA, 3);
    case FLEXIO_CTRL_SEG_ATOMIC_COMPARE_AND_SWAP:
        OUTBOARD_CTRL(ATOMIC_COMPARE_AND_SWAP, 0, 4);
    case FLEXIO_CTRL_SEG_ATOMIC_FETCH_AND_ADD:
        OUTBOARD_CTRL(ATOMIC_FETCH_AND_ADD, 0, 4);
    case FLEXIO_CTRL_SEG_SEND_EN:
    case FLEXIO_CTRL_SEG_SEND_UD:
        OUTBOARD_CTRL(SEND, 0, 3);
    }
    OUTBOARD_CTRL(NOP, 0, 1);
#undef OUTBOARD_CTRL
}

/* The first segment. Immediate data is general_id, which the caller sets afterwards. */
FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_ctrl_set(
        union flexio_dev_sqe_seg *swqe, uint32_t sq_pi, uint32_t sq_number, uint32_t ce,
        enum flexio_ctrl_seg ctrl_seg_type)
{
    struct outboard_ctrl ctrl = outboard_ctrl_of(ctrl_seg_type);
    swqe->ctrl.idx_opcode = cpu_to_be32(ctrl.opcode | (sq_pi & 0xFFFF) << 8);
    swqe->ctrl.qpn_ds = cpu_to_be32(sq_number << 8 | ctrl.segments);
    swqe->ctrl.signature_fm_ce_se = cpu_to_be32(ce << 2);
    swqe->ctrl.general_id = 0;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* The begin of the frame may stand in the entry: two bytes here, more in the segments after it. */
FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_eth_set(
        union flexio_dev_sqe_seg *swqe, uint16_t cs_swp_flags, uint16_t mss,
        uint16_t inline_hdr_bsz, const uint8_t *inline_hdrs)
{
    swqe->eth.rsvd0 = 0;
    swqe->eth.cs_swp_flags = cpu_to_be16(cs_swp_flags);
    swqe->eth.mss = cpu_to_be16(mss);
    swqe->eth.rsvd2 = 0;
    swqe->eth.inline_hdr_bsz = cpu_to_be16(inline_hdr_bsz);
    swqe->eth.inline_hdrs[0] = inline_hdrs == 0 ? 0 : inline_hdrs[0];
    swqe->eth.inline_hdrs[1] = inline_hdrs == 0 ? 0 : inline_hdrs[1];
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_rdma_set(
        union flexio_dev_sqe_seg *swqe, uint32_t rkey, uint64_t raddr)
{
    swqe->rdma.raddr = cpu_to_be64(raddr);
    swqe->rdma.rkey = cpu_to_be32(rkey);
    swqe->rdma.rsvd0 = 0;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_mem_ptr_data_set(
        union flexio_dev_sqe_seg *swqe, uint32_t data_sz, uint32_t lkey, uint64_t data_addr)
{
    swqe->mem_ptr_send_data.byte_count = cpu_to_be32(data_sz);
    swqe->mem_ptr_send_data.lkey = cpu_to_be32(lkey);
    swqe->mem_ptr_send_data.addr = cpu_to_be64(data_addr);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Data of up to 12 bytes, as they lie in memory. */
FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_inline_data_set(
        union flexio_dev_sqe_seg *swqe, uint32_t data_sz, const uint32_t *data)
{
    swqe->inline_send_data.byte_count = cpu_to_be32(0x80000000u | data_sz);
    for (int i = 0; i < 3; i++) {
        swqe->inline_send_data.data_and_padding[i] = data[i];
    }
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_atomic_set(
        union flexio_dev_sqe_seg *swqe, uint64_t swap_or_add_data, uint64_t compare_data)
{
    swqe->atomic.swap_or_add_data = cpu_to_be64(swap_or_add_data);
    swqe->atomic.compare_data = cpu_to_be64(compare_data);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_shared_receive_set(
        union flexio_dev_sqe_seg *swqe, uint16_t next_wqe_index, uint8_t signature)
{
    swqe->shared_receive.next_wqe_index = cpu_to_be16(next_wqe_index);
    swqe->shared_receive.signature = signature;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_transpose_set(
        union flexio_dev_sqe_seg *swqe, uint8_t element_size, uint8_t num_of_cols,
        uint8_t num_of_rows)
{
    swqe->transpose = (struct flexio_dev_wqe_transpose_seg){
            .element_size = element_size, .num_of_cols = num_of_cols, .num_of_rows = num_of_rows};
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_wait_on_data_set(
        union flexio_dev_sqe_seg *swqe, uint8_t operation, uint8_t inv, uint32_t lkey,
        uint64_t addr, uint8_t action_on_fail)
{
    swqe->wait_on_data = (struct flexio_dev_wqe_wait_on_data_seg){
            .op_inv = (uint8_t)(inv << 4 | operation),
            .lkey = cpu_to_be32(lkey),
            .va_63_32 = cpu_to_be32(addr >> 32),
            .va_31_3_fail_act = cpu_to_be32((addr & 0xFFFFFFF8) | action_on_fail)};
    return FLEXIO_DEV_STATUS_SUCCESS;
}

FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_swqe_seg_wait_on_data_data_set(
        union flexio_dev_sqe_seg *swqe, uint64_t data, uint64_t data_mask)
{
    swqe->wait_on_data_data.data = data;
    swqe->wait_on_data_data.data_mask = cpu_to_be64(data_mask);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Doorbell records: plain stores, which the caller orders and writes back. */

/* One more receive entry is posted. */
FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_dbr_rq_inc_pi(uint32_t *rq_dbr)
{
    volatile uint32_t *record = rq_dbr;
    *record = cpu_to_be32((be32_to_cpu(*record) + 1) & 0xFFFF);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Completions were taken up to that index. */
FLEXIO_DEV_ALWAYS_INLINE flexio_dev_status_t flexio_dev_dbr_cq_set_ci(uint32_t *cq_dbr, uint32_t ci)
{
    *(volatile uint32_t *)cq_dbr = cpu_to_be32(ci & 0xFFFFFF);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

#endif
