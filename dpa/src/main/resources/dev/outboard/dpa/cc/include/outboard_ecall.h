/*
 * Environment calls of a device program, ABI version 1: the number in a7, arguments in a0 to a6, a
 * result in a0. This is the one table of their numbers.
 */
#ifndef OUTBOARD_ECALL_H
#define OUTBOARD_ECALL_H

#include <stdint.h>

enum outboard_ecall {
    OUTBOARD_THREAD_RESCHEDULE = 0x01,
    OUTBOARD_THREAD_FINISH = 0x02,
    OUTBOARD_THREAD_RETRIGGER = 0x03,
    OUTBOARD_PROCESS_FINISH = 0x04,
    OUTBOARD_YIELD = 0x05,
    /* (code) */
    OUTBOARD_ERROR = 0x06,
    /* (outbox) -> whether there is one */
    OUTBOARD_OUTBOX_CONFIG = 0x10,
    /* (outbox) */
    OUTBOARD_OUTBOX_CONFIG_FAST = 0x11,
    /* (outbox, uar) -> whether there are both */
    OUTBOARD_OUTBOX_CONFIG_UAR = 0x12,
    /* (window, key) -> whether the process has them */
    OUTBOARD_WINDOW_CONFIG = 0x20,
    /* (key) -> whether the process has it */
    OUTBOARD_WINDOW_KEY_CONFIG = 0x21,
    /* (stream, level, format, arguments, count) */
    OUTBOARD_MESSAGE = 0x30,
    OUTBOARD_THREAD_NUMBER = 0x40,
    OUTBOARD_THREAD_LOCAL_STORAGE = 0x41,
    OUTBOARD_ERRNO = 0x42,
    OUTBOARD_RESET_ERRNO = 0x43
};

static inline __attribute__((always_inline)) int64_t outboard_ecall5(
        int64_t number, int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t fifth)
{
    register int64_t a0 __asm__("a0") = first;
    register int64_t a1 __asm__("a1") = second;
    register int64_t a2 __asm__("a2") = third;
    register int64_t a3 __asm__("a3") = fourth;
    register int64_t a4 __asm__("a4") = fifth;
    register int64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7) : "memory");
    return a0;
}

static inline __attribute__((always_inline)) int64_t outboard_ecall2(
        int64_t number, int64_t first, int64_t second)
{
    register int64_t a0 __asm__("a0") = first;
    register int64_t a1 __asm__("a1") = second;
    register int64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a7) : "memory");
    return a0;
}

static inline __attribute__((always_inline)) int64_t outboard_ecall0(int64_t number)
{
    register int64_t a0 __asm__("a0");
    register int64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "=r"(a0) : "r"(a7) : "memory");
    return a0;
}

#endif
