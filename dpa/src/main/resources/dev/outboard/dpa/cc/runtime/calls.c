/* What device code calls of FlexIO, DOCA DPA and stdio.h that is too long to be inline. */
#include <doca_dpa_dev.h>
#include <libflexio-dev/flexio_dev.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_one_of(char character, const char *those)
{
    for (; *those != 0; those++) {
        if (*those == character) {
            return 1;
        }
    }
    return 0;
}

/* How many arguments a format asks for: each has a word of its own. */
static int count(const char *format)
{
    int arguments = 0;
    while (*format != 0) {
        if (*format++ != '%') {
            continue;
        }
        for (; is_one_of(*format, "-+ #0123456789.*hlzjt"); format++) {
            arguments += *format == '*';
        }
        if (*format != 0) {
            arguments += is_one_of(*format, "diuxXocsp");
            format++;
        }
    }
    return arguments;
}

static void message(int stream, int level, const char *format, va_list arguments)
{
    if (level != FLEXIO_MSG_DEV_NO_PRINT) {
        outboard_ecall5(OUTBOARD_MESSAGE, stream, level, (int64_t)format, (int64_t)arguments,
                        count(format));
    }
}

int flexio_dev_msg(int stream_id, flexio_msg_dev_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message(stream_id, level, format, arguments);
    va_end(arguments);
    return 0;
}

void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outboard_ecall5(OUTBOARD_DOCA_LOG, log_level, (int64_t)format, (int64_t)arguments,
                    count(format), 0);
    va_end(arguments);
}

int vprintf(const char *format, va_list arguments)
{
    message(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, FLEXIO_MSG_DEV_ALWAYS_PRINT, format, arguments);
    return 0;
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    return 0;
}

int puts(const char *text)
{
    flexio_dev_msg_dflt(FLEXIO_MSG_DEV_ALWAYS_PRINT, "%s", text);
    return 0;
}

int flexio_dev_puts(struct flexio_dev_thread_ctx *context, const char *text)
{
    (void)context;
    puts(text);
    return (int)strlen(text);
}

void outboard_copy_to_host(uint64_t host_address, const void *from, uint64_t bytes)
{
    memcpy((void *)(outboard_thread()->window_base | host_address), from, bytes);
    __dpa_thread_window_writeback();
}

void outboard_copy_from_host(void *to, uint64_t host_address, uint64_t bytes)
{
    __dpa_thread_window_read_inv();
    memcpy(to, (const void *)(outboard_thread()->window_base | host_address), bytes);
}
