/*
 * Device code of an initiator that sends one message, and of a target, where its completion
 * activates a thread that tells the host. What the hosts do is in DeviceMessage.java, for these
 * functions and for those of MessageKernels.java alike.
 */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define MESSAGE_BYTES 64

/* The desk of the thread, which its host fills. */
struct desk {
    doca_dpa_dev_completion_t completions;
    doca_dpa_dev_sync_event_t event;
    uint64_t *message;
};

/* The target has room for a message. */
__dpa_rpc__ uint64_t postReceive(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap,
                                 uint64_t *buffer)
{
    doca_dpa_dev_rdma_post_receive(rdma, mmap, (uint64_t)buffer, MESSAGE_BYTES);
    return 0;
}

/* The initiator sends a message. */
__dpa_rpc__ uint64_t postSend(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap, uint64_t *buffer,
                              uint64_t word)
{
    *buffer = word;
    doca_dpa_dev_rdma_post_send(rdma, 0, mmap, (uint64_t)buffer, MESSAGE_BYTES,
                                DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
    doca_dpa_dev_rdma_synchronize(rdma);
    return 0;
}

/* The target's thread: a message has come, and the host is told what it says. */
__dpa_global__ void received(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    doca_dpa_dev_completion_element_t element;
    if (doca_dpa_dev_get_completion(desk->completions, &element)
        && doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_RECV_SEND) {
        doca_dpa_dev_sync_event_update_set(desk->event, *desk->message);
        doca_dpa_dev_completion_ack(desk->completions, 1);
    }
    doca_dpa_dev_thread_finish();
}
