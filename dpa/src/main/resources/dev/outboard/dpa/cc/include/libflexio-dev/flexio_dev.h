/* What device code calls: its thread, messages, outboxes, windows and locks. */
#ifndef FLEXIO_DEV_H
#define FLEXIO_DEV_H

#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev_ver.h>
#include <outboard_ecall.h>
#include <stddef.h>
#include <stdint.h>

#ifndef FLEXIO_DEV_ALWAYS_INLINE
#define FLEXIO_DEV_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* Functions of one name that the compiler tells apart by their arguments: two spellings. */
#define OUTBOARD_OVERLOADED static inline __attribute__((always_inline, overloadable))

typedef uint64_t flexio_uintptr_t;
typedef uint32_t flexio_uar_device_id;

typedef enum {
    FLEXIO_DEV_STATUS_SUCCESS = 0,
    FLEXIO_DEV_STATUS_FAILED = 1
} flexio_dev_status_t;

/* The older spelling. */
typedef flexio_dev_status_t flexio_dev_status;

/* When a send queue makes a completion entry. */
enum cq_ce_mode {
    MLX5_CTRL_SEG_CE_CQE_ON_CQE_ERROR = 0,
    MLX5_CTRL_SEG_CE_CQE_ON_FIRST_CQE_ERROR = 1,
    MLX5_CTRL_SEG_CE_CQE_ALWAYS = 2,
    MLX5_CTRL_SEG_CE_CQE_AND_EQE = 3
};

/* The windows of a thread. It has the first; what is asked of another fails. */
enum flexio_window_entity {
    FLEXIO_DEV_WINDOW_ENTITY_0 = 0,
    FLEXIO_DEV_WINDOW_ENTITY_1 = 1,
    FLEXIO_DEV_WINDOW_ENTITY_NUM = 2
};

/* What a thread knows of itself; tp points to it. */
struct flexio_dev_thread_ctx {
    uint32_t version;
    uint16_t outbox_id;
    uint16_t window_id;
    uint64_t outbox_base;
    uint64_t window_base;
    uint64_t window_config_base;
    uint64_t metadata;
    uint32_t thread_errno;
    uint32_t flags;
} __attribute__((packed, aligned(8)));

/* Of the flags: calls that ring doorbells write back before. */
#define OUTBOARD_FENCED 1

typedef void(flexio_dev_event_handler_t)(uint64_t thread_argument);
typedef uint64_t(flexio_dev_rpc_handler_t)(uint64_t argument);
typedef void(flexio_dev_async_rpc_handler_t)(uint64_t argument);
typedef uint64_t(flexio_dev_arg_unpack_func_t)(void *arguments, void *function);

/* The thread. */

FLEXIO_DEV_ALWAYS_INLINE struct flexio_dev_thread_ctx *outboard_thread(void)
{
    struct flexio_dev_thread_ctx *own;
    __asm__("mv %0, tp" : "=r"(own));
    return own;
}

/* Gives 0, always. */
static inline __attribute__((always_inline)) int flexio_dev_get_thread_ctx(struct flexio_dev_thread_ctx **context)
{
    *context = outboard_thread();
    return 0;
}

static inline __attribute__((always_inline)) uint32_t flexio_dev_get_thread_id(struct flexio_dev_thread_ctx *context)
{
    (void)context;
    return (uint32_t)outboard_ecall0(OUTBOARD_THREAD_NUMBER);
}

static inline __attribute__((always_inline)) flexio_uintptr_t flexio_dev_get_thread_local_storage(
        struct flexio_dev_thread_ctx *context)
{
    (void)context;
    return (flexio_uintptr_t)outboard_ecall0(OUTBOARD_THREAD_LOCAL_STORAGE);
}

static inline __attribute__((always_inline, noreturn)) void flexio_dev_thread_reschedule(void)
{
    outboard_ecall0(OUTBOARD_THREAD_RESCHEDULE);
    __builtin_unreachable();
}

static inline __attribute__((always_inline, noreturn)) void flexio_dev_thread_finish(void)
{
    outboard_ecall0(OUTBOARD_THREAD_FINISH);
    __builtin_unreachable();
}

