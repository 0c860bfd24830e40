/*
 * What compilers call for integers that the instructions have no word for: of 128 bits, and counts
 * of bits.
 */
#include <stdint.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

#define HIGH(value) ((uint64_t)((value) >> 64))
#define LOW(value) ((uint64_t)(value))

static unsigned_wide of(uint64_t high, uint64_t low)
{
    return (unsigned_wide)high << 64 | low;
}

/* The two words of a product of words, from those of their halves. */
static unsigned_wide product(uint64_t left, uint64_t right)
{
    uint64_t low = (left & 0xFFFFFFFF) * (right & 0xFFFFFFFF);
    uint64_t first = (left >> 32) * (right & 0xFFFFFFFF) + (low >> 32);
    uint64_t second = (left & 0xFFFFFFFF) * (right >> 32) + (first & 0xFFFFFFFF);
    uint64_t high = (left >> 32) * (right >> 32) + (first >> 32) + (second >> 32);
    return of(high, second << 32 | (low & 0xFFFFFFFF));
}

wide __multi3(wide left, wide right)
{
    unsigned_wide low = product(LOW(left), LOW(right));
    uint64_t high = HIGH(low) + HIGH(left) * LOW(right) + LOW(left) * HIGH(right);
    return (wide)of(high, LOW(low));
}

wide __ashlti3(wide value, int count)
{
    if (count == 0) {
        return value;
    }
    uint64_t low = LOW(value);
    return (wide)(count >= 64 ? of(low << (count - 64), 0)
                              : of(HIGH(value) << count | low >> (64 - count), low << count));
}

wide __lshrti3(wide value, int count)
{
    if (count == 0) {
        return value;
    }
    uint64_t high = HIGH(value);
    return (wide)(count >= 64 ? of(0, high >> (count - 64))
                              : of(high >> count, LOW(value) >> count | high << (64 - count)));
}

wide __ashrti3(wide value, int count)
{
    if (count == 0) {
        return value;
    }
    int64_t high = (int64_t)HIGH(value);
    return (wide)(count >= 64
                          ? of((uint64_t)(high >> 63), (uint64_t)(high >> (count - 64)))
                          : of((uint64_t)(high >> count),
                               LOW(value) >> count | (uint64_t)high << (64 - count)));
}

int __clzdi2(uint64_t value)
{
    int zeros = 0;
    for (uint64_t bit = 1ull << 63; bit != 0 && (value & bit) == 0; bit >>= 1) {
        zeros++;
    }
    return zeros;
}

int __ctzdi2(uint64_t value)
{
    return value == 0 ? 64 : 63 - __clzdi2(value & -value);
}

int __popcountdi2(uint64_t value)
{
    int ones = 0;
    for (; value != 0; value &= value - 1) {
        ones++;
    }
    return ones;
}

int __clzsi2(uint32_t value)
{
    return __clzdi2(value) - 32;
}

int __ctzsi2(uint32_t value)
{
    return value == 0 ? 32 : __ctzdi2(value);
}

int __popcountsi2(uint32_t value)
{
    return __popcountdi2(value);
}

/* By 0 as the instructions divide: all ones, and what was to be divided remains. */
unsigned_wide __udivmodti4(unsigned_wide dividend, unsigned_wide divisor, unsigned_wide *remainder)
{
    unsigned_wide quotient = 0;
    unsigned_wide rest = 0;
    if (divisor == 0) {
        quotient = ~quotient;
        rest = dividend;
    } else if (HIGH(dividend) == 0 && HIGH(divisor) == 0) {
        quotient = LOW(dividend) / LOW(divisor);
        rest = LOW(dividend) % LOW(divisor);
    } else {
        for (int bit = 127; bit >= 0; bit--) {
            int carry = (int)(HIGH(rest) >> 63);
            rest = rest << 1 | (LOW(dividend >> bit) & 1);
            if (carry != 0 || rest >= divisor) {
                rest -= divisor;
                quotient |= (unsigned_wide)1 << bit;
            }
        }
    }
    if (remainder != 0) {
        *remainder = rest;
    }
    return quotient;
}

unsigned_wide __udivti3(unsigned_wide dividend, unsigned_wide divisor)
{
    return __udivmodti4(dividend, divisor, 0);
}

unsigned_wide __umodti3(unsigned_wide dividend, unsigned_wide divisor)
{
    unsigned_wide remainder;
    __udivmodti4(dividend, divisor, &remainder);
    return remainder;
}

static unsigned_wide magnitude(wide value)
{
    return value < 0 ? -(unsigned_wide)value : (unsigned_wide)value;
}

wide __divti3(wide dividend, wide divisor)
{
    unsigned_wide quotient = __udivmodti4(magnitude(dividend), magnitude(divisor), 0);
    int negative = (dividend < 0) != (divisor < 0) && divisor != 0;
    return (wide)(negative ? -quotient : quotient);
}

wide __modti3(wide dividend, wide divisor)
{
    unsigned_wide remainder;
    __udivmodti4(magnitude(dividend), magnitude(divisor), &remainder);
    return (wide)(dividend < 0 ? -remainder : remainder);
}

/* Tells whether the product has more than 128 bits. */
wide __muloti4(wide left, wide right, int *overflow)
{
    wide result = __multi3(left, right);
    wide least = (wide)of(1ull << 63, 0);
    if (left == 0 || right == 0) {
        *overflow = 0;
    } else if ((left == -1 && right == least) || (right == -1 && left == least)) {
        *overflow = 1;
    } else {
        *overflow = __divti3(result, right) != left;
    }
    return result;
}
