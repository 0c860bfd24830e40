/* Errors of device code. */
#ifndef FLEXIO_DEV_ERR_H
#define FLEXIO_DEV_ERR_H

#include <libflexio-dev/flexio_dev.h>
#include <outboard_ecall.h>
#include <stdint.h>

typedef enum flexio_dev_errors {
    /* What the host gets for a code that is none of a user. */
    FLEXIO_DEV_ERROR_ILLEGAL_ERR = 0x42
} flexio_dev_error_t;

/* Ends the process. Codes of a user are 128 to 255. */
static inline __attribute__((always_inline, noreturn)) void flexio_dev_error(uint8_t error)
{
    outboard_ecall2(OUTBOARD_ERROR, error, 0);
    __builtin_unreachable();
}

/* What the latest call of this thread that was refused has left, or 0. */
static inline __attribute__((always_inline)) uint64_t flexio_dev_get_errno(struct flexio_dev_thread_ctx *context)
{
    (void)context;
    return (uint64_t)outboard_ecall0(OUTBOARD_ERRNO);
}

static inline __attribute__((always_inline)) void flexio_dev_rst_errno(struct flexio_dev_thread_ctx *context)
{
    outboard_ecall0(OUTBOARD_RESET_ERRNO);
    context->thread_errno = 0;
}

static inline __attribute__((always_inline)) uint64_t flexio_dev_get_and_rst_errno(struct flexio_dev_thread_ctx *context)
{
    uint64_t latest = flexio_dev_get_errno(context);
    flexio_dev_rst_errno(context);
    return latest;
}

#endif
