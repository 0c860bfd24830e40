/* The program "printer" in C, as far as it is used in both forms. */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_err.h>
#include <libflexio-libc/inttypes.h>
#include <libflexio-libc/stdio.h>

__dpa_rpc__ uint64_t print(int stream, const char *text)
{
    flexio_dev_msg_dflt(FLEXIO_MSG_DEV_ALWAYS_PRINT, "%d of %s is %#06x", -3, text, 0xABC);
    flexio_dev_msg_err(stream, "error");
    flexio_dev_msg_info(stream, "info %" PRIu64, (uint64_t)-1);
    flexio_dev_msg_dbg(stream, "debug");
    flexio_dev_msg_broadcast(FLEXIO_MSG_DEV_WARN, "to all");
    return 5;
}

/* Formats of every kind, to the default stream, whose level is that of information. */
__dpa_rpc__ uint64_t formats(const char *text)
{
    printf("%s %c %5d|%-5d|%05d %% %lx %p", text, 'c', 1, 2, 3, 1ul << 40, text);
    printf("%u %u %u %u %u %u %u %u %u", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    printf("%*d|%-*d|%.*s|%.*s", 4, 1, 4, 2, 2, text, -1, text);
    puts("100 % sure");
    flexio_dev_print("told");
    flexio_dev_msg_dflt(FLEXIO_MSG_DEV_DEBUG, "not told");
    flexio_dev_msg_dflt(FLEXIO_MSG_DEV_NO_PRINT, "nor this");
    return (uint64_t)flexio_dev_puts(0, text);
}

__dpa_rpc__ uint64_t fail(int code)
{
    flexio_dev_error((uint8_t)code);
}

__dpa_rpc__ uint64_t finish(void)
{
    flexio_dev_process_finish();
}

__dpa_rpc__ uint64_t increment(int window, int key, uint64_t word)
{
    struct flexio_dev_thread_ctx *own;
    flexio_uintptr_t address;
    flexio_dev_get_thread_ctx(&own);
    flexio_dev_rst_errno(own);
    if (flexio_dev_window_config(own, window, key) != FLEXIO_DEV_STATUS_SUCCESS) {
        uint64_t refused = flexio_dev_get_errno(own);
        uint64_t latest = flexio_dev_get_and_rst_errno(own);
        return latest == refused && flexio_dev_get_errno(own) == 0 ? -latest : (uint64_t)-1;
    }
    flexio_dev_window_ptr_acquire(own, word, &address);
    uint64_t before = (*(volatile uint64_t *)address)++;
    __dpa_thread_window_writeback();
    return before;
}

__dpa_rpc__ uint64_t copyThere(int window, int key, uint64_t to, const void *from, int bytes)
{
    struct flexio_dev_thread_ctx *own;
    flexio_dev_get_thread_ctx(&own);
    if (flexio_dev_window_config(own, window, key) != FLEXIO_DEV_STATUS_SUCCESS) {
        return flexio_dev_get_errno(own);
    }
    return flexio_dev_window_copy_to_host(own, to, from, bytes);
}

__dpa_rpc__ uint64_t copyBack(void *to, uint64_t from, int bytes)
{
    return flexio_dev_window_copy_from_host(FLEXIO_DEV_WINDOW_ENTITY_0, to, from, bytes)
            + flexio_dev_window_copy_from_host(FLEXIO_DEV_WINDOW_ENTITY_1, 0, 0, bytes)
            - FLEXIO_DEV_STATUS_FAILED;
}

__dpa_rpc__ uint64_t incrementAgain(uint64_t word)
{
    flexio_uintptr_t address;
    __dpa_thread_window_read_inv();
    flexio_dev_window_ptr_acquire(FLEXIO_DEV_WINDOW_ENTITY_0, word, &address);
    uint64_t before = (*(volatile uint64_t *)address)++;
    __dpa_thread_window_writeback();
    return before;
}
