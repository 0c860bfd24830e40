/*
 * Device code that does nothing but what is measured, the same as EchoKernels.java: a handler that
 * sends each message back from where it lies, and a call that returns.
 */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define LOG_DEPTH 6
#define DEPTH (1 << LOG_DEPTH)
#define LOG_COMPLETIONS (LOG_DEPTH + 1)
#define LINE 64

/* The opcode of a completion. */
#define RECEIVED_SEND 2

/* What the host fills. */
struct queues {
    uint64_t outbox;
    uint64_t queue;
    union flexio_dev_sqe_seg *send_ring;
    uint32_t *receive_record;
    uint64_t completions;
    struct flexio_dev_cqe64 *completion_ring;
    uint32_t *completion_record;
    uint64_t buffers;
    uint64_t key;
    uint64_t taken;
};

/* Returns what it gets. */
__dpa_rpc__ uint64_t same(uint64_t word)
{
    return word;
}

/*
 * Gives the buffers of all messages that were answered back to the NIC. There are twice as many as
 * messages that clients have on their way, so an answer has left before its buffer is used again.
 */
static void publish(struct queues *own, uint32_t taken)
{
    flexio_dev_dbr_cq_set_ci(own->completion_record, taken);
    __dpa_thread_memory_fence(__DPA_RW, __DPA_W);
    *(volatile uint32_t *)own->receive_record = cpu_to_be32((taken + DEPTH) & 0xFFFF);
    __dpa_thread_memory_writeback();
}

/* Answers what has come, and rings once for all of it. */
__dpa_global__ void echo(uint64_t argument)
{
    struct queues *own = (struct queues *)argument;
    struct flexio_dev_thread_ctx *context;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_outbox_config(context, own->outbox);
    uint32_t queue = own->queue;
    uint32_t key = own->key;
    union flexio_dev_sqe_seg *send_ring = own->send_ring;
    uint64_t buffers = own->buffers;
    struct flexio_dev_cqe64 *completion_ring = own->completion_ring;
    uint32_t taken = own->taken;
    uint32_t first = taken;
    struct flexio_dev_cqe64 *entry = &completion_ring[taken % (1 << LOG_COMPLETIONS)];
    while (flexio_dev_cqe_get_owner(entry) == (taken >> LOG_COMPLETIONS & 1)) {
        if (flexio_dev_cqe_get_opcode(entry) != RECEIVED_SEND) {
            flexio_dev_thread_finish();
        }
        uint32_t slot = taken % DEPTH;
        union flexio_dev_sqe_seg *send = &send_ring[slot << LOG_SQE_NUM_SEGS];
        flexio_dev_swqe_seg_ctrl_set(send, taken, queue, MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
                                     FLEXIO_CTRL_SEG_SEND_RC);
        flexio_dev_swqe_seg_mem_ptr_data_set(send + 1, flexio_dev_cqe_get_byte_cnt(entry), key,
                                             buffers + slot * LINE);
        taken++;
        entry = &completion_ring[taken % (1 << LOG_COMPLETIONS)];
    }
    own->taken = taken;
    publish(own, taken);
    if (taken != first) {
        flexio_dev_qp_sq_ring_db(taken, queue);
    }
    flexio_dev_cq_arm(taken, own->completions);
    flexio_dev_thread_reschedule();
}
