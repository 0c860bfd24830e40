/* The program "reactions" in C, as far as it is used in both forms. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

struct desk {
    doca_dpa_dev_completion_t completion;
    doca_dpa_dev_sync_event_t told;
    uint64_t activations;
    uint64_t taken;
    uint64_t work;
    doca_dpa_dev_async_ops_t async_ops;
    doca_dpa_dev_sync_event_t watched;
    doca_dpa_dev_notification_completion_t next;
};

static void take(struct desk *desk)
{
    doca_dpa_dev_completion_element_t element;
    while (doca_dpa_dev_get_completion(desk->completion, &element)) {
        doca_dpa_dev_completion_ack(desk->completion, 1);
        desk->taken++;
    }
}

__dpa_global__ void once(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    desk->activations++;
    take(desk);
    doca_dpa_dev_sync_event_update_add(desk->told, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void eachTime(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    desk->activations++;
    take(desk);
    doca_dpa_dev_completion_request_notification(desk->completion);
    doca_dpa_dev_sync_event_update_add(desk->told, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void follow(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    take(desk);
    uint64_t activations = desk->activations++;
    doca_dpa_dev_completion_request_notification(desk->completion);
    doca_dpa_dev_sync_event_post_wait_gt(desk->async_ops, desk->watched, activations);
    doca_dpa_dev_sync_event_update_add(desk->told, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void pass(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    desk->activations++;
    if (desk->next == 0) {
        doca_dpa_dev_sync_event_update_add(desk->told, 1);
    } else {
        doca_dpa_dev_thread_notify(desk->next);
    }
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void last(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    desk->activations++;
    doca_dpa_dev_sync_event_update_add(desk->told, 1);
    doca_dpa_dev_thread_finish();
}

/* Keeps in its local storage how often it has run, and its rank. */
__dpa_global__ void recall(uint64_t argument)
{
    struct desk *desk = (struct desk *)argument;
    uint64_t *own = (uint64_t *)doca_dpa_dev_thread_get_local_storage();
    own[0]++;
    own[1] = doca_dpa_dev_thread_rank();
    own[2] = doca_dpa_dev_num_threads();
    doca_dpa_dev_sync_event_update_add(desk->told, 1);
    doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void postMany(doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_sync_event_t event, int count)
{
    for (int i = 0; i < count; i++) {
        doca_dpa_dev_sync_event_post_wait_ne(async_ops, event, 1);
    }
}

__dpa_rpc__ uint64_t postsNe(
        doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_sync_event_t event, uint64_t value)
{
    doca_dpa_dev_sync_event_post_wait_ne(async_ops, event, value);
    return 0;
}

__dpa_rpc__ uint64_t notifies(doca_dpa_dev_notification_completion_t notification)
{
    doca_dpa_dev_thread_notify(notification);
    return 0;
}

__dpa_rpc__ uint64_t request(doca_dpa_dev_completion_t completion)
{
    doca_dpa_dev_completion_request_notification(completion);
    return 0;
}

__dpa_rpc__ uint64_t yieldsInCall(void)
{
    doca_dpa_dev_yield();
    return 0;
}
