/*
 * Device code of the packet processor: an event handler that sends each frame back to where it came
 * from, with its payload in capital letters. What the host does is in PacketProcessor.java, for
 * these functions and for those of PacketKernels.java alike.
 *
 * A frame is answered from the buffer that it came in. Receive entries never change: entry n names
 * buffer n, and is posted again when the answer has left.
 */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define LOG_BUFFERS 4
#define BUFFERS (1 << LOG_BUFFERS)
#define BUFFER_BYTES 2048
#define LOG_COMPLETIONS (LOG_BUFFERS + 1)

#define ADDRESS_BYTES 6
#define HEADER_BYTES 14

/* Opcodes of completions. */
#define REQUEST 0
#define RECEIVED_SEND 2

/* What the host fills. */
struct queues {
    uint64_t outbox;
    uint64_t send_queue;
    union flexio_dev_sqe_seg *send_ring;
    uint32_t *receive_record;
    uint64_t completions;
    struct flexio_dev_cqe64 *completion_ring;
    uint32_t *completion_record;
    char *data;
    uint64_t key;
    uint64_t taken;
    uint64_t sent;
    uint64_t posted; /* The doorbell record says it, too. */
    uint64_t answered;
};

/* Completions. */

static struct flexio_dev_cqe64 *completion(struct queues *own)
{
    return &own->completion_ring[own->taken & ((1 << LOG_COMPLETIONS) - 1)];
}

/* Whether the next entry has changed its owner to software. */
static int has_completion(struct queues *own)
{
    return flexio_dev_cqe_get_owner(completion(own)) == ((own->taken >> LOG_COMPLETIONS) & 1);
}

/* Goes on to the next entry, and says so in the doorbell record. */
static void take(struct queues *own)
{
    own->taken++;
    flexio_dev_dbr_cq_set_ci(own->completion_record, own->taken);
}

/* A frame. */

static void send(struct queues *own, char *frame, uint32_t length)
{
    union flexio_dev_sqe_seg *entry = &own->send_ring[(own->sent % BUFFERS) << LOG_SQE_NUM_SEGS];
    flexio_dev_swqe_seg_ctrl_set(entry, own->sent, own->send_queue, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_EN);
    flexio_dev_swqe_seg_eth_set(entry + 1, 0, 0, 0, 0);
    flexio_dev_swqe_seg_mem_ptr_data_set(entry + 2, length, own->key, (uint64_t)frame);
    own->sent++;
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db(own->sent, own->send_queue);
}

static void answer(struct queues *own, uint16_t buffer, uint32_t length)
{
    char *frame = own->data + buffer * BUFFER_BYTES;
    for (int i = 0; i < ADDRESS_BYTES; i++) {
        char destination = frame[i];
        frame[i] = frame[ADDRESS_BYTES + i];
        frame[ADDRESS_BYTES + i] = destination;
    }
    for (uint32_t i = HEADER_BYTES; i < length; i++) {
        if (frame[i] >= 'a' && frame[i] <= 'z') {
            frame[i] -= 'a' - 'A';
        }
    }
    send(own, frame, length);
}

/* An answer has left: its buffer is free, and the host may know. */
static void post_receive(struct queues *own)
{
    flexio_dev_dbr_rq_inc_pi(own->receive_record);
    __dpa_thread_memory_writeback();
    __atomic_fetch_add(&own->answered, 1, __ATOMIC_RELEASE);
}

/* The handler. */
__dpa_global__ void process(uint64_t argument)
{
    struct queues *own = (struct queues *)argument;
    struct flexio_dev_thread_ctx *context;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_outbox_config(context, own->outbox);
    while (has_completion(own)) {
        struct flexio_dev_cqe64 *entry = completion(own);
        uint8_t opcode = flexio_dev_cqe_get_opcode(entry);
        uint16_t buffer = flexio_dev_cqe_get_wqe_counter(entry) % BUFFERS;
        uint32_t length = flexio_dev_cqe_get_byte_cnt(entry);
        take(own);
        if (opcode == RECEIVED_SEND) {
            answer(own, buffer, length);
        } else if (opcode == REQUEST) {
            post_receive(own);
        } else {
            flexio_dev_error(opcode);
        }
    }
    __dpa_thread_memory_writeback();
    flexio_dev_cq_arm(own->taken, own->completions);
    flexio_dev_thread_reschedule();
}

/* Waits until so many frames have been answered. */
__dpa_rpc__ uint64_t awaitAnswers(struct queues *own, uint32_t count)
{
    while (__atomic_fetch_add(&own->answered, 0, __ATOMIC_ACQUIRE) < count) {
    }
    return count;
}
