/* Calls the environment with whatever it is given. */
#include <doca_dpa_dev.h>

__dpa_rpc__ uint64_t attack(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                            uint64_t g, uint64_t number)
{
    return outboard_ecall7(number, a, b, c, d, e, f, g);
}