static inline __attribute__((always_inline, noreturn)) void flexio_dev_thread_retrigger(void)
{
    outboard_ecall0(OUTBOARD_THREAD_RETRIGGER);
    __builtin_unreachable();
}

static inline __attribute__((always_inline, noreturn)) void flexio_dev_process_finish(void)
{
    outboard_ecall0(OUTBOARD_PROCESS_FINISH);
    __builtin_unreachable();
}

/* The older spellings. */
#define flexio_dev_reschedule() flexio_dev_thread_reschedule()
#define flexio_dev_finish() flexio_dev_process_finish()

static inline __attribute__((always_inline)) void flexio_dev_yield(struct flexio_dev_thread_ctx *context)
{
    (void)context;
    outboard_ecall0(OUTBOARD_YIELD);
}

/* Of a call that was refused: why stands in the context, too. */
static inline __attribute__((always_inline)) flexio_dev_status_t outboard_status(struct flexio_dev_thread_ctx *context, int64_t done)
{
    if (done != 0) {
        return FLEXIO_DEV_STATUS_SUCCESS;
    }
    context->thread_errno = (uint32_t)outboard_ecall0(OUTBOARD_ERRNO);
    return FLEXIO_DEV_STATUS_FAILED;
}

/* Outbox and window. */

static inline __attribute__((always_inline)) flexio_dev_status_t flexio_dev_outbox_config(
        struct flexio_dev_thread_ctx *context, uint16_t outbox)
{
    int64_t done = outboard_ecall2(OUTBOARD_OUTBOX_CONFIG, outbox, 0);
    if (done != 0) {
        context->outbox_id = outbox;
    }
    return outboard_status(context, done);
}

static inline __attribute__((always_inline)) void flexio_dev_outbox_config_fast(
        struct flexio_dev_thread_ctx *context, uint16_t outbox)
{
    outboard_ecall2(OUTBOARD_OUTBOX_CONFIG_FAST, outbox, 0);
    context->outbox_id = outbox;
}

/* For the queues of another UAR than that of the outbox. */
OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_outbox_config_uar_extension(
        struct flexio_dev_thread_ctx *context, uint16_t outbox, flexio_uar_device_id uar)
{
    int64_t done = outboard_ecall2(OUTBOARD_OUTBOX_CONFIG_UAR, outbox, uar);
    if (done != 0) {
        context->outbox_id = outbox;
    }
    return outboard_status(context, done);
}

/* The same of the outbox that this activation has configured. */
OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_outbox_config_uar_extension(
        struct flexio_dev_thread_ctx *context, flexio_uar_device_id uar)
{
    return flexio_dev_outbox_config_uar_extension(context, context->outbox_id, uar);
}

