/* The program "echo" in C: its handler, and what the host calls. */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define BUFFERS 4
#define COMPLETIONS 16
#define LOG_COMPLETIONS 4
#define LINE 64

/* What a side has; its host fills it. */
struct side {
    uint64_t outbox;
    uint64_t completions;
    struct flexio_dev_cqe64 *completion_ring;
    uint32_t *completion_record;
    uint64_t queue;
    union flexio_dev_sqe_seg *send_ring;
    struct flexio_dev_wqe_rcv_data_seg *receive_ring;
    uint32_t *receive_record;
    uint64_t key;
    char *buffers;
    uint64_t taken;
    uint64_t sent;
    uint64_t posted;
    uint64_t echoed;
};

flexio_dev_event_handler_t echo;

static struct flexio_dev_cqe64 *entry(struct side *side)
{
    return &side->completion_ring[side->taken % COMPLETIONS];
}

static int is_ready(struct side *side)
{
    return flexio_dev_cqe_get_owner(entry(side)) == (side->taken >> LOG_COMPLETIONS & 1);
}

static void take(struct side *side)
{
    side->taken++;
    flexio_dev_dbr_cq_set_ci(side->completion_record, side->taken);
}

static void post(struct flexio_dev_thread_ctx *context, struct side *side, void *from, uint32_t bytes)
{
    union flexio_dev_sqe_seg *block = &side->send_ring[side->sent % BUFFERS << LOG_SQE_NUM_SEGS];
    flexio_dev_swqe_seg_ctrl_set(block, side->sent, side->queue, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_RC);
    flexio_dev_swqe_seg_mem_ptr_data_set(block + 1, bytes, side->key, (uint64_t)from);
    side->sent++;
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db(context, side->sent, side->queue);
}

/* Gives the oldest buffer back to the NIC. */
static void repost(struct side *side)
{
    struct flexio_dev_wqe_rcv_data_seg *receive = &side->receive_ring[side->posted % BUFFERS];
    receive->addr = cpu_to_be64(side->buffers + side->posted % BUFFERS * LINE);
    side->posted++;
    __dpa_thread_memory_fence(__DPA_W, __DPA_W);
    flexio_dev_dbr_rq_inc_pi(side->receive_record);
    __dpa_thread_memory_writeback();
}

static void *received(struct side *side)
{
    uint16_t counter = flexio_dev_cqe_get_wqe_counter(entry(side));
    return flexio_dev_rwqe_get_addr(&side->receive_ring[counter % BUFFERS]);
}

__dpa_global__ void echo(uint64_t argument)
{
    struct side *side = (struct side *)argument;
    struct flexio_dev_thread_ctx *context;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_outbox_config(context, side->outbox);
    while (is_ready(side)) {
        uint8_t opcode = flexio_dev_cqe_get_opcode(entry(side));
        uint32_t bytes = flexio_dev_cqe_get_byte_cnt(entry(side));
        void *from = received(side);
        take(side);
        if (opcode == 2) {
            side->echoed++;
            post(context, side, from, bytes);
        } else if (opcode == 0) {
            repost(side);
        } else {
            flexio_dev_error(200 + opcode);
        }
    }
    __dpa_thread_memory_writeback();
    flexio_dev_cq_arm(side->taken, side->completions);
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t send(struct side *side, uint64_t word)
{
    struct flexio_dev_thread_ctx *context;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_outbox_config(context, side->outbox);
    uint64_t *from = (uint64_t *)(side->buffers + BUFFERS * LINE);
    *from = word;
    post(context, side, from, sizeof(word));
    return 0;
}

__dpa_rpc__ uint64_t receive(struct side *side)
{
    uint64_t answer = 0;
    for (int i = 0; i < 2; i++) {
        while (!is_ready(side)) {
        }
        uint8_t opcode = flexio_dev_cqe_get_opcode(entry(side));
        uint64_t *from = received(side);
        take(side);
        __dpa_thread_memory_writeback();
        if (opcode == 2) {
            answer = *(volatile uint64_t *)from;
            repost(side);
        } else if (opcode != 0) {
            flexio_dev_error(200 + opcode);
        }
    }
    return answer;
}

__dpa_rpc__ uint64_t call(struct side *side, uint64_t word)
{
    send(side, word);
    return receive(side);
}
