/* Copies 64 KiB, byte by byte. */
#include "works.h"

enum { BYTES = 64 << 10 };
static uint8_t from[BYTES];
static uint8_t to[BYTES];

uint64_t copy(void)
{
    from[BYTES - 1]++;
    for (uint64_t i = 0; i < BYTES; i++) {
        /* Else compilers make a call of memcpy of the loop. */
        __asm__ volatile("" : "+r"(i));
        to[i] = from[i];
    }
    return to[BYTES - 1];
}
