package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Messages.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// DPA-FXM-1: what threads of a process print to. Any thread of the host may use it.
///
/// ```java
/// FlexioMsgStream stream =
///         FlexioMsgStream.create(process, Attributes.of(Level.INFO, Mode.SYNC), System.out::println);
/// ```
public final class FlexioMsgStream extends FlexioObject {
    private final Attributes attributes;
    private final Consumer<String> sink;

    /// What has not been handed on.
    private final List<String> waiting = new ArrayList<>();

    private Level level;
    private long dropped;

    private FlexioMsgStream(
            FlexioProcess process, int number, Attributes attributes, Consumer<String> sink) {
        super(process, "message stream", number);
        this.attributes = attributes;
        this.sink = sink;
        level = attributes.level;
    }

    /// When messages come to the host.
    public enum Mode {
        /// At once: the thread waits for that.
        SYNC,
        /// When the host asks for them.
        ASYNC,
        /// When there are as many as the stream holds, or the host asks for them.
        BATCH,
        /// When the host asks for them. A device would send formats and arguments only, and leave
        /// it to the host to put them together; here there is no difference to ASYNC.
        TRACER
    }

    /// How a stream is made.
    ///
    /// @param level how important a message must be; NONE takes nothing
    /// @param capacity how many messages it holds; what comes when it is full is counted and lost
    public record Attributes(Level level, Mode mode, int capacity) {
        private static final int DEFAULT_CAPACITY = 1024;

        /// Checks the capacity.
        public Attributes {
            if (capacity < 1) {
                throw new IllegalArgumentException(
                        "A stream holds at least 1 message, not " + capacity);
            }
        }

        /// A stream that holds 1024 messages.
        public static Attributes of(Level level, Mode mode) {
            return new Attributes(level, mode, DEFAULT_CAPACITY);
        }
    }

    /// Opens the stream with the lowest number that is free: the first one is stream 0, which
    /// device code prints to by default.
    ///
    /// @param sink takes each message, one at a time
    /// @throws FlexioException if the process has 255 streams
    public static FlexioMsgStream create(
            FlexioProcess process, Attributes attributes, Consumer<String> sink) {
        process.check();
        Messages messages = process.process().messages();
        for (int number = 0; number < Messages.STREAMS; number++) {
            FlexioMsgStream stream = new FlexioMsgStream(process, number, attributes, sink);
            if (messages.open(number, stream::take)) {
                return process.adopt(stream);
            }
        }
        throw FlexioException.refuse(
                Reason.NO_MEMORY,
                "The process has %d message streams, and no more is possible"
                        .formatted(Messages.STREAMS));
    }

    /// Changes how important a message must be.
    public synchronized void level(Level required) {
        level = required;
    }

    /// How many messages were lost because the stream was full.
    public synchronized long dropped() {
        return dropped;
    }

    /// Hands on what waits.
    public synchronized void flush() {
        waiting.forEach(sink);
        waiting.clear();
    }

    /// The text is read from memory before others have to wait for this: in turns another thread
    /// may get its turn meanwhile, and print.
    private void take(Level of, String format, long[] arguments, MemoryAccess memory) {
        if (takes(of)) {
            put(PrintFormat.format(format, arguments, memory::load8));
        }
    }

    private synchronized boolean takes(Level of) {
        return level != Level.NONE && of.compareTo(level) <= 0;
    }

    /// DPA-FXM-2: one message after the other.
    private synchronized void put(String text) {
        switch (attributes.mode) {
            case SYNC -> sink.accept(text);
            case BATCH -> {
                waiting.add(text);
                if (waiting.size() == attributes.capacity) {
                    flush();
                }
            }
            case ASYNC, TRACER -> {
                if (waiting.size() == attributes.capacity) {
                    dropped++;
                } else {
                    waiting.add(text);
                }
            }
        }
    }

    @Override
    void destroy() {
        process().process().messages().close(ownNumber());
        flush();
    }
}