/*
 * Windows, in two spellings: first the context of the thread, or one of its windows. Copies may
 * have any alignment; that to the host writes back, and that from it loads anew.
 */

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_config(
        struct flexio_dev_thread_ctx *context, uint16_t window, uint32_t key)
{
    int64_t done = outboard_ecall2(OUTBOARD_WINDOW_CONFIG, window, (int32_t)key);
    if (done != 0) {
        context->window_id = window;
    }
    return outboard_status(context, done);
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_mkey_config(
        struct flexio_dev_thread_ctx *context, uint32_t key)
{
    return outboard_status(
            context, outboard_ecall2(OUTBOARD_WINDOW_KEY_CONFIG, (int32_t)key, 0));
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_ptr_acquire(
        struct flexio_dev_thread_ctx *context, uint64_t host_address, flexio_uintptr_t *address)
{
    *address = context->window_base | host_address;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

void outboard_copy_to_host(uint64_t host_address, const void *from, uint64_t bytes);
void outboard_copy_from_host(void *to, uint64_t host_address, uint64_t bytes);

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_copy_to_host(
        struct flexio_dev_thread_ctx *context, uint64_t host_address, const void *from,
        uint32_t bytes)
{
    (void)context;
    outboard_copy_to_host(host_address, from, bytes);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_copy_from_host(
        struct flexio_dev_thread_ctx *context, void *to, uint64_t host_address, uint32_t bytes)
{
    (void)context;
    outboard_copy_from_host(to, host_address, bytes);
    return FLEXIO_DEV_STATUS_SUCCESS;
}

#define OUTBOARD_WINDOW(entity, name, ...)                                                         \
    ((entity) != FLEXIO_DEV_WINDOW_ENTITY_0 ? FLEXIO_DEV_STATUS_FAILED                             \
                                            : name(outboard_thread(), __VA_ARGS__))

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_config(
        int entity, uint16_t window, uint32_t key)
{
    return OUTBOARD_WINDOW(entity, flexio_dev_window_config, window, key);
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_mkey_config(
        int entity, uint32_t key)
{
    return OUTBOARD_WINDOW(entity, flexio_dev_window_mkey_config, key);
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_ptr_acquire(
        int entity, uint64_t host_address, flexio_uintptr_t *address)
{
    return OUTBOARD_WINDOW(entity, flexio_dev_window_ptr_acquire, host_address, address);
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_copy_to_host(
        int entity, uint64_t host_address, const void *from, uint32_t bytes)
{
    return OUTBOARD_WINDOW(entity, flexio_dev_window_copy_to_host, host_address, from, bytes);
}

OUTBOARD_OVERLOADED flexio_dev_status_t flexio_dev_window_copy_from_host(
        int entity, void *to, uint64_t host_address, uint32_t bytes)
{
    return OUTBOARD_WINDOW(entity, flexio_dev_window_copy_from_host, to, host_address, bytes);
}

/*
 * Messages to the host, as printf has them. A stream that nobody has made takes none; a level that
 * the stream does not ask for is not told. The host makes the text: what is given back is 0.
 */

#define FLEXIO_MSG_DEV_BROADCAST_STREAM 0xFF
#define FLEXIO_MSG_DEV_MAX_STREAMS_AMOUNT 255
#define FLEXIO_MSG_DEV_DEFAULT_STREAM_ID 0

#define FLEXIO_MSG_DEV_NO_PRINT 0
#define FLEXIO_MSG_DEV_ALWAYS_PRINT 1
#define FLEXIO_MSG_DEV_ERROR 2
#define FLEXIO_MSG_DEV_WARN 3
#define FLEXIO_MSG_DEV_INFO 4
#define FLEXIO_MSG_DEV_DEBUG 5

typedef uint8_t flexio_msg_dev_level;

int flexio_dev_msg(int stream_id, flexio_msg_dev_level level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#define flexio_dev_msg_err(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_ERROR, __VA_ARGS__)
#define flexio_dev_msg_warn(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_WARN, __VA_ARGS__)
#define flexio_dev_msg_info(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_INFO, __VA_ARGS__)
#define flexio_dev_msg_dbg(stream, ...) flexio_dev_msg(stream, FLEXIO_MSG_DEV_DEBUG, __VA_ARGS__)
#define flexio_dev_msg_dflt(level, ...)                                                            \
    flexio_dev_msg(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, level, __VA_ARGS__)
#define flexio_dev_msg_broadcast(level, ...)                                                       \
    flexio_dev_msg(FLEXIO_MSG_DEV_BROADCAST_STREAM, level, __VA_ARGS__)
#define flexio_dev_print(...) flexio_dev_msg_dflt(FLEXIO_MSG_DEV_INFO, __VA_ARGS__)

/* Gives back how long the text is. */
int flexio_dev_puts(struct flexio_dev_thread_ctx *context, const char *text);

/* Locks, in memory of the DPA. */

struct spinlock_s {
    uint32_t locked;
};

static inline __attribute__((always_inline)) void spin_init(struct spinlock_s *lock)
{
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELAXED);
}

/* Gives 0 if it has taken the lock. */
static inline __attribute__((always_inline)) int spin_trylock(struct spinlock_s *lock)
{
    return (int)__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE);
}

static inline __attribute__((always_inline)) void spin_lock(struct spinlock_s *lock)
{
    if (spin_trylock(lock) != 0) {
        outboard_ecall2(OUTBOARD_SPIN_LOCK, (int64_t)lock, 0);
    }
}

static inline __attribute__((always_inline)) void spin_unlock(struct spinlock_s *lock)
{
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

#endif
