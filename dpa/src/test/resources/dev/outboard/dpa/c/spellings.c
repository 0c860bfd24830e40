/* The program "spellings" in C, as far as it is used in both forms. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define BUF(array, index) doca_dpa_dev_buf_array_get_buf(array, index)

__dpa_rpc__ uint64_t seed(
        doca_dpa_dev_rdma_t rdma_handle, doca_dpa_dev_buf_arr_t theirs, doca_dpa_dev_buf_arr_t ours,
        uint64_t size, doca_dpa_dev_sync_event_remote_net_t remote_event)
{
    doca_dpa_dev_buf_t remote_buf = BUF(theirs, 0);
    doca_dpa_dev_buf_t local_buf = BUF(ours, 0);
    doca_dpa_dev_rdma_write(rdma_handle, remote_buf, local_buf, size);
    doca_dpa_dev_rdma_signal_set(rdma_handle, remote_event, 1);
    doca_dpa_dev_rdma_signal_set(rdma_handle, remote_event, 1);
    doca_dpa_dev_rdma_synchronize(rdma_handle);
    return 0;
}

__dpa_rpc__ uint64_t offsets(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t theirs, doca_dpa_dev_buf_arr_t ours,
        doca_dpa_dev_sync_event_remote_net_t event)
{
    doca_dpa_dev_rdma_write(rdma, BUF(theirs, 1), 16, BUF(ours, 1), 8, 8);
    doca_dpa_dev_rdma_read(rdma, BUF(ours, 1), 0, BUF(theirs, 1), 24, 8);
    doca_dpa_dev_rdma_atomic_fetch_add(rdma, BUF(theirs, 1), 8, 1000);
    doca_dpa_dev_rdma_signal_add(rdma, event, 2);
    doca_dpa_dev_rdma_signal_add(rdma, 0, event, 2);
    doca_dpa_dev_rdma_synchronize(rdma);
    return 0;
}

__dpa_rpc__ uint64_t later(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t theirs, doca_dpa_dev_buf_arr_t ours)
{
    doca_dpa_dev_rdma_post_buf_write(rdma, 0, BUF(theirs, 2), BUF(ours, 2),
                                     DOCA_DPA_DEV_SUBMIT_FLAG_NONE);
    doca_dpa_dev_rdma_post_buf_atomic_fetch_add(rdma, 0, BUF(theirs, 2), 7,
                                                DOCA_DPA_DEV_SUBMIT_FLAG_NONE);
    doca_dpa_dev_rdma_post_buf_read(rdma, 0, BUF(ours, 3), BUF(theirs, 2),
                                    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    doca_dpa_dev_rdma_synchronize(rdma);
    return 0;
}

__dpa_rpc__ uint64_t receive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t ours)
{
    doca_dpa_dev_rdma_post_receive(rdma, BUF(ours, 0), 8, 16);
    doca_dpa_dev_rdma_post_buf_receive(rdma, BUF(ours, 1));
    doca_dpa_dev_rdma_post_buf_receive(rdma, BUF(ours, 2));
    doca_dpa_dev_rdma_post_buf_receive(rdma, BUF(ours, 2));
    return 0;
}

/* Without a connection and with one, in turn. */
__dpa_rpc__ uint64_t send(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_arr_t theirs, doca_dpa_dev_buf_arr_t ours)
{
    doca_dpa_dev_rdma_post_send(rdma, BUF(ours, 2), 16, 8);
    doca_dpa_dev_rdma_post_buf_send(rdma, BUF(ours, 2), 1);
    doca_dpa_dev_rdma_post_buf_send_imm(rdma, 0, BUF(ours, 3), 5, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    doca_dpa_dev_rdma_post_buf_write_imm(rdma, BUF(theirs, 3), BUF(ours, 2), 6, 1);
    doca_dpa_dev_rdma_synchronize(rdma);
    return 0;
}

__dpa_rpc__ uint64_t received(doca_dpa_dev_completion_t completions)
{
    uint64_t told = 0;
    for (int i = 0; i < 4; i++) {
        doca_dpa_dev_completion_element_t element;
        while (!doca_dpa_dev_get_completion(completions, &element)) {
        }
        told = told << 4 | doca_dpa_dev_get_completion_immediate(element);
        doca_dpa_dev_completion_ack(completions, 1);
    }
    return told;
}
