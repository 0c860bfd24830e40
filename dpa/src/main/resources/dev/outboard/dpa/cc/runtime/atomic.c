/*
 * Atomics on 1 and 2 bytes, which no instruction has: on the word of 4 bytes that they lie in, whose
 * other bytes stay as they are. All are in one order with all others, whatever order is asked for.
 */
#include <stdint.h>

#define WORD(address) ((volatile uint32_t *)((uintptr_t)(address) & ~(uintptr_t)3))
#define SHIFT(address) (((uintptr_t)(address) & 3) * 8)

/* What becomes of a value and an operand. */
typedef uint32_t operation(uint32_t value, uint32_t operand);

static uint32_t exchange(uint32_t value, uint32_t operand)
{
    (void)value;
    return operand;
}

static uint32_t add(uint32_t value, uint32_t operand)
{
    return value + operand;
}

static uint32_t sub(uint32_t value, uint32_t operand)
{
    return value - operand;
}

static uint32_t and(uint32_t value, uint32_t operand)
{
    return value & operand;
}

static uint32_t or(uint32_t value, uint32_t operand)
{
    return value | operand;
}

static uint32_t xor(uint32_t value, uint32_t operand)
{
    return value ^ operand;
}

static uint32_t nand(uint32_t value, uint32_t operand)
{
    return ~(value & operand);
}

static inline __attribute__((always_inline)) uint32_t change(
        volatile void *address, uint32_t operand, uint32_t mask, operation *operation)
{
    volatile uint32_t *word = WORD(address);
    int shift = SHIFT(address);
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    uint32_t next;
    do {
        uint32_t changed = operation(seen >> shift & mask, operand) & mask;
        next = (seen & ~(mask << shift)) | changed << shift;
    } while (!__atomic_compare_exchange_n(word, &seen, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return seen >> shift & mask;
}

static inline __attribute__((always_inline)) _Bool swap(
        volatile void *address, uint32_t expected, uint32_t desired, uint32_t mask, uint32_t *found)
{
    volatile uint32_t *word = WORD(address);
    int shift = SHIFT(address);
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    do {
        *found = seen >> shift & mask;
        if (*found != expected) {
            __atomic_thread_fence(__ATOMIC_SEQ_CST);
            return 0;
        }
    } while (!__atomic_compare_exchange_n(word, &seen, (seen & ~(mask << shift)) | desired << shift,
                                          0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return 1;
}

#define CHANGE(bytes, type, mask, name, operation)                                                 \
    type outboard_##name##_##bytes(volatile void *address, type operand, int order)                \
            __asm__("__atomic_" #name "_" #bytes);                                                 \
    type outboard_##name##_##bytes(volatile void *address, type operand, int order)                \
    {                                                                                              \
        (void)order;                                                                               \
        return (type)change(address, operand, mask, operation);                                    \
    }

#define ATOMICS(bytes, type, mask)                                                                 \
    CHANGE(bytes, type, mask, exchange, exchange)                                                  \
    CHANGE(bytes, type, mask, fetch_add, add)                                                      \
    CHANGE(bytes, type, mask, fetch_sub, sub)                                                      \
    CHANGE(bytes, type, mask, fetch_and, and)                                                      \
    CHANGE(bytes, type, mask, fetch_or, or)                                                        \
    CHANGE(bytes, type, mask, fetch_xor, xor)                                                      \
    CHANGE(bytes, type, mask, fetch_nand, nand)                                                    \
    type outboard_load_##bytes(const volatile void *address, int order)                            \
            __asm__("__atomic_load_" #bytes);                                                      \
    type outboard_load_##bytes(const volatile void *address, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n((const volatile type *)address, __ATOMIC_SEQ_CST);                  \
    }                                                                                              \
    void outboard_store_##bytes(volatile void *address, type value, int order)                     \
            __asm__("__atomic_store_" #bytes);                                                     \
    void outboard_store_##bytes(volatile void *address, type value, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n((volatile type *)address, value, __ATOMIC_SEQ_CST);                       \
    }                                                                                              \
    _Bool outboard_compare_exchange_##bytes(                                                       \
            volatile void *address, void *expected, type desired, int success, int failure)        \
            __asm__("__atomic_compare_exchange_" #bytes);                                          \
    _Bool outboard_compare_exchange_##bytes(                                                       \
            volatile void *address, void *expected, type desired, int success, int failure)        \
    {                                                                                              \
        uint32_t found;                                                                            \
        (void)success;                                                                             \
        (void)failure;                                                                             \
        _Bool swapped = swap(address, *(type *)expected, desired, mask, &found);                   \
        *(type *)expected = (type)found;                                                           \
        return swapped;                                                                            \
    }

ATOMICS(1, uint8_t, 0xFFu)
ATOMICS(2, uint16_t, 0xFFFFu)
