package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DoorbellRecord;

/// DPA-TH-2: completion contexts in device code: `doca_dpa_dev.h`. Kernels and DPA threads call it,
/// with the handle of a completion context, which one thread uses at a time:
///
/// ```java
/// for (long element = DocaDpaDevCompletion.next(thread, completions);
///         element != 0;
///         element = DocaDpaDevCompletion.next(thread, completions)) {
///     if (DocaDpaDevCompletion.type(thread, element) == DocaDpaDevCompletion.RECV_SEND) { … }
///     DocaDpaDevCompletion.ack(thread, completions, 1);
/// }
/// DocaDpaDevCompletion.requestNotification(thread, completions);
/// DocaDpaDev.threadReschedule(thread);
/// ```
public final class DocaDpaDevCompletion {
    /// `DOCA_DPA_DEV_COMP_SEND`: a request that the DPA has posted is done.
    public static final int SEND = CompletionEntry.REQUEST;

    /// `DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM`: a write with immediate data has arrived.
    public static final int RECV_RDMA_WRITE_IMM = CompletionEntry.RECEIVED_WRITE_IMMEDIATE;

    /// `DOCA_DPA_DEV_COMP_RECV_SEND`: a send has arrived.
    public static final int RECV_SEND = CompletionEntry.RECEIVED_SEND;

    /// `DOCA_DPA_DEV_COMP_RECV_SEND_IMM`: a send with immediate data has arrived.
    public static final int RECV_SEND_IMM = CompletionEntry.RECEIVED_SEND_IMMEDIATE;

    /// `DOCA_DPA_DEV_COMP_SEND_ERR`: a request that the DPA has posted has failed.
    public static final int SEND_ERR = CompletionEntry.REQUEST_ERROR;

    /// `DOCA_DPA_DEV_COMP_RECV_ERR`: a receive has failed.
    public static final int RECV_ERR = CompletionEntry.RECEIVE_ERROR;

    private DocaDpaDevCompletion() {}

    /// `doca_dpa_dev_get_completion`: takes the next completion. What came before it is visible to
    /// the thread.
    ///
    /// @return the element, which can be looked at until it is [acknowledged][#ack], or 0 if there
    ///   is none
    public static long next(DpaThread thread, long completion) {
        check(thread, completion);
        long taken = thread.load64(completion + CompletionDescriptor.TAKEN);
        int logDepth = (int) thread.load64(completion + CompletionDescriptor.LOG_DEPTH);
        long slot = taken & ((1L << logDepth) - 1);
        long ring = thread.load64(completion + CompletionDescriptor.RING);
        long entry = ring + slot * CompletionEntry.BYTES;
        if (!CompletionEntry.isReady(thread, entry, taken, logDepth)) {
            thread.pause();
            return 0;
        }
        thread.resume();
        thread.store64(completion + CompletionDescriptor.TAKEN, taken + 1);
        note(thread, completion, entry);
        thread.windowReadInv();
        return entry;
    }

    /// If it is of an RDMA connection, or of asynchronous operations, there is room in a queue of
    /// that again.
    private static void note(DpaThread thread, long completion, long entry) {
        int number = CompletionEntry.queueNumber(thread, entry);
        long mask = thread.load64(completion + CompletionDescriptor.PLACES) - 1;
        long table = thread.load64(completion + CompletionDescriptor.QUEUES);
        long place = number & mask;
        long there = thread.load64(table + place * CompletionDescriptor.QUEUE_BYTES);
        while (there != 0 && there != number) {
            place = (place + 1) & mask;
            there = thread.load64(table + place * CompletionDescriptor.QUEUE_BYTES);
        }
        if (there == number) {
            long at = table + place * CompletionDescriptor.QUEUE_BYTES + Long.BYTES;
            RdmaQueue.ended(thread, thread.load64(at), entry);
        }
    }

    /// `doca_dpa_dev_get_completion_type`: what is done: one of the constants.
    public static int type(DpaThread thread, long element) {
        return CompletionEntry.opcode(thread, element);
    }

    /// `doca_dpa_dev_get_completion_user_data`: the id of the connection, or the user data of the
    /// asynchronous operations that it is of.
    public static int userData(DpaThread thread, long element) {
        return CompletionEntry.userIndex(thread, element);
    }

    /// `doca_dpa_dev_get_completion_immediate`: the immediate data, if the type has any.
    public static int immediate(DpaThread thread, long element) {
        return CompletionEntry.immediate(thread, element);
    }

    /// `doca_dpa_dev_completion_element_get_received_bytes`: how many bytes were received.
    public static int receivedBytes(DpaThread thread, long element) {
        return CompletionEntry.byteCount(thread, element);
    }

    /// `doca_dpa_dev_completion_element_get_wqe_counter`: which entry of its queue is done, an
    /// index of 16 bits.
    public static int workCounter(DpaThread thread, long element) {
        return CompletionEntry.workCounter(thread, element);
    }

    /// `doca_dpa_dev_completion_element_get_qpn`: the number of the queue pair.
    public static int queueNumber(DpaThread thread, long element) {
        return CompletionEntry.queueNumber(thread, element);
    }

    /// `doca_dpa_dev_completion_element_get_error_syndrome`: why it failed, if it did: the code of
    /// a [syndrome][dev.outboard.dpa.nic.layout.Syndrome].
    public static int errorSyndrome(DpaThread thread, long element) {
        return CompletionEntry.syndrome(thread, element);
    }

    /// `doca_dpa_dev_completion_ack`: the oldest elements are needed no more: there is room for as
    /// many new ones.
    ///
    /// @param count how many; more than were taken is a fault
    public static void ack(DpaThread thread, long completion, long count) {
        check(thread, completion);
        long acknowledged = thread.load64(completion + CompletionDescriptor.ACKNOWLEDGED);
        long held = thread.load64(completion + CompletionDescriptor.TAKEN) - acknowledged;
        if (count < 0 || count > held) {
            throw new FaultSignal(
                    Fault.NOT_TAKEN,
                    "%d completions of the context at 0x%x cannot be acknowledged: valid are 0 to %d"
                            .formatted(count, completion, held));
        }
        thread.store64(completion + CompletionDescriptor.ACKNOWLEDGED, acknowledged + count);
        DoorbellRecord.setConsumerIndex(
                thread,
                thread.load64(completion + CompletionDescriptor.RECORD),
                (int) (acknowledged + count));
        thread.memoryWriteback();
    }

    /// `doca_dpa_dev_completion_request_notification`: the next completion that was not taken
    /// activates the thread of the context, once; at once if it is there already.
    public static void requestNotification(DpaThread thread, long completion) {
        check(thread, completion);
        thread.memoryWriteback();
        ThreadContext.takeOutbox(thread);
        FlexioDev.armCompletionQueue(
                thread,
                (int) thread.load64(completion + CompletionDescriptor.TAKEN),
                (int) thread.load64(completion + CompletionDescriptor.NUMBER));
    }

    private static void check(DpaThread thread, long completion) {
        ThreadContext.check(
                thread, "completion context", completion, CompletionDescriptor.FUNCTION);
    }
}
