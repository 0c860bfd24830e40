package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.EventWait;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/// A thread of the DPA that runs threads of kernels, one after the other: a handler that entries
/// without content activate, what it knows of itself, and its channel to the NIC.
final class Worker {
    private static final int LINE = 64;

    /// Of what wakes it.
    final int wake;

    /// Of its doorbells.
    private final int outbox;

    private final DpaAddr context;

    /// What it waits for, of the kernel that it runs.
    final EventWait wait = new EventWait();

    /// @param kernel is run each time that it is woken
    Worker(
            FlexioProcess process,
            int number,
            int outbox,
            int window,
            BiConsumer<Worker, DpaThread> kernel) {
        this.outbox = outbox;
        FlexioHeap heap = process.heap();
        context = heap.zeros(ThreadContext.BYTES);
        FlexioEventHandler handler =
                FlexioEventHandler.ofRuntime(
                        process,
                        "kernel thread " + number,
                        thread -> kernel.accept(this, thread),
                        context);
        wake = bell(process, bell -> bell.activating(handler));
        int entries = 1 << ThreadContext.LOG_ENTRIES;
        DpaAddr sendRing = heap.zeros(entries * SendEntry.BYTES);
        DpaAddr completionRing = heap.zeros(entries * CompletionEntry.BYTES);
        DpaAddr completionRecord = heap.zeros(LINE);
        FlexioCq completions =
                FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(
                                completionRing, ThreadContext.LOG_ENTRIES, completionRecord));
        FlexioQp channel =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(sendRing, ThreadContext.LOG_ENTRIES, completions),
                                new FlexioQp.Receive(
                                        heap.zeros(LINE), 0, heap.zeros(LINE), completions),
                                0));
        channel.connect(channel);
        DpaAddr result = heap.zeros(LINE);
        FlexioMkey key =
                FlexioMkey.create(
                        process, process.domain(), result, Long.BYTES, Access.LOCAL_WRITE);
        heap.copyIn(
                context,
                ByteBuffer.allocate(ThreadContext.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(ThreadContext.OUTBOX, outbox)
                        .putLong(ThreadContext.WINDOW, window)
                        .putLong(ThreadContext.QUEUE, channel.number())
                        .putLong(ThreadContext.SEND_RING, sendRing.value())
                        .putLong(ThreadContext.COMPLETION_RING, completionRing.value())
                        .putLong(ThreadContext.COMPLETION_RECORD, completionRecord.value())
                        .putLong(ThreadContext.RESULT, result.value())
                        .putLong(ThreadContext.RESULT_KEY, key.number())
                        .array());
    }

    /// Makes a completion queue that has entries without content only: each is an event.
    ///
    /// @param element what it tells
    /// @return its number
    static int bell(FlexioProcess process, UnaryOperator<FlexioCq.Attributes> element) {
        FlexioCq.Attributes plain =
                FlexioCq.Attributes.of(
                        process.heap().zeros(CompletionEntry.BYTES), 0, process.heap().zeros(LINE));
        return FlexioCq.create(
                        process,
                        element.apply(plain.with(Arming.ALWAYS).with(Option.IGNORES_OVERRUN)))
                .number();
    }

    /// It is that thread of a kernel from now on.
    void begin(DpaThread thread, int rank, int threads) {
        thread.store64(context.value() + ThreadContext.RANK, rank);
        thread.store64(context.value() + ThreadContext.THREADS, threads);
        thread.store64(context.value() + ThreadContext.KEY, 0);
        thread.configureOutbox(outbox);
        thread.windowReadInv();
        wait.follow();
    }
}
