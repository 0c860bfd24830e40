/*
 * RDMA of DOCA in device code. Three spellings: with mmaps or buffers, a connection and flags; the
 * same without a connection, and with whether there is a completion in place of flags; and with
 * parts of buffers. Those without a connection use connection 0, and send at once.
 *
 * A target that is written, or a source that is read, is memory of the peer.
 */
#ifndef DOCA_DPA_DEV_RDMA_H
#define DOCA_DPA_DEV_RDMA_H

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

typedef uint64_t doca_dpa_dev_rdma_t;

#define OUTBOARD_RDMA OUTBOARD_DOCA_OVERLOADED

/* Flags above, the connection below. */
static inline __attribute__((always_inline)) int64_t outboard_way(uint32_t connection, uint32_t flags)
{
    return (int64_t)((uint64_t)flags << 32 | connection);
}

/* Of a call that says whether it wants a completion. */
static inline __attribute__((always_inline)) uint32_t outboard_requested(uint32_t completion_requested)
{
    return completion_requested != 0
                   ? DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH
                   : DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS;
}

static inline __attribute__((always_inline)) int64_t outboard_mmaps(doca_dpa_dev_mmap_t target, doca_dpa_dev_mmap_t source)
{
    return (int64_t)((uint64_t)target << 32 | source);
}

/* With mmaps. */

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_write(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t dst_mmap_handle,
        uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
        uint32_t flags)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_WRITE, (int64_t)rdma, outboard_way(connection_id, flags),
                    outboard_mmaps(dst_mmap_handle, src_mmap_handle), (int64_t)dst_addr,
                    (int64_t)src_addr, (int64_t)length, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_write(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
        doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_write(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                 length, outboard_requested(completion_requested));
}

