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
import java.util.HashMap;
import java.util.Map;

/// What a thread of the runtime has for the device functions: what it knows of itself, and on each
/// function of the card its channel to the NIC.
final class Equipment {
    private final FlexioProcess process;
    private final DpaAddr context;
    private final Map<Loaded, Holdings> channels = new HashMap<>();

    /// @param kind as [ThreadContext#KIND] has it
    /// @param localStorage of a DPA thread, or 0
    Equipment(Loaded home, long kind, DpaAddr localStorage) {
        process = home.process();
        context = block(home, kind, localStorage);
        point(home, context);
    }

    /// Where its [ThreadContext] is.
    DpaAddr context() {
        return context;
    }

    /// It has a channel there, too.
    void extend(Loaded function) {
        point(function, block(function, 0, new DpaAddr(0)));
    }

    /// It has it no more.
    void leave(Loaded function) {
        Holdings channel = channels.remove(function);
        if (channel != null) {
            point(function, new DpaAddr(0));
            channel.close();
        }
    }

    /// It has none any more.
    void close() {
        channels.values().forEach(Holdings::close);
        channels.clear();
    }

    private void point(Loaded function, DpaAddr block) {
        process.heap()
                .copyWordsIn(context.plus(ThreadContext.channel(function.index())), block.value());
    }

    private DpaAddr block(Loaded function, long kind, DpaAddr localStorage) {
        Holdings holdings = new Holdings(function);
        channels.put(function, holdings);
        int entries = 1 << ThreadContext.LOG_ENTRIES;
        DpaAddr sendRing = holdings.zeros(entries * SendEntry.BYTES);
        DpaAddr completionRing = holdings.zeros(entries * CompletionEntry.BYTES);
        DpaAddr completionRecord = holdings.line();
        FlexioCq completions =
                holdings.keep(
                        function.queue(
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
                                process,
                                function.domain(),
                                result,
                                Long.BYTES,
                                Access.LOCAL_WRITE));
        return holdings.block(
                ByteBuffer.allocate(ThreadContext.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(ThreadContext.OUTBOX, function.outbox().number())
                        .putLong(ThreadContext.WINDOW, function.window().number())
                        .putLong(ThreadContext.FUNCTION, function.handle())
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
                                new FlexioQp.Attributes(send, receive, userIndex)
                                        .of(holdings.loaded.uar(), holdings.loaded.domain())));
        queue.connect(queue);
        return queue;
    }
}
