package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.dev.FlexioDev;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Device code of [LoadTimes]: the loop by which one measures what a load takes. It sends packets
/// through a queue pair that is connected to itself, so that the NIC writes them to the ring.
@DpaProgram("load_times")
final class LoadTimeKernels {
    static final int LOG_SENDS = 2;
    static final int LOG_COMPLETIONS = 3;

    /// What a ring has for each packet, as for packets of an Ethernet.
    static final int SLOT_BYTES = 2048;

    static final int PACKET_BYTES = 64;

    /// How many counts the histogram has: one for each number of cycles, the last one for more.
    static final int COUNTS = 1024;

    // The words of a context, which the host fills.
    static final int OUTBOX = 0;
    static final int QUEUE = 8;
    static final int SEND_RING = 16;
    static final int RECEIVE_RECORD = 24;
    static final int COMPLETION_RING = 32;
    static final int COMPLETION_RECORD = 40;
    static final int PACKET = 48;
    static final int PACKET_KEY = 56;
    static final int RING = 64;
    static final int RING_KEY = 72;
    static final int SLOTS = 80;

    /// The window through which the ring is read. 0 if it lies in DPA memory.
    static final int WINDOW = 88;

    static final int HISTOGRAM = 96;
    static final int CONTEXT_BYTES = 104;

    private LoadTimeKernels() {}

    /// Receives packets, and counts how long the load of the first word of each takes.
    ///
    /// @return how many were not what was sent
    @DpaRpc
    static long measure(DpaThread thread, DpaAddr context, int packets) {
        long at = context.value();
        thread.configureOutbox((int) thread.load64(at + OUTBOX));
        int window = (int) thread.load64(at + WINDOW);
        if (window != 0 && !thread.configureWindow(window, (int) thread.load64(at + RING_KEY))) {
            return packets;
        }
        long between = betweenReads(thread);
        long wrong = 0;
        for (int number = 0; number < packets; number++) {
            send(thread, at, number);
            awaitCompletion(thread, at, 2 * number);
            awaitCompletion(thread, at, 2 * number + 1);
            long slot = slot(thread, at, number);
            thread.windowReadInv();
            long begin = thread.cycles();
            long word = thread.load64(slot);
            long end = thread.cycles();
            wrong += word == number ? 0 : 1;
            count(thread, at, end - begin - between);
            giveBack(thread, at, number + 1);
        }
        return wrong;
    }

    /// What the counter itself adds: how far two reads are apart with nothing between them.
    private static long betweenReads(DpaThread thread) {
        long begin = thread.cycles();
        return thread.cycles() - begin;
    }

    private static long slot(DpaThread thread, long at, int number) {
        long ring = thread.load64(at + RING);
        return ring + number % thread.load64(at + SLOTS) * SLOT_BYTES;
    }

    /// Sends a packet whose first word is its number.
    private static void send(DpaThread thread, long at, int number) {
        long packet = thread.load64(at + PACKET);
        thread.store64(packet, number);
        long block = number % (1 << LOG_SENDS);
        long entry = thread.load64(at + SEND_RING) + block * SendEntry.BYTES;
        int queue = (int) thread.load64(at + QUEUE);
        SendEntry.writeControl(
                thread, entry, number, SendEntry.SEND, queue, 2, SendEntry.COMPLETE_ALWAYS);
        DataSegment.write(
                thread,
                entry + SendEntry.SEGMENT_BYTES,
                PACKET_BYTES,
                (int) thread.load64(at + PACKET_KEY),
                packet);
        thread.memoryWriteback();
        FlexioDev.ringSendDoorbell(thread, number + 1, queue);
    }

    /// There are two for each packet: it has been sent, and it has been received.
    private static void awaitCompletion(DpaThread thread, long at, int index) {
        long slot = index % (1 << LOG_COMPLETIONS);
        long entry = thread.load64(at + COMPLETION_RING) + slot * CompletionEntry.BYTES;
        while (!CompletionEntry.isReady(thread, entry, index, LOG_COMPLETIONS)) {
            // Not yet.
        }
    }

    private static void count(DpaThread thread, long at, long cycles) {
        long longest = COUNTS - 1;
        long count = thread.load64(at + HISTOGRAM) + Math.min(cycles, longest) * Long.BYTES;
        thread.store64(count, thread.load64(count) + 1);
    }

    /// The slot is free for another packet.
    private static void giveBack(DpaThread thread, long at, int received) {
        DoorbellRecord.setConsumerIndex(
                thread, thread.load64(at + COMPLETION_RECORD), 2 * received);
        DoorbellRecord.setProducerIndex(
                thread,
                thread.load64(at + RECEIVE_RECORD),
                (int) (thread.load64(at + SLOTS) + received));
        thread.memoryWriteback();
    }
}
