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

/// What all queues of a protection domain share, and of it all but the keys with the other domains
/// of the NIC.
final class Shared {
    private final NicMemory memory;
    private final AtomicInteger numbers;
    private final Observer observer;
    private final Consumer<AsyncEvent> events;
    private final int maxMessageBytes;
    private final Run run;

    /// What all domains have together.
    private static final class Run {
        final NicCounters counters = new NicCounters();

        /// Completion queues with entries whose time has not come.
        final List<Moderator> waiting = new ArrayList<>();

        volatile @Nullable Nic nic;
        long tokens;
        @Nullable MemorySegment buffer;
    }

    Shared(
            Observer observer,
            int maxMessageBytes,
            AtomicInteger numbers,
            Consumer<AsyncEvent> events) {
        this(observer, maxMessageBytes, numbers, events, new Run());
    }

    private Shared(
            Observer observer,
            int maxMessageBytes,
            AtomicInteger numbers,
            Consumer<AsyncEvent> events,
            Run run) {
        memory = new NicMemory(numbers);
        this.numbers = numbers;
        this.observer = observer;
        this.maxMessageBytes = maxMessageBytes;
        this.events = events;
        this.run = run;
    }

    /// That of another protection domain, without keys.
    Shared withoutKeys() {
        return new Shared(observer, maxMessageBytes, numbers, events, run);
    }

    NicMemory memory() {
        return memory;
    }

    NicCounters counters() {
        return run.counters;
    }

    Observer observer() {
        return observer;
    }

    Consumer<AsyncEvent> events() {
        return events;
    }

    List<Moderator> waiting() {
        return run.waiting;
    }

    int maxMessageBytes() {
        return maxMessageBytes;
    }

    /// As long as the longest message, for what one step of the actor moves.
    MemorySegment buffer() {
        MemorySegment made = run.buffer;
        if (made == null) {
            made = Arena.ofAuto().allocate(maxMessageBytes, Long.BYTES);
            run.buffer = made;
        }
        return made;
    }

    /// The run begins.
    void begin(Nic actor) {
        run.nic = actor;
    }

    /// Whether the run has begun.
    boolean runs() {
        return run.nic != null;
    }

    /// The actor of the run.
    Nic nic() {
        Nic actor = run.nic;
        if (actor == null) {
            throw new IllegalStateException("The NIC does not run yet");
        }
        return actor;
    }

    /// Something has come from the fabric. What comes before the run is found when that begins.
    void attend() {
        Nic actor = run.nic;
        if (actor != null) {
            actor.attend();
        }
    }

    /// Names what is posted to the NIC next. The tokens of the machine itself are positive.
    long nextToken() {
        return --run.tokens;
    }
}
