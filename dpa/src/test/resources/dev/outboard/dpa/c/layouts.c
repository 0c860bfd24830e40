/* Entries of queues, as the functions of the header write and read them. */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

__dpa_rpc__ uint64_t control(union flexio_dev_sqe_seg *to, uint32_t index, uint32_t queue, uint32_t mode, uint32_t type)
{
    return flexio_dev_swqe_seg_ctrl_set(to, index, queue, mode, (enum flexio_ctrl_seg)type);
}

/* One segment of each other kind, one after the other. */
__dpa_rpc__ uint64_t segments(union flexio_dev_sqe_seg *to)
{
    uint8_t begin[2] = {0xA1, 0xA2};
    uint32_t data[3] = {0x04030201, 0x08070605, 0x0C0B0A09};
    flexio_dev_swqe_seg_eth_set(to++, FLEXIO_ETH_SEG_L4CS | FLEXIO_ETH_SEG_L3CS, 1448, 18, begin);
    flexio_dev_swqe_seg_eth_set(to++, 0, 0, 0, NULL);
    flexio_dev_swqe_seg_rdma_set(to++, 0xB1B2B3B4, 0xC1C2C3C4C5C6C7C8);
    flexio_dev_swqe_seg_mem_ptr_data_set(to++, 0x11223344, 0xD1D2D3D4, 0xE1E2E3E4E5E6E7E8);
    flexio_dev_swqe_seg_inline_data_set(to++, 12, data);
    flexio_dev_swqe_seg_atomic_set(to++, 0x1122334455667788, 0x99AABBCCDDEEFF00);
    flexio_dev_swqe_seg_transpose_set(to++, 8, 127, 5);
    flexio_dev_swqe_seg_wait_on_data_set(to++, 5, 1, 0xF1F2F3F4, 0x8123456789ABCDE8, 0);
    flexio_dev_swqe_seg_wait_on_data_data_set(to++, 0x1122334455667788, 0x00FF00FF00FF00FF);
    flexio_dev_swqe_seg_shared_receive_set(to++, 0xABCD, 0x5A);
    return 10;
}

/* What is read of a completion and an event entry. */
__dpa_rpc__ uint64_t read(struct flexio_dev_cqe64 *cqe, struct flexio_dev_eqe *eqe, struct flexio_dev_wqe_rcv_data_seg *receive, uint64_t *to)
{
    to[0] = flexio_dev_cqe_get_owner(cqe);
    to[1] = flexio_dev_cqe_get_opcode(cqe);
    to[2] = flexio_dev_cqe_get_qpn(cqe);
    to[3] = flexio_dev_cqe_get_wqe_counter(cqe);
    to[4] = flexio_dev_cqe_get_byte_cnt(cqe);
    to[5] = flexio_dev_cqe_get_err_synd(cqe);
    to[6] = flexio_dev_cqe_get_csum_ok(cqe);
    to[7] = flexio_dev_cqe_get_user_index(cqe);
    to[8] = flexio_dev_eqe_get_cqn(eqe);
    to[9] = flexio_dev_eqe_get_owner(eqe);
    to[10] = (uint64_t)flexio_dev_rwqe_get_addr(receive);
    return 11;
}

__dpa_rpc__ uint64_t records(uint32_t *receive, uint32_t *completions, uint32_t index)
{
    flexio_dev_dbr_rq_inc_pi(receive);
    flexio_dev_dbr_cq_set_ci(completions, index);
    return 0;
}

/* A doorbell of each kind, in both spellings, into a page of memory in place of the outbox. */
__dpa_rpc__ uint64_t doorbells(uint64_t page, uint32_t queue, uint32_t index, int is_older)
{
    struct flexio_dev_thread_ctx *own;
    flexio_dev_get_thread_ctx(&own);
    own->outbox_base = page;
    if (is_older) {
        flexio_dev_qp_sq_ring_db(own, index, queue);
        flexio_dev_cq_arm(own, index, queue);
        flexio_dev_eq_update_ci(own, index, queue);
        flexio_dev_msix_send(own, queue);
        flexio_dev_db_ctx_arm(own, queue, index);
        flexio_dev_db_ctx_force_trigger(own, queue, index);
    } else {
        flexio_dev_qp_sq_ring_db(index, queue);
        flexio_dev_cq_arm(index, queue);
        flexio_dev_eq_update_ci(index, queue);
        flexio_dev_msix_send(queue);
        flexio_dev_db_ctx_arm(queue, index);
        flexio_dev_db_ctx_force_trigger(queue, index);
    }
    return 6;
}

__dpa_rpc__ uint64_t nothing(void)
{
    return 0;
}
