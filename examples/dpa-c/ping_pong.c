/*
 * Device code of two sides that send messages to and fro. A thread on each side polls for what
 * completes, and keeps what it knows between two looks in its local storage. What the hosts do is
 * in DevicePingPong.java, for these functions and for those of PingPongKernels.java alike.
 */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define MESSAGE_BYTES 64
#define MESSAGES 1000

/* A side, which its host fills. */
struct side {
    doca_dpa_dev_rdma_t rdma;
    doca_dpa_dev_mmap_t key;
    uint64_t *sent;
    uint64_t *received;
    doca_dpa_dev_completion_t completions;
    doca_dpa_dev_sync_event_t event;
};

/* The local storage. The host says by the count which side it is: 1 for ping. */
struct storage {
    uint64_t count;
    uint64_t wrong;
};

static void post_receive(struct side *side)
{
    doca_dpa_dev_rdma_post_receive(side->rdma, side->key, (uint64_t)side->received, MESSAGE_BYTES);
}

static void post_send(struct side *side, uint64_t value)
{
    *side->sent = value;
    doca_dpa_dev_rdma_post_send(side->rdma, 0, side->key, (uint64_t)side->sent, MESSAGE_BYTES,
                                DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

/* Posts the first receive. */
__dpa_rpc__ uint64_t receive(struct side *side)
{
    post_receive(side);
    return 0;
}

/* The ping side sends the first message, and either side has its thread go on. */
__dpa_rpc__ uint64_t begin(struct side *side, doca_dpa_dev_notification_completion_t notification,
                           uint32_t is_ping)
{
    if (is_ping) {
        post_send(side, 0);
    }
    doca_dpa_dev_thread_notify(notification);
    return 0;
}

static void answer(struct side *side, struct storage *storage, uint64_t count, int is_ping)
{
    uint64_t value = *side->received;
    if (value != count) {
        storage->wrong++;
    }
    post_receive(side);
    if (!is_ping) {
        post_send(side, value);
    } else if (count + 1 < MESSAGES) {
        post_send(side, value + 1);
    }
}

/*
 * The thread: answers each message with the next one, polling, until all have come. The pong side
 * answers a number with the same one, and the ping side with the one that follows.
 */
__dpa_global__ void play(uint64_t argument)
{
    struct side *side = (struct side *)argument;
    struct storage *storage = (struct storage *)doca_dpa_dev_thread_get_local_storage();
    int is_ping = storage->count & 1;
    uint64_t count = 0;
    while (count < MESSAGES) {
        doca_dpa_dev_completion_element_t element;
        if (doca_dpa_dev_get_completion(side->completions, &element)) {
            doca_dpa_dev_completion_type_t type = doca_dpa_dev_get_completion_type(element);
            doca_dpa_dev_completion_ack(side->completions, 1);
            if (type == DOCA_DPA_DEV_COMP_RECV_SEND) {
                answer(side, storage, count, is_ping);
                count++;
            }
        }
    }
    storage->count = count;
    doca_dpa_dev_sync_event_update_add(side->event, 1);
    doca_dpa_dev_thread_finish();
}
