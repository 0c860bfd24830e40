/* The handlers of a node, as NodeHandlers.java has them: routines that are computed on the data path,
 * by the DPA itself or by the function of an FPGA behind it. */
#include <dpaintrin.h>

#include "edge_rows.h"
#include "naa_dev.h"

#define EMPTY 3
#define EDGE_DETECTION 13

#define HEADER_BYTES 12
#define MAX_SIDE (1 << 16)
#define IMAGE_DIMENSIONS 0x23
#define IMAGE_SIZE 0x24

/* What the registers of a function have room for. */
#define MOST_REGIONS 32

struct image {
    int32_t width;
    int32_t height;
    int32_t channels;
};

static int is_side(int32_t pixels)
{
    return pixels > 0 && pixels <= MAX_SIDE;
}

static void detect(uint64_t client, struct image image)
{
    uint64_t width = image.width;
    uint64_t height = image.height;
    uint64_t channels = image.channels;
    uint8_t *above = naa_dev_scratch(client);
    uint8_t *here = above + edge_row_bytes(width);
    uint8_t *below = here + edge_row_bytes(width);
    uint64_t pixels = naa_dev_region(client, 1);
    edge_row_load(pixels, width, channels, 0, above);
    edge_row_load(pixels, width, channels, 0, here);
    for (uint64_t y = 0; y < height; y++) {
        pixels = naa_dev_region(client, 1);
        edge_row_load(pixels, width, channels, y + 1 < height ? y + 1 : y, below);
        uint8_t *edges = (uint8_t *)naa_dev_region(client, 2);
        edge_row_store(edges + y * width, width, above, here, below);
        uint8_t *unused = above;
        above = here;
        here = below;
        below = unused;
    }
}

/* Regions header, pixels and edges. */
static int edges(uint64_t client)
{
    if (naa_dev_regions(client) != 3 || naa_dev_size(client, 0) != HEADER_BYTES) {
        return NAA_WRONG_ARGUMENTS;
    }
    struct image image = *(const struct image *)naa_dev_region(client, 0);
    if (!is_side(image.width) || !is_side(image.height)
            || (image.channels != 1 && image.channels != 3)) {
        return IMAGE_DIMENSIONS;
    }
    uint64_t pixels = (uint64_t)image.width * image.height;
    if (naa_dev_size(client, 1) != pixels * image.channels || naa_dev_size(client, 2) != pixels) {
        return IMAGE_SIZE;
    }
    detect(client, image);
    return NAA_SUCCESS;
}

static int run(uint64_t client)
{
    switch (naa_dev_function_code(client)) {
    case EMPTY:
        return NAA_SUCCESS;
    case EDGE_DETECTION:
        return edges(client);
    default:
        return NAA_NOT_AVAILABLE;
    }
}

static int pass(uint64_t client)
{
    return naa_dev_regions(client) > MOST_REGIONS ? NAA_WRONG_ARGUMENTS : naa_dev_call_afu(client);
}

/* Computes the routines itself. */
__dpa_global__ void compute(uint64_t client)
{
    while (naa_dev_next_call(client)) {
        naa_dev_answer(client, naa_dev_is_offered(client) ? run(client) : NAA_NOT_AVAILABLE);
    }
    naa_dev_await_call(client);
}

/* Has the function behind the DPA compute them. */
__dpa_global__ void forward(uint64_t client)
{
    while (naa_dev_next_call(client)) {
        naa_dev_answer(client, naa_dev_is_offered(client) ? pass(client) : NAA_NOT_AVAILABLE);
    }
    naa_dev_await_call(client);
}

__dpa_rpc__ uint64_t send(uint64_t client, int length, int ready)
{
    return naa_dev_send_for_host(client, length, ready);
}
