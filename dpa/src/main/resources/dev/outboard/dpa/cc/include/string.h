/* Bytes and texts in memory of the DPA. */
#ifndef OUTBOARD_STRING_H
#define OUTBOARD_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t most);
char *strncpy(char *restrict to, const char *restrict from, size_t bytes);

#endif
