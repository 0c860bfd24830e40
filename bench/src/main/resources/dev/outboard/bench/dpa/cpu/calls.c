/* Fibonacci's 22nd number by calls alone. */
#include "works.h"

__attribute__((noinline)) static uint64_t fibonacci(uint64_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

uint64_t calls(void)
{
    return fibonacci(22);
}
