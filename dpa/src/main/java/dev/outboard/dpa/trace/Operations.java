package dev.outboard.dpa.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The entries of send queues in a trace: which doorbell has posted each, and when it ended. One
/// whose doorbell was rung before the trace is none of them.
final class Operations {
    private static final int NONE = -1;

    private final Trace trace;
    private final Map<Integer, List<Operation>> begunBy = new HashMap<>();
    private final Map<Integer, List<Operation>> endedBy = new HashMap<>();

    // While events are gone through

    private final Map<Key, Integer> rung = new HashMap<>();

    /// By NIC: the doorbell that it has taken last.
    private final Map<Key, Integer> taken = new HashMap<>();

    private final Map<Key, Queue> queues = new HashMap<>();

    private record Key(Timeline process, long number) {}

    /// An entry of a queue.
    static final class Operation {
        private final int posted;
        private final int begun;
        private final String purpose;
        private int syndrome;

        private Operation(int posted, int begun, String purpose) {
            this.posted = posted;
            this.begun = begun;
            this.purpose = purpose;
        }

        /// The event by which it was posted: a doorbell is rung.
        int posted() {
            return posted;
        }

        /// The event by which the NIC has begun it.
        int begun() {
            return begun;
        }

        /// What its queue is for.
        String purpose() {
            return purpose;
        }

        /// How it has ended, if it has.
        int syndrome() {
            return syndrome;
        }
    }

    /// Up to where entries are posted, and by which doorbell.
    private record Posted(int index, int ring, String purpose) {}

    /// A send queue.
    private static final class Queue {
        private final Deque<Posted> posted = new ArrayDeque<>();

        /// What has begun and not ended.
        private final Deque<Operation> outstanding = new ArrayDeque<>();

        /// Whether the last of these is with the NIC.
        private boolean works;
    }

    /// Of a trace that has ended.
    Operations(Trace trace) {
        this.trace = trace;
        for (int index = 0; index < trace.told(); index++) {
            look(index);
        }
    }

    /// What was posted by an event.
    List<Operation> begun(int event) {
        return begunBy.getOrDefault(event, List.of());
    }

    /// What has ended by an event.
    List<Operation> ended(int event) {
        return endedBy.getOrDefault(event, List.of());
    }

    private void look(int index) {
        Timeline process = trace.process(index);
        switch (trace.event(index)) {
            case RING -> rung.put(new Key(process, trace.token(index)), index);
            case TAKE -> {
                Integer ring = rung.remove(new Key(process, trace.token(index)));
                taken.put(new Key(process, trace.who(index)), ring == null ? NONE : ring);
            }
            case POSTED -> {
                int ring = taken.getOrDefault(new Key(process, trace.who(index)), NONE);
                queue(index).posted.add(new Posted(trace.value(index), ring, trace.name(index)));
            }
            case WORK -> begin(queue(index), index);
            case DONE -> done(queue(index), index);
            case HAND -> queue(index).works = false;
            case ENDED -> endUpTo(queue(index), index);
            default -> {
                // About no send queue.
            }
        }
    }

    private Queue queue(int index) {
        Key key = new Key(trace.process(index), trace.queue(index));
        return queues.computeIfAbsent(key, any -> new Queue());
    }

    private void begin(Queue queue, int index) {
        while (!queue.posted.isEmpty()
                && (short) (trace.value(index) - queue.posted.getFirst().index) >= 0) {
            queue.posted.removeFirst();
        }
        Posted by = queue.posted.peekFirst();
        if (by != null && by.ring != NONE) {
            Operation begun = new Operation(by.ring, index, by.purpose);
            begunBy.computeIfAbsent(by.ring, key -> new ArrayList<>()).add(begun);
            queue.outstanding.add(begun);
            queue.works = true;
        }
    }

    /// The NIC is done with the entry that it was at.
    private void done(Queue queue, int index) {
        if (queue.works) {
            queue.works = false;
            end(queue.outstanding.removeLast(), trace.value(index), index);
        }
    }

    private void endUpTo(Queue queue, int index) {
        int entry = trace.value(index);
        while (!queue.outstanding.isEmpty()) {
            Operation first = queue.outstanding.getFirst();
            int own = trace.value(first.begun);
            if ((short) (own - entry) > 0) {
                return;
            }
            queue.outstanding.removeFirst();
            end(first, own == entry ? (int) trace.token(index) : 0, index);
        }
    }

    private void end(Operation operation, int syndrome, int index) {
        operation.syndrome = syndrome;
        endedBy.computeIfAbsent(index, key -> new ArrayList<>()).add(operation);
    }
}
