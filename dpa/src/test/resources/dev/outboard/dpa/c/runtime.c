/* What the runtime gives to every program. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/string.h>
#include <outboard_ecall.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

wide __multi3(wide, wide);
wide __ashlti3(wide, int);
wide __ashrti3(wide, int);
wide __lshrti3(wide, int);
wide __muloti4(wide, wide, int *);
int __clzdi2(uint64_t);
int __ctzdi2(uint64_t);
int __popcountdi2(uint64_t);

struct __dpa_global__ pair {
    uint64_t low;
    uint64_t high;
};

static wide of(struct pair pair)
{
    return (wide)((unsigned_wide)pair.high << 64 | pair.low);
}

static void put(uint64_t *to, int at, wide value)
{
    to[2 * at] = (uint64_t)value;
    to[2 * at + 1] = (uint64_t)((unsigned_wide)value >> 64);
}

/* All that two numbers give, two words each. */
__dpa_rpc__ uint64_t arithmetic(struct pair left, struct pair right, uint64_t *to)
{
    wide a = of(left);
    wide b = of(right);
    int overflow;
    put(to, 0, a * b);
    put(to, 1, __multi3(a, b));
    put(to, 2, __muloti4(a, b, &overflow));
    put(to, 3, overflow);
    put(to, 4, b == 0 ? 0 : a / b);
    put(to, 5, b == 0 ? 0 : a % b);
    put(to, 6, b == 0 ? 0 : (wide)((unsigned_wide)a / (unsigned_wide)b));
    put(to, 7, b == 0 ? 0 : (wide)((unsigned_wide)a % (unsigned_wide)b));
    int count = (int)(right.low & 127);
    put(to, 8, __ashlti3(a, count));
    put(to, 9, __ashrti3(a, count));
    put(to, 10, __lshrti3(a, count));
    put(to, 11, (wide)((unsigned_wide)a << count));
    put(to, 12, __clzdi2(left.low) + 100 * __ctzdi2(left.low) + 10000 * __popcountdi2(left.low));
    return 13;
}

#define CALLS(bytes, type)                                                                         \
    type exchange_##bytes(volatile void *, type, int) __asm__("__atomic_exchange_" #bytes);        \
    type add_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_add_" #bytes);            \
    type sub_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_sub_" #bytes);            \
    type and_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_and_" #bytes);            \
    type or_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_or_" #bytes);              \
    type xor_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_xor_" #bytes);            \
    type nand_##bytes(volatile void *, type, int) __asm__("__atomic_fetch_nand_" #bytes);          \
    type load_##bytes(const volatile void *, int) __asm__("__atomic_load_" #bytes);                \
    void store_##bytes(volatile void *, type, int) __asm__("__atomic_store_" #bytes);              \
    _Bool swap_##bytes(volatile void *, void *, type, int, int)                                    \
            __asm__("__atomic_compare_exchange_" #bytes);                                          \
    /* One step on the value at an address; what it gives back. */                                 \
    __dpa_rpc__ uint64_t atomic_##bytes(uint64_t address, int step, type operand, type expected)   \
    {                                                                                              \
        volatile void *at = (volatile void *)address;                                              \
        type found = expected;                                                                     \
        switch (step) {                                                                            \
        case 0: return exchange_##bytes(at, operand, 5);                                           \
        case 1: return add_##bytes(at, operand, 5);                                                \
        case 2: return sub_##bytes(at, operand, 5);                                                \
        case 3: return and_##bytes(at, operand, 5);                                                \
        case 4: return or_##bytes(at, operand, 5);                                                 \
        case 5: return xor_##bytes(at, operand, 5);                                                \
        case 6: return nand_##bytes(at, operand, 5);                                               \
        case 7: return load_##bytes(at, 5);                                                        \
        case 8: store_##bytes(at, operand, 5); return 0;                                           \
        default: return swap_##bytes(at, &found, operand, 5, 5) ? 0x10000 : found;                 \
        }                                                                                          \
    }

CALLS(1, uint8_t)
CALLS(2, uint16_t)

/* Many threads add to neighbours in one word. */
__dpa_global__ void addMany(uint64_t address, int times)
{
    for (int i = 0; i < times; i++) {
        add_1((void *)address, 1, 5);
        __atomic_fetch_add((uint8_t *)address + 1, 3, __ATOMIC_RELAXED);
        add_2((void *)(address + 2), 1000, 5);
    }
}

static struct spinlock_s lock;
static volatile uint64_t total;

/* Many threads add under a lock. */
__dpa_global__ void countMany(int times)
{
    for (int i = 0; i < times; i++) {
        if (i % 2 == 0) {
            spin_lock(&lock);
        } else {
            while (spin_trylock(&lock) != 0) {
            }
        }
        total++;
        spin_unlock(&lock);
    }
}

/* How far they have counted, and that the lock can be taken once. */
__dpa_rpc__ uint64_t counted(void)
{
    int once = spin_trylock(&lock) == 0 && spin_trylock(&lock) != 0;
    spin_init(&lock);
    return once ? total : (uint64_t)-1;
}

__dpa_rpc__ uint64_t move(char *to, const char *from, uint64_t bytes)
{
    return memmove(to, from, bytes) == to;
}

__dpa_rpc__ uint64_t fill(char *to, int value, uint64_t bytes)
{
    return memset(to, value, bytes) == to;
}

__dpa_rpc__ uint64_t compare(const char *left, const char *right, uint64_t bytes)
{
    int all = memcmp(left, right, bytes);
    int text = strcmp(left, right);
    int begin = strncmp(left, right, bytes);
    return (all > 0) - (all < 0) + 2 + 10 * ((text > 0) - (text < 0) + 2)
            + 100 * ((begin > 0) - (begin < 0) + 2);
}

__dpa_rpc__ uint64_t copyText(char *to, const char *from, uint64_t bytes)
{
    strncpy(to, from, bytes);
    return strlen(from);
}

__dpa_rpc__ uint64_t calls(int64_t number)
{
    return (uint64_t)outboard_ecall0(number);
}

#if !defined(__DPA__) || !defined(__DPA_MAJOR__) || !defined(__DPA_MINOR__) || !defined(__DPA_PATCH__)
#error "no version"
#endif
#if __NV_DPA != __NV_DPA_BF3 || __NV_DPA_CX7 == __NV_DPA_BF3 || __NV_DPA >= __NV_DPA_CX8
#error "no architecture"
#endif
#if !defined(__riscv) || __riscv_xlen != 64 || defined(__riscv_flen)
#error "another machine"
#endif
