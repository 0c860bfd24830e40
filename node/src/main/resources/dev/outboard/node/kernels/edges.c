/* Edge detection on a data-path accelerator, as EdgeKernels.java has it: each thread takes a band of
 * rows. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <dpaintrin.h>

#include "edge_rows.h"

#define ROWS_OF_A_THREAD 3

struct job {
    uint64_t pixels_key;
    uint64_t pixels;
    uint64_t edges_key;
    uint64_t edges;
    uint64_t width;
    uint64_t height;
    uint64_t channels;
    /* Where the rows of all threads are. */
    uint8_t *rows;
};

static void load(const struct job *job, uint64_t y, uint8_t *row)
{
    uint64_t pixels = doca_dpa_dev_mmap_get_external_ptr(job->pixels_key, job->pixels);
    edge_row_load(pixels, job->width, job->channels, y, row);
}

static void store(
        const struct job *job, uint64_t y, const uint8_t *above, const uint8_t *here,
        const uint8_t *below)
{
    uint64_t edges = doca_dpa_dev_mmap_get_external_ptr(job->edges_key, job->edges);
    edge_row_store((uint8_t *)edges + y * job->width, job->width, above, here, below);
}

__dpa_global__ void detect(const struct job *job)
{
    uint64_t rank = doca_dpa_dev_thread_rank();
    uint64_t ranks = doca_dpa_dev_num_threads();
    uint64_t first = job->height * rank / ranks;
    uint64_t end = job->height * (rank + 1) / ranks;
    if (first == end) {
        return;
    }
    uint64_t bytes = edge_row_bytes(job->width);
    uint8_t *above = job->rows + rank * ROWS_OF_A_THREAD * bytes;
    uint8_t *here = above + bytes;
    uint8_t *below = here + bytes;
    load(job, first == 0 ? 0 : first - 1, above);
    load(job, first, here);
    for (uint64_t y = first; y < end; y++) {
        load(job, y + 1 < job->height ? y + 1 : y, below);
        store(job, y, above, here, below);
        uint8_t *unused = above;
        above = here;
        here = below;
        below = unused;
    }
}
