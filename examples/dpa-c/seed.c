/*
 * Device code of the worked examples in NVIDIA's text about the DPA, as docs/seed-examples.md has
 * them: event handler, RPC, heap, window, outbox, and the cases of its chapter on fences. What the
 * host does is in SeedExamples.java, for these functions and for those of SeedKernels.java alike.
 * Where the print leaves a writeback out there are two functions; the one whose name ends with
 * AsPrinted leaves it out, too.
 */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#define LOG_ENTRIES 2
#define ENTRIES (1 << LOG_ENTRIES)
#define LOG_COMPLETIONS 3
#define LINE 64
#define MESSAGES 3

/* What the host fills. */
struct my_db {
    uint64_t outbox;
    uint64_t queue;
    union flexio_dev_sqe_seg *send_ring;
    struct flexio_dev_wqe_rcv_data_seg *receive_ring;
    uint32_t *receive_record;
    uint64_t completions;
    struct flexio_dev_cqe64 *completion_ring;
    uint32_t *completion_record;
    char *buffers;
    uint64_t key;
    uint64_t taken;
    uint64_t sent;
    uint64_t posted;
    uint64_t work;
    uint64_t done;
};

static struct flexio_dev_thread_ctx *configure(struct my_db *db)
{
    struct flexio_dev_thread_ctx *context;
    flexio_dev_get_thread_ctx(&context);
    flexio_dev_outbox_config(context, db->outbox);
    return context;
}

/* Completions. */

static struct flexio_dev_cqe64 *completion(struct my_db *db)
{
    return &db->completion_ring[db->taken & ((1 << LOG_COMPLETIONS) - 1)];
}

/* Whether the next entry has changed its owner to software. */
static int has_completion(struct my_db *db)
{
    return flexio_dev_cqe_get_owner(completion(db)) == ((db->taken >> LOG_COMPLETIONS) & 1);
}

/* Goes on to the next entry, and says so in the doorbell record. */
static void take(struct my_db *db)
{
    db->taken++;
    flexio_dev_dbr_cq_set_ci(db->completion_record, db->taken);
}

/* An event handler that works on each completion. */

static void work(struct my_db *db)
{
    uint16_t buffer = flexio_dev_cqe_get_wqe_counter(completion(db)) % ENTRIES;
    db->work += *(uint64_t *)(db->buffers + buffer * LINE);
    take(db);
}

static void tell_end(struct my_db *db)
{
    if (db->taken == MESSAGES) {
        __atomic_fetch_add(&db->done, 1, __ATOMIC_RELEASE);
    }
}

static void arm(struct my_db *db)
{
    flexio_dev_cq_arm(db->taken, db->completions);
}

__dpa_global__ void handle(uint64_t argument)
{
    struct my_db *db = (struct my_db *)argument;
    configure(db);
    while (has_completion(db)) {
        work(db);
    }
    tell_end(db);
    __dpa_thread_memory_writeback();
    arm(db);
    flexio_dev_thread_reschedule();
}

/* As printed: nothing brings the consumer index to the NIC before the queue is armed. */
__dpa_global__ void handleAsPrinted(uint64_t argument)
{
    struct my_db *db = (struct my_db *)argument;
    configure(db);
    while (has_completion(db)) {
        work(db);
    }
    tell_end(db);
    arm(db);
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t worked(struct my_db *db)
{
    while (__atomic_fetch_add(&db->done, 0, __ATOMIC_ACQUIRE) == 0) {
    }
    return db->work;
}

/* An RPC that takes a flag. */
__dpa_rpc__ uint64_t takeFlag(uint64_t *flag)
{
    if (*flag) {
        return 1;
    }
    *flag = 1;
    return 0;
}

/* An RPC whose argument is in the heap. */
__dpa_rpc__ uint64_t sum(uint64_t *numbers, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += numbers[i];
    }
    return sum;
}

/* A window. */

static volatile uint64_t *open_window(uint32_t window, uint32_t key, uint64_t external)
{
    struct flexio_dev_thread_ctx *context;
    flexio_uintptr_t address;
    flexio_dev_get_thread_ctx(&context);
    if (flexio_dev_window_config(context, window, key) != FLEXIO_DEV_STATUS_SUCCESS) {
        return 0;
    }
    flexio_dev_window_ptr_acquire(context, external, &address);
    return (volatile uint64_t *)address;
}

__dpa_rpc__ uint64_t set(uint32_t window, uint32_t key, uint64_t external)
{
    volatile uint64_t *variable = open_window(window, key, external);
    if (!variable) {
        return 1;
    }
    *variable = 0xff;
    __dpa_thread_window_writeback();
    return 0;
}

/* The outbox: a send, with its entry in DPA memory. */

static void write_entry(struct my_db *db, union flexio_dev_sqe_seg *ring, char *buffer)
{
    union flexio_dev_sqe_seg *entry = &ring[(db->sent % ENTRIES) << LOG_SQE_NUM_SEGS];
    flexio_dev_swqe_seg_ctrl_set(entry, db->sent, db->queue, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_RC);
    flexio_dev_swqe_seg_mem_ptr_data_set(entry + 1, sizeof(uint64_t), db->key, (uint64_t)buffer);
}

