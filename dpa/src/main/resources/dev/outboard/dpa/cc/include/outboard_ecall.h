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
    /* (lock): waits for it */
    OUTBOARD_SPIN_LOCK = 0x07,
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
    OUTBOARD_RESET_ERRNO = 0x43,

    /* DOCA DPA: the thread. */
    OUTBOARD_DOCA_THREAD_RANK = 0x100,
    OUTBOARD_DOCA_NUM_THREADS = 0x101,
    OUTBOARD_DOCA_YIELD = 0x102,
    OUTBOARD_DOCA_RESCHEDULE = 0x103,
    OUTBOARD_DOCA_FINISH = 0x104,
    OUTBOARD_DOCA_LOCAL_STORAGE = 0x105,
    /* (context) */
    OUTBOARD_DOCA_DEVICE_SET = 0x106,
    /* (notification) */
    OUTBOARD_DOCA_NOTIFY = 0x107,
    /* (level, format, arguments, count) */
    OUTBOARD_DOCA_LOG = 0x108,
    /* (five words) */
    OUTBOARD_DOCA_TRACE = 0x109,

    /* Hash tables. */
    /* (table, key, value) */
    OUTBOARD_DOCA_HASH_ADD = 0x110,
    /* (table, key) */
    OUTBOARD_DOCA_HASH_REMOVE = 0x111,
    /* (table, key, to) -> whether it is there */
    OUTBOARD_DOCA_HASH_FIND = 0x112,

    /* Completions. */
    /* (context) -> element, or 0 */
    OUTBOARD_DOCA_COMPLETION_NEXT = 0x120,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_TYPE = 0x121,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_USER_DATA = 0x122,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_IMMEDIATE = 0x123,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_BYTES = 0x124,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_COUNTER = 0x125,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_QUEUE = 0x126,
    /* (element) */
    OUTBOARD_DOCA_COMPLETION_SYNDROME = 0x127,
    /* (context, count) */
    OUTBOARD_DOCA_COMPLETION_ACK = 0x128,
    /* (context) */
    OUTBOARD_DOCA_COMPLETION_REQUEST = 0x129,

    /* Buffers and copies. */
    /* (array, index) -> buffer */
    OUTBOARD_DOCA_BUF = 0x140,
    /* (buffer) */
    OUTBOARD_DOCA_BUF_ADDRESS = 0x141,
    /* (buffer) */
    OUTBOARD_DOCA_BUF_LENGTH = 0x142,
    /* (buffer, offset) */
    OUTBOARD_DOCA_BUF_POINTER = 0x143,
    /* (mmap, address) */
    OUTBOARD_DOCA_MMAP_POINTER = 0x144,
    /* (to, offset, from, offset, length) */
    OUTBOARD_DOCA_COPY_BEGIN = 0x145,
    /* (to, offset, from, offset, length, element bytes, columns and rows of 16 bits each) */
    OUTBOARD_DOCA_TRANSPOSE_BEGIN = 0x146,
    OUTBOARD_DOCA_COPIES_AWAIT = 0x147,
    /* (queue, mmap, to, mmap, from, length, flags) */
    OUTBOARD_DOCA_COPY_POST = 0x148,
    /* (queue, to, from, flags) */
    OUTBOARD_DOCA_BUF_COPY_POST = 0x149,

    /* Sync events. */
    /* (event) */
    OUTBOARD_DOCA_EVENT_GET = 0x160,
    /* (event, value) */
    OUTBOARD_DOCA_EVENT_SET = 0x161,
    /* (event, value) */
    OUTBOARD_DOCA_EVENT_ADD = 0x162,
    /* (event, value, mask) */
    OUTBOARD_DOCA_EVENT_WAIT = 0x163,
    /* (queue, event, value) */
    OUTBOARD_DOCA_EVENT_POST_GREATER = 0x164,
    /* (queue, event, value) */
    OUTBOARD_DOCA_EVENT_POST_OTHER = 0x165,

    /*
     * RDMA. A way is flags in the upper half of the word and a connection in the lower; mmaps are a
     * target in the upper half and a source in the lower.
     */
    /* (rdma, way, mmaps, to, from, length) */
    OUTBOARD_DOCA_RDMA_WRITE = 0x180,
    /* (rdma, way, mmaps, to, from, length, immediate) */
    OUTBOARD_DOCA_RDMA_WRITE_IMMEDIATE = 0x181,
    /* (rdma, way, mmaps, to, from, length) */
    OUTBOARD_DOCA_RDMA_READ = 0x182,
    /* (rdma, way, mmap, from, length) */
    OUTBOARD_DOCA_RDMA_SEND = 0x183,
    /* (rdma, way, mmap, from, length, immediate) */
    OUTBOARD_DOCA_RDMA_SEND_IMMEDIATE = 0x184,
    /* (rdma, mmap, to, length) */
    OUTBOARD_DOCA_RDMA_RECEIVE = 0x185,
    /* (rdma, way, mmap, to, value) */
    OUTBOARD_DOCA_RDMA_ADD = 0x186,
    /* (rdma, connection, event, value) */
    OUTBOARD_DOCA_RDMA_SIGNAL_SET = 0x187,
    /* (rdma, connection, event, value) */
    OUTBOARD_DOCA_RDMA_SIGNAL_ADD = 0x188,
    /* (rdma) */
    OUTBOARD_DOCA_RDMA_AWAIT = 0x189,

    /* The same with buffers. */
    /* (rdma, way, to, from) */
    OUTBOARD_DOCA_RDMA_BUF_WRITE = 0x1A0,
    /* (rdma, way, to, from, immediate) */
    OUTBOARD_DOCA_RDMA_BUF_WRITE_IMMEDIATE = 0x1A1,
    /* (rdma, way, to, from) */
    OUTBOARD_DOCA_RDMA_BUF_READ = 0x1A2,
    /* (rdma, way, from) */
    OUTBOARD_DOCA_RDMA_BUF_SEND = 0x1A3,
    /* (rdma, way, from, immediate) */
    OUTBOARD_DOCA_RDMA_BUF_SEND_IMMEDIATE = 0x1A4,
    /* (rdma, to) */
    OUTBOARD_DOCA_RDMA_BUF_RECEIVE = 0x1A5,
    /* (rdma, way, to, value) */
    OUTBOARD_DOCA_RDMA_BUF_ADD = 0x1A6,

    /* And with parts of them, on connection 0. */
    /* (rdma, to, offset, from, offset, length) */
    OUTBOARD_DOCA_RDMA_PART_WRITE = 0x1B0,
    /* (rdma, to, offset, from, offset, length) */
    OUTBOARD_DOCA_RDMA_PART_READ = 0x1B1,
    /* (rdma, from, offset, length) */
    OUTBOARD_DOCA_RDMA_PART_SEND = 0x1B2,
    /* (rdma, to, offset, length) */
    OUTBOARD_DOCA_RDMA_PART_RECEIVE = 0x1B3,
    /* (rdma, to, offset, value) */
    OUTBOARD_DOCA_RDMA_PART_ADD = 0x1B4,

    /* From here on: of what runs the program, see its own headers. */
    OUTBOARD_OTHERS = 0x1000
};

static inline __attribute__((always_inline)) int64_t outboard_ecall7(
        int64_t number, int64_t first, int64_t second, int64_t third, int64_t fourth, int64_t fifth,
        int64_t sixth, int64_t seventh)
{
    register int64_t a0 __asm__("a0") = first;
    register int64_t a1 __asm__("a1") = second;
    register int64_t a2 __asm__("a2") = third;
    register int64_t a3 __asm__("a3") = fourth;
    register int64_t a4 __asm__("a4") = fifth;
    register int64_t a5 __asm__("a5") = sixth;
    register int64_t a6 __asm__("a6") = seventh;
    register int64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7)
                     : "memory");
    return a0;
}

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

static inline __attribute__((always_inline)) int64_t outboard_ecall3(
        int64_t number, int64_t first, int64_t second, int64_t third)
{
    register int64_t a0 __asm__("a0") = first;
    register int64_t a1 __asm__("a1") = second;
    register int64_t a2 __asm__("a2") = third;
    register int64_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
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