/* The peer is told by a receive, which gets the immediate. */
OUTBOARD_RDMA void doca_dpa_dev_rdma_post_write_imm(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t dst_mmap_handle,
        uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
        uint32_t immediate, uint32_t flags)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_WRITE_IMMEDIATE, (int64_t)rdma,
                    outboard_way(connection_id, flags),
                    outboard_mmaps(dst_mmap_handle, src_mmap_handle), (int64_t)dst_addr,
                    (int64_t)src_addr, (int64_t)length, immediate);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_write_imm(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
        doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length, uint32_t immediate,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_write_imm(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                     length, immediate, outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_read(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t dst_mmap_handle,
        uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
        uint32_t flags)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_READ, (int64_t)rdma, outboard_way(connection_id, flags),
                    outboard_mmaps(dst_mmap_handle, src_mmap_handle), (int64_t)dst_addr,
                    (int64_t)src_addr, (int64_t)length, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_read(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
        doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_read(rdma, 0, dst_mmap_handle, dst_addr, src_mmap_handle, src_addr,
                                length, outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_send(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t mmap_handle,
        uint64_t addr, size_t length, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_SEND, (int64_t)rdma, outboard_way(connection_id, flags),
                    mmap_handle, (int64_t)addr, (int64_t)length);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_send(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_send(rdma, 0, mmap_handle, addr, length,
                                outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_send_imm(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t mmap_handle,
        uint64_t addr, size_t length, uint32_t immediate, uint32_t flags)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_SEND_IMMEDIATE, (int64_t)rdma,
                    outboard_way(connection_id, flags), mmap_handle, (int64_t)addr, (int64_t)length,
                    immediate, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_send_imm(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length,
        uint32_t immediate, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_send_imm(rdma, 0, mmap_handle, addr, length, immediate,
                                    outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_receive(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t mmap_handle, uint64_t addr, size_t length)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_RECEIVE, (int64_t)rdma, mmap_handle, (int64_t)addr,
                    (int64_t)length, 0);
}

/* The former value comes to nobody. */
OUTBOARD_RDMA void doca_dpa_dev_rdma_post_atomic_fetch_add(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_mmap_t dst_mmap_handle,
        uint64_t dst_addr, uint64_t value, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_ADD, (int64_t)rdma, outboard_way(connection_id, flags),
                    dst_mmap_handle, (int64_t)dst_addr, (int64_t)value);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_atomic_fetch_add(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
        uint64_t value, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_atomic_fetch_add(rdma, 0, dst_mmap_handle, dst_addr, value,
                                            outboard_requested(completion_requested));
}

/* With whole buffers. */

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_write(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_BUF_WRITE, (int64_t)rdma, outboard_way(connection_id, flags),
                    (int64_t)dst_buf_handle, (int64_t)src_buf_handle, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_write(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_write(rdma, 0, dst_buf_handle, src_buf_handle,
                                     outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_write_imm(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_BUF_WRITE_IMMEDIATE, (int64_t)rdma,
                    outboard_way(connection_id, flags), (int64_t)dst_buf_handle,
                    (int64_t)src_buf_handle, immediate);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_write_imm(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t immediate, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_write_imm(rdma, 0, dst_buf_handle, src_buf_handle, immediate,
                                         outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_read(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_BUF_READ, (int64_t)rdma, outboard_way(connection_id, flags),
                    (int64_t)dst_buf_handle, (int64_t)src_buf_handle, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_read(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_buf_handle,
        doca_dpa_dev_buf_t src_buf_handle, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_read(rdma, 0, dst_buf_handle, src_buf_handle,
                                    outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_send(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t send_buf_handle,
        uint32_t flags)
{
    outboard_ecall3(OUTBOARD_DOCA_RDMA_BUF_SEND, (int64_t)rdma, outboard_way(connection_id, flags),
                    (int64_t)send_buf_handle);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_send(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t send_buf_handle, uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_send(rdma, 0, send_buf_handle,
                                    outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_send_imm(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t send_buf_handle,
        uint32_t immediate, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_BUF_SEND_IMMEDIATE, (int64_t)rdma,
                    outboard_way(connection_id, flags), (int64_t)send_buf_handle, immediate, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_send_imm(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t send_buf_handle, uint32_t immediate,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_send_imm(rdma, 0, send_buf_handle, immediate,
                                        outboard_requested(completion_requested));
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_receive(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t receive_buf_handle)
{
    outboard_ecall3(OUTBOARD_DOCA_RDMA_BUF_RECEIVE, (int64_t)rdma, (int64_t)receive_buf_handle, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id, doca_dpa_dev_buf_t dst_buf_handle,
        uint64_t value, uint32_t flags)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_BUF_ADD, (int64_t)rdma, outboard_way(connection_id, flags),
                    (int64_t)dst_buf_handle, (int64_t)value, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_buf_atomic_fetch_add(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_buf_handle, uint64_t value,
        uint32_t completion_requested)
{
    doca_dpa_dev_rdma_post_buf_atomic_fetch_add(rdma, 0, dst_buf_handle, value,
                                                outboard_requested(completion_requested));
}

/* With parts of buffers. */

OUTBOARD_RDMA void doca_dpa_dev_rdma_write(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
        doca_dpa_dev_buf_t src_mem, uint64_t src_offset, size_t length)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_PART_WRITE, (int64_t)rdma, (int64_t)dst_mem,
                    (int64_t)dst_offset, (int64_t)src_mem, (int64_t)src_offset, (int64_t)length, 0);
}

/* From the begin of one to that of the other. */
OUTBOARD_RDMA void doca_dpa_dev_rdma_write(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t remote, doca_dpa_dev_buf_t local,
        size_t length)
{
    doca_dpa_dev_rdma_write(rdma, remote, 0, local, 0, length);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_read(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset,
        doca_dpa_dev_buf_t src_mem, uint64_t src_offset, size_t length)
{
    outboard_ecall7(OUTBOARD_DOCA_RDMA_PART_READ, (int64_t)rdma, (int64_t)dst_mem,
                    (int64_t)dst_offset, (int64_t)src_mem, (int64_t)src_offset, (int64_t)length, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_post_send(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf, uint64_t offset, size_t length)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_PART_SEND, (int64_t)rdma, (int64_t)buf, (int64_t)offset,
                    (int64_t)length, 0);
}

/* The compiler tells it from that with an mmap by the type of the handle. */
OUTBOARD_RDMA void doca_dpa_dev_rdma_post_receive(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t buf, uint64_t offset, size_t length)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_PART_RECEIVE, (int64_t)rdma, (int64_t)buf, (int64_t)offset,
                    (int64_t)length, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_atomic_fetch_add(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_buf_t dst_mem, uint64_t dst_offset, uint64_t value)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_PART_ADD, (int64_t)rdma, (int64_t)dst_mem,
                    (int64_t)dst_offset, (int64_t)value, 0);
}

/* Sync events of a peer. */

OUTBOARD_RDMA void doca_dpa_dev_rdma_signal_set(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
        doca_dpa_dev_sync_event_remote_net_t remote_sync_event, uint64_t count)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_SIGNAL_SET, (int64_t)rdma, connection_id,
                    (int64_t)remote_sync_event, (int64_t)count, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_signal_set(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
        uint64_t count)
{
    doca_dpa_dev_rdma_signal_set(rdma, 0, remote_sync_event, count);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_signal_add(
        doca_dpa_dev_rdma_t rdma, uint32_t connection_id,
        doca_dpa_dev_sync_event_remote_net_t remote_sync_event, uint64_t count)
{
    outboard_ecall5(OUTBOARD_DOCA_RDMA_SIGNAL_ADD, (int64_t)rdma, connection_id,
                    (int64_t)remote_sync_event, (int64_t)count, 0);
}

OUTBOARD_RDMA void doca_dpa_dev_rdma_signal_add(
        doca_dpa_dev_rdma_t rdma, doca_dpa_dev_sync_event_remote_net_t remote_sync_event,
        uint64_t count)
{
    doca_dpa_dev_rdma_signal_add(rdma, 0, remote_sync_event, count);
}

/* Waits until all operations of a context without completions have ended. */
static inline __attribute__((always_inline)) void doca_dpa_dev_rdma_synchronize(doca_dpa_dev_rdma_t rdma)
{
    outboard_ecall2(OUTBOARD_DOCA_RDMA_AWAIT, (int64_t)rdma, 0);
}

/* Nothing to do: there is room for receives again when their completions have been taken. */
static inline __attribute__((always_inline)) void doca_dpa_dev_rdma_receive_ack(doca_dpa_dev_rdma_t rdma, uint32_t num_acked)
{
    (void)rdma;
    (void)num_acked;
}

/* Which entry of its queue is done. */
static inline __attribute__((always_inline)) uint32_t doca_dpa_dev_rdma_completion_get_wr_index(
        doca_dpa_dev_completion_element_t comp_element)
{
    return doca_dpa_dev_completion_element_get_wqe_counter(comp_element);
}

#endif
