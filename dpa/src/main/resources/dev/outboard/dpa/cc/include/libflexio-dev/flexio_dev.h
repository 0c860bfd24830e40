/* What device code calls: its thread, messages, outboxes, windows and locks. */
#ifndef FLEXIO_DEV_H
#define FLEXIO_DEV_H

#include <dpaintrin.h>
#include <outboard_ecall.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t flexio_uintptr_t;

typedef enum {
    FLEXIO_DEV_STATUS_SUCCESS = 0,
    FLEXIO_DEV_STATUS_FAILED = 1
} flexio_dev_status_t;

/* The older spelling. */
typedef flexio_dev_status_t flexio_dev_status;

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
} __attribute__((packed, aligned(8)));

typedef void(flexio_dev_event_handler_t)(uint64_t thread_argument);
typedef uint64_t(flexio_dev_rpc_handler_t)(uint64_t argument);

/* The thread. */

static inline flexio_dev_status_t flexio_dev_get_thread_ctx(struct flexio_dev_thread_ctx **context)
{
    __asm__("mv %0, tp" : "=r"(*context));
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline uint32_t flexio_dev_get_thread_id(struct flexio_dev_thread_ctx *context)
{
    (void)context;
    return (uint32_t)outboard_ecall0(OUTBOARD_THREAD_NUMBER);
}

static inline flexio_uintptr_t flexio_dev_get_thread_local_storage(
        struct flexio_dev_thread_ctx *context)
{
    (void)context;
    return (flexio_uintptr_t)outboard_ecall0(OUTBOARD_THREAD_LOCAL_STORAGE);
}

static inline __attribute__((noreturn)) void flexio_dev_thread_reschedule(void)
{
    outboard_ecall0(OUTBOARD_THREAD_RESCHEDULE);
    __builtin_unreachable();
}

static inline __attribute__((noreturn)) void flexio_dev_thread_finish(void)
{
    outboard_ecall0(OUTBOARD_THREAD_FINISH);
    __builtin_unreachable();
}

static inline __attribute__((noreturn)) void flexio_dev_thread_retrigger(void)
{
    outboard_ecall0(OUTBOARD_THREAD_RETRIGGER);
    __builtin_unreachable();
}

static inline __attribute__((noreturn)) void flexio_dev_process_finish(void)
{
    outboard_ecall0(OUTBOARD_PROCESS_FINISH);
    __builtin_unreachable();
}

static inline void flexio_dev_yield(struct flexio_dev_thread_ctx *context)
{
    (void)context;
    outboard_ecall0(OUTBOARD_YIELD);
}

/* Outbox and window. */

static inline flexio_dev_status_t flexio_dev_outbox_config(
        struct flexio_dev_thread_ctx *context, uint16_t outbox)
{
    if (outboard_ecall2(OUTBOARD_OUTBOX_CONFIG, outbox, 0) == 0) {
        return FLEXIO_DEV_STATUS_FAILED;
    }
    context->outbox_id = outbox;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline void flexio_dev_outbox_config_fast(
        struct flexio_dev_thread_ctx *context, uint16_t outbox)
{
    outboard_ecall2(OUTBOARD_OUTBOX_CONFIG_FAST, outbox, 0);
    context->outbox_id = outbox;
}

static inline flexio_dev_status_t flexio_dev_outbox_config_uar_extension(
        struct flexio_dev_thread_ctx *context, uint16_t outbox, uint32_t uar)
{
    if (outboard_ecall2(OUTBOARD_OUTBOX_CONFIG_UAR, outbox, uar) == 0) {
        return FLEXIO_DEV_STATUS_FAILED;
    }
    context->outbox_id = outbox;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_window_config(
        struct flexio_dev_thread_ctx *context, uint16_t window, uint32_t key)
{
    if (outboard_ecall2(OUTBOARD_WINDOW_CONFIG, window, (int32_t)key) == 0) {
        return FLEXIO_DEV_STATUS_FAILED;
    }
    context->window_id = window;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_window_mkey_config(
        struct flexio_dev_thread_ctx *context, uint32_t key)
{
    (void)context;
    return outboard_ecall2(OUTBOARD_WINDOW_KEY_CONFIG, (int32_t)key, 0) == 0
                   ? FLEXIO_DEV_STATUS_FAILED
                   : FLEXIO_DEV_STATUS_SUCCESS;
}

static inline flexio_dev_status_t flexio_dev_window_ptr_acquire(
        struct flexio_dev_thread_ctx *context, uint64_t host_address, flexio_uintptr_t *address)
{
    *address = context->window_base | host_address;
    return FLEXIO_DEV_STATUS_SUCCESS;
}

/* Locks, in memory of the DPA. */

struct spinlock_s {
    uint32_t locked;
};

static inline void spin_init(struct spinlock_s *lock)
{
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELAXED);
}

static inline int spin_trylock(struct spinlock_s *lock)
{
    return __atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void spin_lock(struct spinlock_s *lock)
{
    while (!spin_trylock(lock)) {
    }
}

static inline void spin_unlock(struct spinlock_s *lock)
{
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

#endif
