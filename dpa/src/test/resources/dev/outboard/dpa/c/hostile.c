/* What nobody should write: each function ends its process. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdio.h>

static uint64_t small = 5;
static volatile uint64_t sink;

__dpa_rpc__ uint64_t spin(void)
{
    for (;;) {
        sink++;
    }
}

__dpa_rpc__ uint64_t spin_in_registers(void)
{
    for (;;) {
        __asm__ volatile("");
    }
}

__dpa_rpc__ uint64_t huge_frame(void)
{
    volatile char room[1 << 20];
    for (unsigned i = 0; i < sizeof(room); i += 4096) {
        room[i] = 1;
    }
    return (uint64_t)room[0];
}

__dpa_rpc__ uint64_t frame_of_a_stack(void)
{
    volatile char room[8 << 10];
    for (int i = (int)sizeof(room) - 1; i >= 0; i--) {
        room[i] = 1;
    }
    return (uint64_t)room[0];
}

static __attribute__((noinline)) uint64_t deeper(volatile uint64_t *above)
{
    volatile uint64_t room[8];
    room[*above % 8] = *above + 1;
    return deeper(&room[*above % 8]) + room[0];
}

__dpa_rpc__ uint64_t deep(void)
{
    volatile uint64_t depth = 0;
    return deeper(&depth);
}

static uint64_t odd(uint64_t (*other)(void *), void *self)
{
    return 1 + other(self);
}

static __attribute__((noinline)) uint64_t even(void *self)
{
    return 1 + odd((uint64_t (*)(void *))self, self);
}

__dpa_rpc__ uint64_t mutual(void)
{
    return even((void *)even);
}

__dpa_rpc__ uint64_t sweep_up(void)
{
    for (volatile uint64_t *word = &small;; word++) {
        *word = ~0ul;
    }
}

__dpa_rpc__ uint64_t sweep_down(void)
{
    for (volatile uint64_t *word = &small;; word--) {
        *word = ~0ul;
    }
}

__dpa_rpc__ uint64_t sweep_heap(uint64_t from)
{
    for (volatile char *byte = (volatile char *)from;; byte++) {
        *byte = -1;
    }
}

__dpa_rpc__ uint64_t wild(uint64_t address)
{
    *(volatile uint64_t *)address = ~0ul;
    return 0;
}

__dpa_rpc__ uint64_t jump(uint64_t address)
{
    return ((uint64_t (*)(void))address)();
}

/* Into the middle of the one instruction of this function. */
static __attribute__((naked)) uint64_t halves(void)
{
    __asm__("lui a0, 0x00000");
}

__dpa_rpc__ uint64_t middle(void)
{
    volatile uint64_t at = (uint64_t)&halves;
    return ((uint64_t (*)(void))(at + 2))();
}

__dpa_rpc__ uint64_t ones(void)
{
    __asm__ volatile(".word 0xffffffff");
    return 0;
}

__dpa_rpc__ uint64_t atomics(uint64_t address)
{
    return __atomic_fetch_add((uint64_t *)address, 1, __ATOMIC_SEQ_CST);
}

/* Prints for ever what has no end, with numbers of all widths. */
__dpa_rpc__ uint64_t chatter(uint64_t address)
{
    for (;;) {
        flexio_dev_print("%2147483647d %.2147483647d %*d %99999999999x %s\n", 1, 2, 2147483647, 3, 4,
                         (const char *)address);
    }
}

__dpa_rpc__ uint64_t format(uint64_t address)
{
    flexio_dev_print((const char *)address, 1);
    return 0;
}
