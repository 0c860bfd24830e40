/* The primes below 64 Ki, by Eratosthenes. */
#include "works.h"

enum { NUMBERS = 64 << 10 };
static uint8_t composite[NUMBERS];

uint64_t sieve(void)
{
    uint64_t primes = 0;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        composite[i] = 0;
    }
    for (uint32_t i = 2; i < NUMBERS; i++) {
        if (composite[i] == 0) {
            primes++;
            for (uint32_t j = 2 * i; j < NUMBERS; j += i) {
                composite[j] = 1;
            }
        }
    }
    return primes;
}
