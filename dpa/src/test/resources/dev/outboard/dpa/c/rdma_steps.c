/* The program "rdma_steps" in C, as far as it is used in both forms. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define SLOT_WORDS 8

struct side {
    doca_dpa_dev_rdma_t rdma;
    uint64_t own_key;
    uint64_t *out;
    volatile uint64_t *in;
    uint64_t peer_key;
    uint64_t peer_in;
    doca_dpa_dev_sync_event_remote_net_t peer_event;
    doca_dpa_dev_sync_event_t event;
    uint64_t rounds;
    uint64_t seed;
    uint64_t peer_seed;
    uint64_t bad_words;
    uint64_t played;
};

__dpa_global__ void pingPong(struct side *side)
{
    uint64_t last = side->played + side->rounds;
    for (uint64_t round = side->played + 1; round <= last; round++) {
        uint64_t slot = (round & 1) * SLOT_WORDS;
        for (int i = 0; i < SLOT_WORDS; i++) {
            side->out[slot + i] = side->seed + round * 100 + i;
        }
        doca_dpa_dev_rdma_post_write(side->rdma, 0, side->peer_key, side->peer_in + slot * 8,
                                     side->own_key, (uint64_t)&side->out[slot], SLOT_WORDS * 8,
                                     DOCA_DPA_DEV_SUBMIT_FLAG_NONE);
        doca_dpa_dev_rdma_signal_set(side->rdma, 0, side->peer_event, round);
        doca_dpa_dev_sync_event_wait_gt(side->event, round - 1);
        for (int i = 0; i < SLOT_WORDS; i++) {
            side->bad_words += side->in[slot + i] != side->peer_seed + round * 100 + i;
        }
        doca_dpa_dev_rdma_synchronize(side->rdma);
        doca_dpa_dev_yield();
    }
    side->played = last;
}
