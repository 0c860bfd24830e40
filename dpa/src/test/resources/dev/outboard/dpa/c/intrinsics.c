/* What compilers make of intrinsics, and what a thread knows of itself. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>

uint64_t shared;
const uint64_t constant = 1;
static uint64_t zeros[2];

/* Two stores, of which the first is for nobody if nothing stands between them. */
#define BARRIER(name, between)                                                                     \
    __dpa_rpc__ uint64_t name(uint64_t value)                                                      \
    {                                                                                              \
        shared = value;                                                                            \
        between;                                                                                   \
        shared = value + 1;                                                                        \
        return 0;                                                                                  \
    }

BARRIER(none, (void)0)
BARRIER(cycles, __dpa_thread_cycles())
BARRIER(time, __dpa_thread_time())
BARRIER(retired, __dpa_thread_inst_ret())
BARRIER(compiler, __dpa_compiler_barrier())
BARRIER(memory_fence, __dpa_thread_memory_fence(__DPA_W, __DPA_W))
BARRIER(window_fence, __dpa_thread_window_fence(__DPA_R, __DPA_R))
BARRIER(outbox_fence, __dpa_thread_outbox_fence(__DPA_W, __DPA_W))
BARRIER(whole_fence, __dpa_thread_system_fence())
BARRIER(heap_fence, __dpa_thread_fence(__DPA_HEAP, __DPA_R, __DPA_W))
BARRIER(writeback, __dpa_thread_memory_writeback())
BARRIER(window_writeback, __dpa_thread_window_writeback())
BARRIER(window_read_inv, __dpa_thread_window_read_inv())
BARRIER(ignore, __dpa_data_ignore(&shared))

#define ONE(name, what)                                                                            \
    __dpa_rpc__ uint64_t name(uint64_t operand)                                                    \
    {                                                                                              \
        (void)operand;                                                                             \
        what;                                                                                      \
        return 0;                                                                                  \
    }

ONE(heap_r_w, __dpa_thread_fence(__DPA_HEAP, __DPA_R, __DPA_W))
ONE(heap_rw_r, __dpa_thread_fence(__DPA_HEAP, __DPA_RW, __DPA_R))
ONE(memory_w_w, __dpa_thread_memory_fence(__DPA_W, __DPA_W))
ONE(memory_r_rw, __dpa_thread_fence(__DPA_MEMORY, __DPA_R, __DPA_RW))
ONE(window_w_r, __dpa_thread_window_fence(__DPA_W, __DPA_R))
ONE(outbox_w_w, __dpa_thread_outbox_fence(__DPA_W, __DPA_W))
ONE(mmio_rw_rw, __dpa_thread_fence(__DPA_MMIO, __DPA_RW, __DPA_RW))
ONE(system_w_r, __dpa_thread_fence(__DPA_SYSTEM, __DPA_W, __DPA_R))
ONE(system_fence, __dpa_thread_system_fence())
ONE(memory_writeback, __dpa_thread_memory_writeback())
ONE(writeback_memory, __dpa_thread_writeback_memory())
ONE(window_written, __dpa_thread_window_writeback())
ONE(window_inv, __dpa_thread_window_read_inv())
ONE(data_ignore, __dpa_data_ignore((void *)operand))

__dpa_rpc__ uint64_t log2_of(uint64_t operand)
{
    return (uint32_t)__dpa_fxp_log2((unsigned int)operand);
}

__dpa_rpc__ uint64_t rcp_of(uint64_t operand)
{
    return (uint32_t)__dpa_fxp_rcp((int)operand);
}

__dpa_rpc__ uint64_t pow2_of(uint64_t operand)
{
    return (uint32_t)__dpa_fxp_pow2((int)operand);
}

/* The three of each of some operands. */
__dpa_rpc__ uint64_t fixed(const int *operands, int *to, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        to[3 * i] = __dpa_fxp_log2((unsigned int)operands[i]);
        to[3 * i + 1] = __dpa_fxp_rcp(operands[i]);
        to[3 * i + 2] = __dpa_fxp_pow2(operands[i]);
    }
    return count;
}

/* Where the parts of a program are. */
__dpa_rpc__ uint64_t places(uint64_t *to)
{
    int local = 0;
    to[0] = (uint64_t)&places;
    to[1] = (uint64_t)&constant;
    to[2] = (uint64_t)&shared;
    to[3] = (uint64_t)zeros;
    to[4] = (uint64_t)to;
    to[5] = (uint64_t)&local;
    to[6] = outboard_thread()->outbox_base;
    to[7] = outboard_thread()->window_base;
    return 8;
}

_Static_assert(offsetof(struct flexio_dev_thread_ctx, outbox_id) == 4, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, window_id) == 6, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, outbox_base) == 8, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, window_base) == 16, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, window_config_base) == 24, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, metadata) == 32, "context");
_Static_assert(offsetof(struct flexio_dev_thread_ctx, thread_errno) == 40, "context");

/* What a thread knows of itself, before and after it has configured an outbox and a window. */
__dpa_rpc__ uint64_t context(uint64_t *to, uint32_t outbox, uint32_t window, uint32_t key)
{
    struct flexio_dev_thread_ctx *own;
    flexio_dev_get_thread_ctx(&own);
    for (int i = 0; i < 6; i++) {
        to[i] = ((uint64_t *)own)[i];
    }
    to[6] = flexio_dev_outbox_config(own, outbox);
    to[7] = flexio_dev_window_config(own, window, key);
    to[8] = own->outbox_id;
    to[9] = own->window_id;
    to[10] = flexio_dev_outbox_config(own, outbox + 1);
    to[11] = own->thread_errno;
    to[12] = own->outbox_id;
    to[13] = flexio_dev_get_and_rst_errno(own);
    to[14] = own->thread_errno;
    return flexio_dev_window_config(own, window, key + 1);
}
