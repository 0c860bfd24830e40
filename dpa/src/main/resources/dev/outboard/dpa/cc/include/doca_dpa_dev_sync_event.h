/* Sync events of DOCA in device code. */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H
#define DOCA_DPA_DEV_SYNC_EVENT_H

#include <doca_dpa_dev.h>

typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

static inline __attribute__((always_inline)) void doca_dpa_dev_sync_event_get(doca_dpa_dev_sync_event_t event, uint64_t *value)
{
    *value = (uint64_t)outboard_ecall2(OUTBOARD_DOCA_EVENT_GET, (int64_t)event, 0);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_sync_event_update_add(
        doca_dpa_dev_sync_event_t event, uint64_t value)
{
    outboard_ecall2(OUTBOARD_DOCA_EVENT_ADD, (int64_t)event, (int64_t)value);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_sync_event_update_set(
        doca_dpa_dev_sync_event_t event, uint64_t value)
{
    outboard_ecall2(OUTBOARD_DOCA_EVENT_SET, (int64_t)event, (int64_t)value);
}

/* Waits until the value under the mask is greater than that. */
OUTBOARD_DOCA_OVERLOADED void doca_dpa_dev_sync_event_wait_gt(
        doca_dpa_dev_sync_event_t event, uint64_t value, uint64_t mask)
{
    outboard_ecall3(OUTBOARD_DOCA_EVENT_WAIT, (int64_t)event, (int64_t)value, (int64_t)mask);
}

OUTBOARD_DOCA_OVERLOADED void doca_dpa_dev_sync_event_wait_gt(
        doca_dpa_dev_sync_event_t event, uint64_t value)
{
    doca_dpa_dev_sync_event_wait_gt(event, value, ~(uint64_t)0);
}

/* Do not wait: when it holds, there is a completion. Values are 0 to 254. */

static inline __attribute__((always_inline)) void doca_dpa_dev_sync_event_post_wait_gt(
        doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_sync_event_t event, uint64_t value)
{
    outboard_ecall3(OUTBOARD_DOCA_EVENT_POST_GREATER, (int64_t)async_ops, (int64_t)event,
                    (int64_t)value);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_sync_event_post_wait_ne(
        doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_sync_event_t event, uint64_t value)
{
    outboard_ecall3(OUTBOARD_DOCA_EVENT_POST_OTHER, (int64_t)async_ops, (int64_t)event,
                    (int64_t)value);
}

#endif
