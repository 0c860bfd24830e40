/* The program "moves" in C, as far as it is used in both forms. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

__dpa_rpc__ uint64_t copy(
        doca_dpa_dev_buf_arr_t to, uint64_t to_offset, doca_dpa_dev_buf_arr_t from,
        uint64_t from_offset, uint64_t length)
{
    doca_dpa_dev_memcpy(doca_dpa_dev_buf_array_get_buf(to, 0), to_offset,
                        doca_dpa_dev_buf_array_get_buf(from, 0), from_offset, length);
    return 0;
}

__dpa_global__ void roundTrips(
        doca_dpa_dev_buf_arr_t heap, doca_dpa_dev_buf_arr_t host, uint64_t words, int each,
        doca_dpa_dev_sync_event_t done)
{
    unsigned int rank = doca_dpa_dev_thread_rank();
    volatile uint64_t *at = (volatile uint64_t *)words;
    for (unsigned int i = rank * each; i < (rank + 1) * each; i++) {
        at[2 * i] = i * 3;
        doca_dpa_dev_buf_t outside = doca_dpa_dev_buf_array_get_buf(host, i);
        doca_dpa_dev_buf_t inside = doca_dpa_dev_buf_array_get_buf(heap, i);
        doca_dpa_dev_memcpy_nb(outside, 0, inside, 0, 8);
        doca_dpa_dev_memcpy_nb(inside, 8, outside, 0, 8);
    }
    doca_dpa_dev_memcpy_synchronize();
    for (unsigned int i = rank * each; i < (rank + 1) * each; i++) {
        doca_dpa_dev_buf_t outside = doca_dpa_dev_buf_array_get_buf(host, i);
        volatile uint64_t *there =
                (volatile uint64_t *)doca_dpa_dev_buf_get_external_ptr(outside);
        if (at[2 * i + 1] == i * 3 && *there == i * 3) {
            doca_dpa_dev_sync_event_update_add(done, 1);
        }
    }
}

__dpa_rpc__ uint64_t transpose(
        doca_dpa_dev_buf_arr_t to, doca_dpa_dev_buf_arr_t from, int element_bytes, int columns,
        int rows)
{
    doca_dpa_dev_memcpy_transpose2D_nb(doca_dpa_dev_buf_array_get_buf(to, 0), 0,
                                       doca_dpa_dev_buf_array_get_buf(from, 0), 0,
                                       (size_t)element_bytes * columns * rows, element_bytes,
                                       columns, rows);
    doca_dpa_dev_memcpy_synchronize();
    return 0;
}

__dpa_rpc__ uint64_t describe(doca_dpa_dev_buf_arr_t array, uint64_t index, uint64_t *to)
{
    doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, index);
    to[0] = doca_dpa_dev_buf_get_addr(buf);
    to[1] = doca_dpa_dev_buf_get_len(buf);
    return buf;
}

__dpa_rpc__ uint64_t wordOf(doca_dpa_dev_buf_arr_t array, uint64_t index, uint64_t offset)
{
    doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(array, index);
    return *(uint64_t *)doca_dpa_dev_buf_get_external_ptr(buf, offset);
}

__dpa_rpc__ uint64_t swap(doca_dpa_dev_mmap_t mmap, uint64_t address, uint64_t value)
{
    volatile uint64_t *at = (volatile uint64_t *)doca_dpa_dev_mmap_get_external_ptr(mmap, address);
    uint64_t former = *at;
    *at = value;
    __dpa_thread_window_writeback();
    return former;
}
