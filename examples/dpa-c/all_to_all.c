/*
 * Device code of an all-to-all: each rank writes a block to every rank, itself included, and
 * signals an event of it. Nobody else tells a rank anything: that its event has counted all ranks
 * means that their blocks are there. What the hosts do is in AllToAllMember.java, for this function
 * and for that of AllToAllKernels.java alike.
 *
 * Rounds take turns between two sets of blocks and two events. With one event, a rank that is a
 * round ahead could be counted for one that is late; two rounds ahead is nobody, since each waits
 * for all.
 */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>

#define BLOCK_WORDS 8
#define BLOCK_BYTES (BLOCK_WORDS * sizeof(uint64_t))

/* What the host fills: a member, then a part for each rank here, then one for each rank there is. */
struct member {
    uint64_t all_ranks;
    uint64_t first_rank;
    uint64_t ranks_of_a_member;
    uint64_t rounds;
    doca_dpa_dev_mmap_t key;
    uint64_t unused[3];
};

/* A rank here. It alone uses its RDMA context. */
struct own {
    doca_dpa_dev_rdma_t rdma;
    uint64_t *out;
    uint64_t *in;
    doca_dpa_dev_sync_event_t events[2];
    uint64_t bad_words;
    uint64_t unused[2];
};

/* Any rank. */
struct any {
    doca_dpa_dev_mmap_t key;
    uint64_t *in;
    doca_dpa_dev_sync_event_remote_net_t events[2];
};

static struct own *own_of(struct member *member)
{
    return (struct own *)(member + 1) + doca_dpa_dev_thread_rank();
}

static struct any *any_of(struct member *member, uint64_t rank)
{
    struct own *end = (struct own *)(member + 1) + member->ranks_of_a_member;
    return (struct any *)end + rank;
}

static uint64_t rank_of(struct member *member)
{
    return member->first_rank + doca_dpa_dev_thread_rank();
}

/* In a buffer of two sets, each of a block for each rank. */
static uint64_t *block(struct member *member, uint64_t *buffer, uint64_t round, uint64_t rank)
{
    return buffer + ((round & 1) * member->all_ranks + rank) * BLOCK_WORDS;
}

static uint64_t value(uint64_t round, uint64_t from, uint64_t to, uint64_t word)
{
    return ((round * 1000 + from) * 1000 + to) * BLOCK_WORDS + word;
}

static void send_to(struct member *member, uint64_t round, uint64_t to, uint64_t *out)
{
    doca_dpa_dev_rdma_t rdma = own_of(member)->rdma;
    uint32_t connection = to / member->ranks_of_a_member;
    struct any *any = any_of(member, to);
    uint64_t *in = block(member, any->in, round, rank_of(member));
    doca_dpa_dev_rdma_post_write(rdma, connection, any->key, (uint64_t)in, member->key,
                                 (uint64_t)out, BLOCK_BYTES, DOCA_DPA_DEV_SUBMIT_FLAG_NONE);
    doca_dpa_dev_rdma_signal_add(rdma, connection, any->events[round & 1], 1);
}

/* Begins with the next rank, so that not all write to the same one first. */
static void send(struct member *member, uint64_t round)
{
    uint64_t from = rank_of(member);
    for (uint64_t i = 1; i <= member->all_ranks; i++) {
        uint64_t to = (from + i) % member->all_ranks;
        uint64_t *out = block(member, own_of(member)->out, round, to);
        for (int word = 0; word < BLOCK_WORDS; word++) {
            out[word] = value(round, from, to, word);
        }
        send_to(member, round, to, out);
    }
}

static void look(struct member *member, uint64_t round)
{
    struct own *own = own_of(member);
    uint64_t to = rank_of(member);
    for (uint64_t from = 0; from < member->all_ranks; from++) {
        uint64_t *in = block(member, own->in, round, from);
        for (int word = 0; word < BLOCK_WORDS; word++) {
            if (in[word] != value(round, from, to, word)) {
                own->bad_words++;
            }
        }
    }
}

/* Each thread of the kernel is a rank. */
__dpa_global__ void exchange(struct member *member)
{
    struct own *own = own_of(member);
    for (uint64_t round = 1; round <= member->rounds; round++) {
        uint64_t rounds_of_event = (round + 1) / 2;
        send(member, round);
        doca_dpa_dev_sync_event_wait_gt(own->events[round & 1],
                                        rounds_of_event * member->all_ranks - 1);
        look(member, round);
        doca_dpa_dev_rdma_synchronize(own->rdma);
        /* A kernel may keep its unit for some time only. */
        doca_dpa_dev_yield();
    }
}
