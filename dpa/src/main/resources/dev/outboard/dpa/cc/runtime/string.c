/* What compilers call, and what string.h promises. */
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((((size_t)t ^ (size_t)f) & 7) == 0) {
        while (bytes > 0 && ((size_t)t & 7) != 0) {
            *t++ = *f++;
            bytes--;
        }
        while (bytes >= 8) {
            *(unsigned long *)t = *(const unsigned long *)f;
            t += 8;
            f += 8;
            bytes -= 8;
        }
    }
    while (bytes > 0) {
        *t++ = *f++;
        bytes--;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t <= f || t >= f + bytes) {
        return memcpy(to, from, bytes);
    }
    while (bytes > 0) {
        bytes--;
        t[bytes] = f[bytes];
    }
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    unsigned char *t = to;
    unsigned long word = (unsigned char)value * 0x0101010101010101UL;
    while (bytes > 0 && ((size_t)t & 7) != 0) {
        *t++ = (unsigned char)value;
        bytes--;
    }
    while (bytes >= 8) {
        *(unsigned long *)t = word;
        t += 8;
        bytes -= 8;
    }
    while (bytes > 0) {
        *t++ = (unsigned char)value;
        bytes--;
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t bytes)
{
    const unsigned char *l = left;
    const unsigned char *r = right;
    for (size_t i = 0; i < bytes; i++) {
        if (l[i] != r[i]) {
            return l[i] - r[i];
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

int strcmp(const char *left, const char *right)
{
    while (*left != 0 && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

int strncmp(const char *left, const char *right, size_t most)
{
    for (; most > 0; most--, left++, right++) {
        if (*left != *right || *left == 0) {
            return (unsigned char)*left - (unsigned char)*right;
        }
    }
    return 0;
}

char *strncpy(char *restrict to, const char *restrict from, size_t bytes)
{
    size_t i = 0;
    for (; i < bytes && from[i] != 0; i++) {
        to[i] = from[i];
    }
    for (; i < bytes; i++) {
        to[i] = 0;
    }
    return to;
}
