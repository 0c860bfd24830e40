/*
 * DOCA DPA in device code: the thread, what it logs, completions, hash tables. The fences and cache
 * operations that a call takes are in the call.
 */
#ifndef DOCA_DPA_DEV_H
#define DOCA_DPA_DEV_H

#include <dpaintrin.h>
#include <outboard_ecall.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __forceinline
#define __forceinline static inline __attribute__((always_inline))
#endif
#ifndef __always_inline
#define __always_inline __attribute__((always_inline))
#endif

/* Functions of one name that the compiler tells apart by their arguments: older spellings. */
#define OUTBOARD_DOCA_OVERLOADED static inline __attribute__((always_inline, overloadable))

typedef enum {
    DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10,
    DOCA_DPA_DEV_LOG_LEVEL_CRIT = 20,
    DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
    DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
    DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
    DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60
} doca_dpa_dev_log_level_t;

/* Handles, as the host gives them. */
typedef uint64_t doca_dpa_dev_t;
typedef uint64_t doca_dpa_dev_uintptr_t;
typedef uint64_t doca_dpa_dev_hash_table_t;
typedef uint64_t doca_dpa_dev_completion_t;
typedef uint64_t doca_dpa_dev_completion_element_t;
typedef uint64_t doca_dpa_dev_async_ops_t;
typedef uint64_t doca_dpa_dev_notification_completion_t;

typedef enum {
    DOCA_DPA_DEV_COMP_SEND = 0x0,
    DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 0x1,
    DOCA_DPA_DEV_COMP_RECV_SEND = 0x2,
    DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 0x3,
    DOCA_DPA_DEV_COMP_SEND_ERR = 0xD,
    DOCA_DPA_DEV_COMP_RECV_ERR = 0xE
} doca_dpa_dev_completion_type_t;

/* Without FLUSH an operation may wait for one that has it; with OPTIMIZE_REPORTS its completion may
   be that of a later one. */
enum doca_dpa_dev_submit_flag {
    DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = 1 << 0,
    DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = 1 << 1
};

/* The thread. */

/* Selects the function of the card whose objects are used from now on. */
static inline __attribute__((always_inline)) void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle)
{
    outboard_ecall2(OUTBOARD_DOCA_DEVICE_SET, (int64_t)dpa_handle, 0);
}

static inline __attribute__((always_inline)) unsigned int doca_dpa_dev_thread_rank(void)
{
    return (unsigned int)outboard_ecall0(OUTBOARD_DOCA_THREAD_RANK);
}

static inline __attribute__((always_inline)) unsigned int doca_dpa_dev_num_threads(void)
{
    return (unsigned int)outboard_ecall0(OUTBOARD_DOCA_NUM_THREADS);
}

/* Of threads of kernels. */
static inline __attribute__((always_inline)) void doca_dpa_dev_yield(void)
{
    outboard_ecall0(OUTBOARD_DOCA_YIELD);
}

/* These three of DPA threads. */

static inline __attribute__((always_inline)) doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void)
{
    return (doca_dpa_dev_uintptr_t)outboard_ecall0(OUTBOARD_DOCA_LOCAL_STORAGE);
}

static inline __attribute__((always_inline, noreturn)) void doca_dpa_dev_thread_reschedule(void)
{
    outboard_ecall0(OUTBOARD_DOCA_RESCHEDULE);
    __builtin_unreachable();
}

static inline __attribute__((always_inline, noreturn)) void doca_dpa_dev_thread_finish(void)
{
    outboard_ecall0(OUTBOARD_DOCA_FINISH);
    __builtin_unreachable();
}

/* Activates another thread. */
static inline __attribute__((always_inline)) void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle)
{
    outboard_ecall2(OUTBOARD_DOCA_NOTIFY, (int64_t)comp_handle, 0);
}

/* Log. */

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#define DOCA_DPA_DEV_LOG_CRIT(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Five words, which are logged at level DEBUG at once. */
static inline __attribute__((always_inline)) void doca_dpa_dev_trace(
        uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
    outboard_ecall5(OUTBOARD_DOCA_TRACE, (int64_t)arg1, (int64_t)arg2, (int64_t)arg3, (int64_t)arg4,
                    (int64_t)arg5);
}

