/* Buffers of DOCA in device code, and copies that the NIC makes between them. */
#ifndef DOCA_DPA_DEV_BUF_H
#define DOCA_DPA_DEV_BUF_H

#include <doca_dpa_dev.h>

typedef uint32_t doca_dpa_dev_mmap_t;
typedef uint64_t doca_dpa_dev_buf_t;
typedef uint64_t doca_dpa_dev_buf_arr_t;

static inline __attribute__((always_inline)) doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(
        doca_dpa_dev_buf_arr_t buf_arr, uint64_t buf_idx)
{
    return (doca_dpa_dev_buf_t)outboard_ecall2(
            OUTBOARD_DOCA_BUF, (int64_t)buf_arr, (int64_t)buf_idx);
}

static inline __attribute__((always_inline)) uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf)
{
    return (uintptr_t)outboard_ecall2(OUTBOARD_DOCA_BUF_ADDRESS, (int64_t)buf, 0);
}

static inline __attribute__((always_inline)) uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf)
{
    return (uint64_t)outboard_ecall2(OUTBOARD_DOCA_BUF_LENGTH, (int64_t)buf, 0);
}

/*
 * Pointers to memory outside, by the window: what is stored there has to be written back, and what
 * was read is kept until it is dropped. A pointer holds until the thread asks for one to another
 * memory.
 */

OUTBOARD_DOCA_OVERLOADED doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(
        doca_dpa_dev_buf_t buf, uint64_t buf_offset)
{
    return (doca_dpa_dev_uintptr_t)outboard_ecall2(
            OUTBOARD_DOCA_BUF_POINTER, (int64_t)buf, (int64_t)buf_offset);
}

OUTBOARD_DOCA_OVERLOADED doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(
        doca_dpa_dev_buf_t buf)
{
    return doca_dpa_dev_buf_get_external_ptr(buf, 0);
}

static inline __attribute__((always_inline)) doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(
        doca_dpa_dev_mmap_t mmap_handle, uint64_t addr)
{
    return (doca_dpa_dev_uintptr_t)outboard_ecall2(
            OUTBOARD_DOCA_MMAP_POINTER, (int32_t)mmap_handle, (int64_t)addr);
}

/* Copies of the thread, which it waits for. */

static inline __attribute__((always_inline)) void doca_dpa_dev_memcpy_nb(
        doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset, doca_dpa_dev_buf_t src_mem,
        uint64_t src_offset, size_t length)
{
    outboard_ecall5(OUTBOARD_DOCA_COPY_BEGIN, (int64_t)dst_mem, (int64_t)dst_offset,
                    (int64_t)src_mem, (int64_t)src_offset, (int64_t)length);
}

static inline __attribute__((always_inline)) int64_t outboard_doca_count(size_t count)
{
    return count > 0xFFFF ? 0xFFFF : (int64_t)count;
}

static inline __attribute__((always_inline)) void doca_dpa_dev_memcpy_transpose2D_nb(
        doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset, doca_dpa_dev_buf_t src_mem,
        uint64_t src_offset, size_t length, size_t element_size, size_t num_columns,
        size_t num_rows)
{
    outboard_ecall7(OUTBOARD_DOCA_TRANSPOSE_BEGIN, (int64_t)dst_mem, (int64_t)dst_offset,
                    (int64_t)src_mem, (int64_t)src_offset, (int64_t)length,
                    outboard_doca_count(element_size),
                    outboard_doca_count(num_columns) << 16 | outboard_doca_count(num_rows));
}

static inline __attribute__((always_inline)) void doca_dpa_dev_memcpy_synchronize(void)
{
    outboard_ecall0(OUTBOARD_DOCA_COPIES_AWAIT);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_memcpy(
        doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset, doca_dpa_dev_buf_t src_mem,
        uint64_t src_offset, size_t length)
{
    doca_dpa_dev_memcpy_nb(dst_mem, dst_offset, src_mem, src_offset, length);
    doca_dpa_dev_memcpy_synchronize();
}

/* Copies of a context of asynchronous operations, whose end is a completion. */

static inline __attribute__((always_inline)) void doca_dpa_dev_post_memcpy(
        doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
        doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t flags)
{
    outboard_ecall7(OUTBOARD_DOCA_COPY_POST, (int64_t)async_ops, dst_mmap_handle, (int64_t)dst_addr,
                    src_mmap_handle, (int64_t)src_addr, (int64_t)length, flags);
}

static inline __attribute__((always_inline)) void doca_dpa_dev_post_buf_memcpy(
        doca_dpa_dev_async_ops_t async_ops, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_BUF_COPY_POST, (int64_t)async_ops, (int64_t)dst_buf_handle,
                    (int64_t)src_buf_handle, flags, 0);
}

#endif