static void post(struct my_db *db, uint64_t word)
{
    char *buffer = db->buffers + (ENTRIES + db->sent % ENTRIES) * LINE;
    *(uint64_t *)buffer = word;
    write_entry(db, db->send_ring, buffer);
    db->sent++;
}

/* Rings the doorbell and polls the completion queue. */
static uint64_t ring(struct flexio_dev_thread_ctx *context, struct my_db *db)
{
    flexio_dev_qp_sq_ring_db(context, db->sent, db->queue);
    while (!has_completion(db)) {
    }
    uint64_t opcode = flexio_dev_cqe_get_opcode(completion(db));
    take(db);
    __dpa_thread_memory_writeback();
    return opcode;
}

__dpa_rpc__ uint64_t send(struct my_db *db, uint64_t word)
{
    struct flexio_dev_thread_ctx *context = configure(db);
    post(db, word);
    __dpa_thread_memory_writeback();
    return ring(context, db);
}

/* As printed: nothing brings the entry to the NIC before the doorbell. */
__dpa_rpc__ uint64_t sendAsPrinted(struct my_db *db, uint64_t word)
{
    struct flexio_dev_thread_ctx *context = configure(db);
    post(db, word);
    return ring(context, db);
}

/* A send whose entry is in external memory. */
__dpa_rpc__ uint64_t sendByWindow(struct my_db *db, uint32_t window, uint32_t key, uint64_t external)
{
    struct flexio_dev_thread_ctx *context = configure(db);
    volatile uint64_t *send_ring = open_window(window, key, external);
    char *buffer = db->buffers + ENTRIES * LINE;
    if (!send_ring) {
        return 1;
    }
    *(uint64_t *)buffer = 77;
    __dpa_thread_memory_writeback();
    write_entry(db, (union flexio_dev_sqe_seg *)send_ring, buffer);
    __dpa_thread_window_writeback();
    db->sent++;
    return ring(context, db);
}

/* A receive queue: entry, then doorbell record. */
__dpa_rpc__ uint64_t postReceive(struct my_db *db)
{
    uint64_t slot = db->posted % ENTRIES;
    flexio_dev_swqe_seg_mem_ptr_data_set((union flexio_dev_sqe_seg *)&db->receive_ring[slot], LINE,
                                         db->key, (uint64_t)(db->buffers + slot * LINE));
    db->posted++;
    __dpa_thread_memory_fence(__DPA_W, __DPA_W);
    flexio_dev_dbr_rq_inc_pi(db->receive_record);
    __dpa_thread_memory_writeback();
    return db->posted;
}

/* A flag in external memory, which somebody else sets. */
__dpa_rpc__ uint64_t awaitFlag(uint32_t window, uint32_t key, uint64_t external)
{
    volatile uint64_t *flag = open_window(window, key, external);
    uint64_t value;
    if (!flag) {
        return 0;
    }
    while ((value = *flag) == 0) {
        __dpa_thread_window_read_inv();
    }
    return value;
}

/* Has the NIC write a word to external memory, and does not wait for it. */
__dpa_rpc__ uint64_t writeFlag(struct my_db *db, uint64_t flag, uint32_t key, uint64_t word)
{
    struct flexio_dev_thread_ctx *context = configure(db);
    char *buffer = db->buffers + (ENTRIES + db->sent % ENTRIES) * LINE;
    union flexio_dev_sqe_seg *entry = &db->send_ring[(db->sent % ENTRIES) << LOG_SQE_NUM_SEGS];
    *(uint64_t *)buffer = word;
    flexio_dev_swqe_seg_ctrl_set(entry, db->sent, db->queue, MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR,
                                 FLEXIO_CTRL_SEG_RDMA_WRITE);
    flexio_dev_swqe_seg_rdma_set(entry + 1, key, flag);
    flexio_dev_swqe_seg_mem_ptr_data_set(entry + 2, sizeof(word), db->key, (uint64_t)buffer);
    db->sent++;
    __dpa_thread_memory_writeback();
    flexio_dev_qp_sq_ring_db(context, db->sent, db->queue);
    return db->sent;
}

/* Two threads: data, then flag. */

__dpa_rpc__ uint64_t publish(volatile uint64_t *data, volatile uint64_t *flag, uint64_t value)
{
    *data = value;
    __dpa_thread_memory_fence(__DPA_W, __DPA_W);
    *flag = 1;
    return 0;
}

/* An event handler: waits for the flag and takes the data. */
struct shared {
    volatile uint64_t flag;
    volatile uint64_t data;
    uint64_t found;
    uint64_t is_found;
};

__dpa_global__ void consume(uint64_t argument)
{
    struct shared *words = (struct shared *)argument;
    while (words->flag != 1) {
    }
    words->found = words->data;
    __atomic_fetch_add(&words->is_found, 1, __ATOMIC_RELEASE);
    flexio_dev_thread_finish();
}

__dpa_rpc__ uint64_t consumed(struct shared *words)
{
    while (__atomic_fetch_add(&words->is_found, 0, __ATOMIC_ACQUIRE) == 0) {
    }
    return words->found;
}
