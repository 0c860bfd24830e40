/*
 * What device code of a node's data path calls, as NaaDev.java describes it: a handler is activated
 * when its client has called, works on the client's regions and answers, without the host.
 *
 *     __dpa_global__ void serve(uint64_t client)
 *     {
 *         while (naa_dev_next_call(client)) {
 *             uint8_t *first = (uint8_t *)naa_dev_region(client, 0);
 *             first[0]++;
 *             naa_dev_answer(client, NAA_SUCCESS);
 *         }
 *         naa_dev_await_call(client);
 *     }
 *
 * The handle of a client is what its handler gets as its argument.
 */
#ifndef NAA_DEV_H
#define NAA_DEV_H

#include <outboard_ecall.h>
#include <stdint.h>

/* Return codes. */
#define NAA_SUCCESS 0x00
#define NAA_NOT_AVAILABLE 0x01
#define NAA_WRONG_ARGUMENTS 0x11

enum naa_ecall {
    /* (client) -> whether there is one */
    NAA_NEXT_CALL = 0x1000,
    /* (client) */
    NAA_AWAIT_CALL = 0x1001,
    /* (client) */
    NAA_FUNCTION_CODE = 0x1002,
    /* (client) */
    NAA_USER_BYTES = 0x1003,
    /* (client) */
    NAA_IS_OFFERED = 0x1004,
    /* (client) */
    NAA_REGIONS = 0x1005,
    /* (client, region) */
    NAA_SIZE = 0x1006,
    /* (client, region) */
    NAA_ADDRESS = 0x1007,
    /* (client, region) */
    NAA_REGION = 0x1008,
    /* (client) */
    NAA_SCRATCH = 0x1009,
    /* (client) */
    NAA_SCRATCH_BYTES = 0x100A,
    /* (client) -> return code */
    NAA_CALL_AFU = 0x100B,
    /* (client, code) */
    NAA_ANSWER = 0x100C,
    /* (client, length, ready) */
    NAA_SEND_FOR_HOST = 0x100D
};

#define NAA_DEV static inline __attribute__((always_inline))

/* Takes the next call, if one has come. It has to be answered before the next one is taken. */
NAA_DEV int naa_dev_next_call(uint64_t client)
{
    return outboard_ecall2(NAA_NEXT_CALL, client, 0);
}

/* Ends the activation: the next call begins another one. Does not return. */
NAA_DEV void naa_dev_await_call(uint64_t client)
{
    outboard_ecall2(NAA_AWAIT_CALL, client, 0);
}

/* The function code of the current call, 1 to 127. */
NAA_DEV int naa_dev_function_code(uint64_t client)
{
    return outboard_ecall2(NAA_FUNCTION_CODE, client, 0);
}

/* The three user bytes of the current call, byte 0 in bits 7..0. */
NAA_DEV uint32_t naa_dev_user_bytes(uint64_t client)
{
    return outboard_ecall2(NAA_USER_BYTES, client, 0);
}

/* Whether the node offers what the current call is for. */
NAA_DEV int naa_dev_is_offered(uint64_t client)
{
    return outboard_ecall2(NAA_IS_OFFERED, client, 0);
}

/* How many regions the client has. */
NAA_DEV int naa_dev_regions(uint64_t client)
{
    return outboard_ecall2(NAA_REGIONS, client, 0);
}

/* The bytes of a region. */
NAA_DEV uint64_t naa_dev_size(uint64_t client, int region)
{
    return outboard_ecall2(NAA_SIZE, client, region);
}

/* Where a region lies in the NAA's memory: where the client has asked for it. */
NAA_DEV uint64_t naa_dev_naa_address(uint64_t client, int region)
{
    return outboard_ecall2(NAA_ADDRESS, client, region);
}

/*
 * Where the first byte of a region is, for loads and stores: in memory of the DPA, or behind the
 * window of the thread, which then opens to it and closes to what it was open to before.
 */
NAA_DEV uint64_t naa_dev_region(uint64_t client, int region)
{
    return outboard_ecall2(NAA_REGION, client, region);
}

/* Memory of the DPA that the handler has for itself. */
NAA_DEV void *naa_dev_scratch(uint64_t client)
{
    return (void *)outboard_ecall2(NAA_SCRATCH, client, 0);
}

/* How many bytes that are. */
NAA_DEV uint64_t naa_dev_scratch_bytes(uint64_t client)
{
    return outboard_ecall2(NAA_SCRATCH_BYTES, client, 0);
}

/* Has a function of an FPGA serve the current call, and returns its return code. */
NAA_DEV int naa_dev_call_afu(uint64_t client)
{
    return outboard_ecall2(NAA_CALL_AFU, client, 0);
}

/* Answers the current call: returns the regions that are outputs, or only a code. */
NAA_DEV void naa_dev_answer(uint64_t client, int code)
{
    outboard_ecall2(NAA_ANSWER, client, code);
}

/* Sends what the host has for the client; its only caller is the RPC that the host calls. */
NAA_DEV uint64_t naa_dev_send_for_host(uint64_t client, int length, int ready)
{
    return outboard_ecall3(NAA_SEND_FOR_HOST, client, length, ready);
}

#endif