/* Nothing has been kept back. */
static inline __attribute__((always_inline)) void doca_dpa_dev_trace_flush(void)
{
}

/* Hash tables. */

static inline __attribute__((always_inline)) void doca_dpa_dev_hash_table_add(
        doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t value)
{
    outboard_ecall3(OUTBOARD_DOCA_HASH_ADD, (int64_t)ht_handle, key, (int64_t)value);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_hash_table_remove(doca_dpa_dev_hash_table_t ht_handle, uint32_t key)
{
    outboard_ecall2(OUTBOARD_DOCA_HASH_REMOVE, (int64_t)ht_handle, key);
}

/* Gives 1 if the table has the key, else 0, and the value stays as it is. */
static inline __attribute__((always_inline)) int doca_dpa_dev_hash_table_find(
        doca_dpa_dev_hash_table_t ht_handle, uint32_t key, uint64_t *value)
{
    return (int)outboard_ecall3(OUTBOARD_DOCA_HASH_FIND, (int64_t)ht_handle, key, (int64_t)value);
}

/* Completions. */

/* Gives 1 if there is one, else 0. */
static inline __attribute__((always_inline)) int doca_dpa_dev_get_completion(
        doca_dpa_dev_completion_t dpa_comp_handle, doca_dpa_dev_completion_element_t *comp_element)
{
    int64_t element = outboard_ecall2(OUTBOARD_DOCA_COMPLETION_NEXT, (int64_t)dpa_comp_handle, 0);
    if (element == 0) {
        return 0;
    }
    *comp_element = (doca_dpa_dev_completion_element_t)element;
    return 1;
}

static inline __attribute__((always_inline)) doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
        doca_dpa_dev_completion_element_t comp_element)
{
    return (doca_dpa_dev_completion_type_t)outboard_ecall2(
            OUTBOARD_DOCA_COMPLETION_TYPE, (int64_t)comp_element, 0);
}

#define OUTBOARD_OF_ELEMENT(name, number)                                                          \
    static inline uint32_t name(doca_dpa_dev_completion_element_t comp_element)                    \
    {                                                                                              \
        return (uint32_t)outboard_ecall2(number, (int64_t)comp_element, 0);                        \
    }

OUTBOARD_OF_ELEMENT(doca_dpa_dev_get_completion_user_data, OUTBOARD_DOCA_COMPLETION_USER_DATA)
OUTBOARD_OF_ELEMENT(doca_dpa_dev_get_completion_immediate, OUTBOARD_DOCA_COMPLETION_IMMEDIATE)
OUTBOARD_OF_ELEMENT(
        doca_dpa_dev_completion_element_get_received_bytes, OUTBOARD_DOCA_COMPLETION_BYTES)
OUTBOARD_OF_ELEMENT(
        doca_dpa_dev_completion_element_get_wqe_counter, OUTBOARD_DOCA_COMPLETION_COUNTER)
OUTBOARD_OF_ELEMENT(doca_dpa_dev_completion_element_get_qpn, OUTBOARD_DOCA_COMPLETION_QUEUE)
OUTBOARD_OF_ELEMENT(
        doca_dpa_dev_completion_element_get_error_syndrome, OUTBOARD_DOCA_COMPLETION_SYNDROME)

/* As many of the oldest elements are needed no more. */
static inline __attribute__((always_inline)) void doca_dpa_dev_completion_ack(
        doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp)
{
    outboard_ecall2(OUTBOARD_DOCA_COMPLETION_ACK, (int64_t)dpa_comp_handle, (int64_t)num_comp);
}

/* The next completion activates the thread of the context, once. */
static inline __attribute__((always_inline)) void doca_dpa_dev_completion_request_notification(
        doca_dpa_dev_completion_t dpa_comp_handle)
{
    outboard_ecall2(OUTBOARD_DOCA_COMPLETION_REQUEST, (int64_t)dpa_comp_handle, 0);
}

#endif
