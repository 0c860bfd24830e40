package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.EventEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// A program that makes entries in completion queues, and takes those of event queues.
@DpaProgram("bells")
final class Bells {
    private Bells() {}

    /// Makes entries in a completion queue.
    @DpaRpc
    static long trigger(DpaThread thread, int outbox, int queue, int times) {
        thread.configureOutbox(outbox);
        for (int i = 0; i < times; i++) {
            FlexioDev.triggerCompletionQueue(thread, queue);
        }
        return times;
    }

    /// Stores a word in memory of the host, and then makes an entry in a completion queue.
    ///
    /// @param pushed whether the word is written back before
    @DpaRpc
    static long tell(
            DpaThread thread,
            int outbox,
            int queue,
            int window,
            int key,
            DpaAddr external,
            boolean pushed) {
        thread.configureOutbox(outbox);
        thread.configureWindow(window, key);
        thread.store64(thread.window(external.value()), 42);
        if (pushed) {
            thread.windowWriteback();
        }
        FlexioDev.triggerCompletionQueue(thread, queue);
        return 0;
    }

    /// Waits for entries of an event queue, and takes them one by one.
    ///
    /// @param index how many were taken before
    /// @return the numbers of their completion queues, added
    @DpaRpc
    static long take(
            DpaThread thread,
            int outbox,
            int queue,
            DpaAddr ring,
            int logDepth,
            int index,
            int times) {
        thread.configureOutbox(outbox);
        long sum = 0;
        for (int next = index; next < index + times; next++) {
            int mask = (1 << logDepth) - 1;
            long entry = ring.value() + (long) (next & mask) * EventEntry.BYTES;
            while (!EventEntry.isReady(thread, entry, next, logDepth)) {
                // Not yet.
            }
            sum += EventEntry.queueNumber(thread, entry);
            FlexioDev.updateEventQueue(thread, next + 1, queue);
        }
        return sum;
    }

    /// Tells an event queue an index, by the register that arms it as well.
    @DpaRpc
    static long rearm(DpaThread thread, int outbox, int queue, int index) {
        thread.configureOutbox(outbox);
        thread.store64(
                AddressMap.OUTBOX + AddressMap.EVENT_QUEUE_ARM_DOORBELL,
                Doorbell.eventQueue(queue, index));
        return 0;
    }

    /// A handler that counts its activations.
    @DpaGlobal
    static void count(DpaThread thread, long count) {
        thread.store64(count, thread.load64(count) + 1);
        thread.memoryWriteback();
        thread.reschedule();
    }

    /// A word.
    @DpaRpc
    static long look(DpaThread thread, DpaAddr word) {
        return thread.load64(word.value());
    }
}
