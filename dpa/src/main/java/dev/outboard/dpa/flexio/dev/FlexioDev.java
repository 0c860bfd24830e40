package dev.outboard.dpa.flexio.dev;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;

/// The device functions of FlexIO that are more than one operation of a thread. Kernels call them.
///
/// DPA-FXO-10: doorbells contain no fence: what the NIC will read must have been written back
/// before.
///
/// DPA-FXO-11: with the machine option for it they write back first.
public final class FlexioDev {
    private FlexioDev() {}

    /// `flexio_dev_qp_sq_ring_db`: tells the NIC up to where a send queue is posted.
    ///
    /// @param index the producer index, of 16 bits
    public static void ringSendDoorbell(DpaThread thread, int index, int queue) {
        ring(thread, AddressMap.SEND_DOORBELL, Doorbell.send(queue, index));
    }

    /// `flexio_dev_cq_arm`: the next entry of the completion queue from that index on activates its
    /// handler.
    ///
    /// @param index the consumer index, of 24 bits
    public static void armCompletionQueue(DpaThread thread, int index, int queue) {
        ring(thread, AddressMap.ARM_DOORBELL, Doorbell.arm(queue, index));
    }

    /// `flexio_dev_zcqe_gen`, `flexio_dev_msix_send`: makes an entry without content in a
    /// completion queue: one of no queue pair, with opcode 0 and 0 bytes. If the queue is armed, it
    /// activates its handler, is an event in its event queue, or interrupts the host.
    public static void triggerCompletionQueue(DpaThread thread, int queue) {
        ring(thread, AddressMap.MSIX_DOORBELL, Doorbell.interrupt(queue));
    }

    /// `flexio_dev_eq_update_ci`: entries of the event queue have been taken, and there is room for
    /// others.
    ///
    /// @param index the consumer index, of 26 bits: how many have been taken so far
    public static void updateEventQueue(DpaThread thread, int index, int queue) {
        ring(thread, AddressMap.EVENT_QUEUE_DOORBELL, Doorbell.eventQueue(queue, index));
    }

    private static void ring(DpaThread thread, int register, long value) {
        if (thread.fencesCalls()) {
            thread.memoryWriteback();
            thread.windowWriteback();
        }
        thread.store64(AddressMap.OUTBOX + register, value);
    }

    /// DPA-FXW-9: `flexio_dev_window_copy_to_host`: copies to external memory through the window,
    /// and writes that back.
    ///
    /// @param to an external address of any alignment
    /// @param from an address of DPA memory, of any alignment
    public static void copyToHost(DpaThread thread, long to, long from, long lengthBytes) {
        copy(thread, thread.window(to), from, lengthBytes);
        thread.windowWriteback();
    }

    /// DPA-FXW-9: `flexio_dev_window_copy_from_host`: copies from external memory through the
    /// window, anew.
    ///
    /// @param to an address of DPA memory, of any alignment
    /// @param from an external address of any alignment
    public static void copyFromHost(DpaThread thread, long to, long from, long lengthBytes) {
        thread.windowReadInv();
        copy(thread, to, thread.window(from), lengthBytes);
    }

    /// In words where both sides are aligned alike, else in bytes.
    private static void copy(DpaThread thread, long to, long from, long lengthBytes) {
        boolean alike = ((to ^ from) & (Long.BYTES - 1)) == 0;
        long i = 0;
        while (i < lengthBytes) {
            boolean aligned = ((to + i) & (Long.BYTES - 1)) == 0;
            if (alike && aligned && lengthBytes - i >= Long.BYTES) {
                thread.store64(to + i, thread.load64(from + i));
                i += Long.BYTES;
            } else {
                thread.store8(to + i, thread.load8(from + i));
                i++;
            }
        }
    }
}
