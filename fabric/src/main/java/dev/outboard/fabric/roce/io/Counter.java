package dev.outboard.fabric.roce.io;

import java.util.concurrent.atomic.AtomicLong;

/// Counts events of the data path. One thread at a time adds, without a fence; any thread reads and
/// may see a slightly old value.
final class Counter {
    private final AtomicLong value = new AtomicLong();

    void increment() {
        add(1);
    }

    void add(long events) {
        value.setOpaque(value.getPlain() + events);
    }

    long value() {
        return value.getOpaque();
    }
}
