package dev.outboard.dpa.machine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// DPA-FXM-1: the message streams of a process, by number, as its threads see them. Any thread may
/// use it.
public final class Messages {
    /// How many streams a process may have: they are numbered from 0.
    public static final int STREAMS = 255;

    /// In place of the number of a stream: all of them.
    public static final int BROADCAST = 255;

    private final AtomicReferenceArray<@Nullable Stream> streams =
            new AtomicReferenceArray<>(STREAMS);

    /// How important a message is, and how important it must be for a stream to take it.
    public enum Level {
        /// Of a stream: it takes nothing.
        NONE,
        /// Whatever the stream takes.
        ALWAYS,
        /// Something has failed.
        ERROR,
        /// Something may be wrong.
        WARN,
        /// Something has happened.
        INFO,
        /// For whoever looks for a mistake.
        DEBUG
    }

    /// What takes messages.
    @FunctionalInterface
    public interface Stream {
        /// Takes a message of a thread.
        ///
        /// @param format as of `printf`
        /// @param memory what a `%s` reads its text from
        void take(Level level, String format, long[] arguments, MemoryAccess memory);
    }

    /// Without streams.
    public Messages() {}

    /// Opens a stream.
    ///
    /// @return false if there is one of that number already
    public boolean open(int number, Stream stream) {
        return streams.compareAndSet(number, null, stream);
    }

    /// Closes a stream.
    public void close(int number) {
        streams.set(number, null);
    }

    /// DPA-FXM-2: a thread prints. Without a stream of that number nothing happens.
    public void print(
            int number, Level level, String format, long[] arguments, MemoryAccess memory) {
        if (number == BROADCAST) {
            for (int each = 0; each < STREAMS; each++) {
                print(each, level, format, arguments, memory);
            }
        } else if (number >= 0 && number < STREAMS) {
            Stream stream = streams.get(number);
            if (stream != null) {
                stream.take(level, format, arguments, memory);
            }
        }
    }
}
