/*
 * Intrinsics of the DPA: markers, fences, cache control, counters, fixed-point functions. Each of
 * them is a barrier for the compiler, too. Operations of fences are constants.
 */
#ifndef DPAINTRIN_H
#define DPAINTRIN_H

#include <stdint.h>

/* What the host calls or launches, and the types it passes. They travel as declaration tags. */
#define __dpa_global__ __attribute__((btf_decl_tag("dpa_global")))
#define __dpa_rpc__ __attribute__((btf_decl_tag("dpa_rpc")))

/* Spaces. */
#define __DPA_HEAP 1
#define __DPA_MEMORY 2
#define __DPA_MMIO 3
#define __DPA_SYSTEM 4

/* Operations before and after a fence. */
#define __DPA_R 1
#define __DPA_W 2
#define __DPA_RW 3

/* The bits of a fence instruction: of a space, those of reads and writes. */
#define __dpa_read_write(op) ((((op) & __DPA_R) << 1) | (((op) & __DPA_W) >> 1))
#define __dpa_fence_bits(space, op)                                                                \
    ((space) == __DPA_MEMORY ? __dpa_read_write(op)                                                \
                             : __dpa_read_write(op) << 2 | ((space) == __DPA_SYSTEM ? __dpa_read_write(op) : 0))

#define __dpa_thread_fence(space, before, after)                                                   \
    do {                                                                                           \
        if ((space) == __DPA_HEAP) {                                                               \
            __asm__ volatile(".insn i 0x0B, 1, x0, x0, %0" : : "i"((before) * 4 + (after)) : "memory"); \
        } else {                                                                                   \
            __asm__ volatile(".insn i 0x0F, 0, x0, x0, %0"                                         \
                             :                                                                     \
                             : "i"(__dpa_fence_bits(space, before) << 4 | __dpa_fence_bits(space, after)) \
                             : "memory");                                                          \
        }                                                                                          \
    } while (0)

#define __dpa_thread_system_fence() __dpa_thread_fence(__DPA_SYSTEM, __DPA_RW, __DPA_RW)
#define __dpa_thread_memory_fence(before, after) __dpa_thread_fence(__DPA_MEMORY, before, after)
#define __dpa_thread_window_fence(before, after) __dpa_thread_fence(__DPA_MMIO, before, after)
#define __dpa_thread_outbox_fence(before, after) __dpa_thread_fence(__DPA_MMIO, before, after)

static inline __attribute__((always_inline)) void __dpa_thread_memory_writeback(void)
{
    __asm__ volatile(".insn i 0x0B, 2, x0, x0, 1" : : : "memory");
}

static inline __attribute__((always_inline)) void __dpa_thread_writeback_memory(void)
{
    __dpa_thread_memory_writeback();
}

static inline __attribute__((always_inline)) void __dpa_thread_window_writeback(void)
{
    __asm__ volatile(".insn i 0x0B, 2, x0, x0, 2" : : : "memory");
}

static inline __attribute__((always_inline)) void __dpa_thread_window_read_inv(void)
{
    __asm__ volatile(".insn i 0x0B, 2, x0, x0, 3" : : : "memory");
}

static inline __attribute__((always_inline)) void __dpa_compiler_barrier(void)
{
    __asm__ volatile("" : : : "memory");
}

/* A hint that what lies there is not needed any more; it has no effect. */
static inline __attribute__((always_inline)) void __dpa_data_ignore(const void *address)
{
    (void)address;
}

static inline __attribute__((always_inline)) uint64_t __dpa_thread_cycles(void)
{
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value) : : "memory");
    return value;
}

static inline __attribute__((always_inline)) uint64_t __dpa_thread_time(void)
{
    uint64_t value;
    __asm__ volatile("rdtime %0" : "=r"(value) : : "memory");
    return value;
}

static inline __attribute__((always_inline)) uint64_t __dpa_thread_inst_ret(void)
{
    uint64_t value;
    __asm__ volatile("rdinstret %0" : "=r"(value) : : "memory");
    return value;
}

static inline __attribute__((always_inline)) int __dpa_fxp_log2(unsigned int operand)
{
    int result;
    __asm__ volatile(".insn r 0x2B, 0, 0, %0, %1, x0" : "=r"(result) : "r"(operand));
    return result;
}

static inline __attribute__((always_inline)) int __dpa_fxp_rcp(int operand)
{
    int result;
    __asm__ volatile(".insn r 0x2B, 0, 1, %0, %1, x0" : "=r"(result) : "r"(operand));
    return result;
}

static inline __attribute__((always_inline)) int __dpa_fxp_pow2(int operand)
{
    int result;
    __asm__ volatile(".insn r 0x2B, 0, 2, %0, %1, x0" : "=r"(result) : "r"(operand));
    return result;
}

#endif
