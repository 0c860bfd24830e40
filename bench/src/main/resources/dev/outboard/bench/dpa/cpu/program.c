/* The works as functions of a DPA; and the same program as one of Linux, which measures itself:
 * `program NUMBER MILLIS` prints rounds and nanoseconds. */
#include "works.h"

#ifdef __riscv
#include <dpaintrin.h>
#else
#define __dpa_rpc__
#endif

__dpa_rpc__ uint64_t work(uint64_t number, uint64_t rounds)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        switch (number) {
        case 0: sum += crc(); break;
        case 1: sum += sieve(); break;
        case 2: sum += matrix(); break;
        case 3: sum += calls(); break;
        case 4: sum += copy(); break;
        default: sum += hash(); break;
        }
    }
    return sum;
}

#ifdef __riscv
__dpa_rpc__ uint64_t instructions(uint64_t number)
{
    uint64_t before, after;
    work(number, 1);
    __asm__ volatile("rdinstret %0" : "=r"(before));
    work(number, 1);
    __asm__ volatile("rdinstret %0" : "=r"(after));
    return after - before;
}

__dpa_rpc__ uint64_t nothing(uint64_t argument)
{
    return argument;
}

enum { WRITE = 64, EXIT = 93, CLOCK_GETTIME = 113, MONOTONIC = 1 };

static long call(long number, long first, long second, long third)
{
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static uint64_t now(void)
{
    uint64_t time[2];
    call(CLOCK_GETTIME, MONOTONIC, (long)time, 0);
    return time[0] * 1000000000 + time[1];
}

static void print(uint64_t value)
{
    char text[24];
    int at = sizeof(text);
    text[--at] = '\n';
    do {
        text[--at] = '0' + value % 10;
        value /= 10;
    } while (value);
    call(WRITE, 1, (long)&text[at], sizeof(text) - at);
}
#else
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void print(uint64_t value)
{
    printf("%" PRIu64 "\n", value);
}
#endif

static uint64_t number_of(const char *text)
{
    uint64_t value = 0;
    for (; *text; text++) {
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value;
}

static void measure(const char *number, const char *millis)
{
    uint64_t rounds = 0;
    uint64_t nanos = number_of(millis) * 1000000;
    uint64_t begin;
    uint64_t end;
    work(number_of(number), 16);
    begin = now();
    do {
        work(number_of(number), 16);
        rounds += 16;
        end = now();
    } while (end - begin < nanos);
    print(rounds);
    print(end - begin);
}

#ifdef __riscv
__attribute__((used)) void linux_main(const uint64_t *stack)
{
    measure((const char *)stack[2], (const char *)stack[3]);
    call(EXIT, 0, 0, 0);
}

__asm__(".globl linux_start\n"
        "linux_start:\n"
        "    mv a0, sp\n"
        "    andi sp, sp, -16\n"
        "    call linux_main\n");
#else
int main(int count, char **arguments)
{
    (void)count;
    measure(arguments[1], arguments[2]);
    return 0;
}
#endif
