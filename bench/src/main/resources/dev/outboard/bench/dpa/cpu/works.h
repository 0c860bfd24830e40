/* The works of `outboard bench dpa --work cpu`: each does the same again in every round and returns
 * a sum of what it has computed. */
#include <stdint.h>

uint64_t crc(void);
uint64_t sieve(void);
uint64_t matrix(void);
uint64_t calls(void);
uint64_t copy(void);
uint64_t hash(void);
