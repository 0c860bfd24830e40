/*
 * Text for people: messages of the default stream. The host makes the text; what these give back is
 * not how long it became, but 0.
 */
#ifndef OUTBOARD_STDIO_H
#define OUTBOARD_STDIO_H

#include <stdarg.h>
#include <stddef.h>

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
int puts(const char *text);

#endif
