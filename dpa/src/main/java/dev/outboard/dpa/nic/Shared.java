package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What all queues of a NIC share.
final class Shared {
    private final NicMemory memory;
    private final NicCounters counters = new NicCounters();
    private final Observer observer;
    private final Consumer<AsyncEvent> events;
    private final int maxMessageBytes;

    /// Completion queues with entries whose time has not come.
    private final List<Moderator> waiting = new ArrayList<>();

    private volatile @Nullable Nic nic;
    private long tokens;
    private @Nullable MemorySegment buffer;

    Shared(
            Observer observer,
            int maxMessageBytes,
            AtomicInteger numbers,
            Consumer<AsyncEvent> events) {
        memory = new NicMemory(numbers);
        this.observer = observer;
        this.maxMessageBytes = maxMessageBytes;
        this.events = events;
    }

    NicMemory memory() {
        return memory;
    }

    NicCounters counters() {
        return counters;
    }

    Observer observer() {
        return observer;
    }

    Consumer<AsyncEvent> events() {
        return events;
    }

    List<Moderator> waiting() {
        return waiting;
    }

    int maxMessageBytes() {
        return maxMessageBytes;
    }

    /// As long as the longest message, for what one step of the actor moves.
    MemorySegment buffer() {
        if (buffer == null) {
            buffer = Arena.ofAuto().allocate(maxMessageBytes, Long.BYTES);
        }
        return buffer;
    }

    /// The run begins.
    void begin(Nic actor) {
        nic = actor;
    }

    /// The actor of the run.
    Nic nic() {
        if (nic == null) {
            throw new IllegalStateException("The NIC does not run yet");
        }
        return nic;
    }

    /// Something has come from the fabric. What comes before the run is found when that begins.
    void attend() {
        Nic actor = nic;
        if (actor != null) {
            actor.attend();
        }
    }

    /// Names what is posted to the NIC next. The tokens of the machine itself are positive.
    long nextToken() {
        return --tokens;
    }
}
