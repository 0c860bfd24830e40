package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioObject;
import dev.outboard.dpacc.DpaAddr;
import java.util.ArrayDeque;
import java.util.Deque;

/// What an object of a context has on the DPA. It is given back together, the latest first.
final class Holdings implements AutoCloseable {
    /// What is written and read at once.
    private static final int LINE = 64;

    final Loaded loaded;

    private final Deque<Runnable> held = new ArrayDeque<>();

    Holdings(Loaded loaded) {
        this.loaded = loaded;
    }

    /// One more object, which has just been made.
    <T extends FlexioObject> T keep(T object) {
        held.push(object::close);
        return object;
    }

    /// Something that is done when the rest is given back.
    void push(Runnable end) {
        held.push(end);
    }

    /// A block of the heap of zeros.
    DpaAddr zeros(int lengthBytes) {
        return block(new byte[lengthBytes]);
    }

    /// A line of zeros.
    DpaAddr line() {
        return zeros(LINE);
    }

    /// A block of the heap with a content.
    DpaAddr block(byte... content) {
        DpaAddr block = loaded.process().heap().copyFromHost(content);
        held.push(() -> loaded.process().heap().free(block));
        return block;
    }

    @Override
    public void close() {
        while (!held.isEmpty()) {
            held.peek().run();
            held.remove();
        }
    }
}
