package dev.outboard.doca;

import java.util.concurrent.atomic.AtomicLong;

/// How many buffers point into a memory, which closes with the last of them if it was to close
/// while they were out. Any thread.
final class BufferCount {
    private final AtomicLong count = new AtomicLong();
    private volatile boolean closing;

    long get() {
        return count.get();
    }

    void made() {
        count.getAndIncrement();
    }

    /// A buffer was given back; true if it was the last one of a memory that was to close.
    boolean returned() {
        return count.decrementAndGet() == 0 && closing;
    }

    /// The memory is to close, now or with its last buffer.
    void closing() {
        closing = true;
    }

    /// DCORE-MMAP-18, DCORE-MMAP-19, DFLT-52: not while buffers point into it.
    ///
    /// @throws DocaException with NOT_PERMITTED if buffers of `mmap` are out; it cannot be `what`
    void requireNone(Object mmap, String what) {
        long out = get();
        if (out > 0) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s cannot be %s: %d buffers point into it; release them first"
                            .formatted(mmap, what, out));
        }
    }
}
