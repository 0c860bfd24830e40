package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What each thread of a context has for the device functions: what it knows of itself, and its
/// channel to the NIC.
final class Equipment {
    private Equipment() {}

    /// Makes it.
    ///
    /// @param kind as [ThreadContext#KIND] has it
    /// @param localStorage of a DPA thread, or 0
    /// @return where its [ThreadContext] is
    static DpaAddr context(Holdings holdings, long kind, DpaAddr localStorage) {
        FlexioProcess process = holdings.loaded.process();
        int entries = 1 << ThreadContext.LOG_ENTRIES;
        DpaAddr sendRing = holdings.zeros(entries * SendEntry.BYTES);
        DpaAddr completionRing = holdings.zeros(entries * CompletionEntry.BYTES);
        DpaAddr completionRecord = holdings.line();
        FlexioCq completions =
                holdings.keep(
                        FlexioCq.create(
                                process,
                                FlexioCq.Attributes.of(
                                        completionRing,
                                        ThreadContext.LOG_ENTRIES,
                                        completionRecord)));
        FlexioQp channel =
                loop(
                        holdings,
                        new FlexioQp.Send(sendRing, ThreadContext.LOG_ENTRIES, completions),
                        0);
        channel.purpose("updates and copies of a thread");
        DpaAddr result = holdings.line();
        FlexioMkey key =
                holdings.keep(
                        FlexioMkey.create(
                                process, process.domain(), result, Long.BYTES, Access.LOCAL_WRITE));
        return holdings.block(
                ByteBuffer.allocate(ThreadContext.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(ThreadContext.OUTBOX, holdings.loaded.outbox())
                        .putLong(ThreadContext.WINDOW, holdings.loaded.window())
                        .putLong(ThreadContext.QUEUE, channel.number())
                        .putLong(ThreadContext.SEND_RING, sendRing.value())
                        .putLong(ThreadContext.COMPLETION_RING, completionRing.value())
                        .putLong(ThreadContext.COMPLETION_RECORD, completionRecord.value())
                        .putLong(ThreadContext.RESULT, result.value())
                        .putLong(ThreadContext.RESULT_KEY, key.number())
                        .putLong(ThreadContext.KIND, kind)
                        .putLong(ThreadContext.LOCAL_STORAGE, localStorage.value())
                        .array());
    }

    /// A queue pair that is connected with itself and receives nothing.
    static FlexioQp loop(Holdings holdings, FlexioQp.Send send, int userIndex) {
        FlexioQp.Receive receive =
                new FlexioQp.Receive(holdings.line(), 0, holdings.line(), send.completions());
        FlexioQp queue =
                holdings.keep(
                        FlexioQp.create(
                                holdings.loaded.process(),
                                new FlexioQp.Attributes(send, receive, userIndex)));
        queue.connect(queue);
        return queue;
    }
}
