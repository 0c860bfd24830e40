package dev.outboard.dpa.trace;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// Which event of a trace brought which other about: a doorbell that the NIC takes it, that it
/// executes an entry, that an entry of a completion queue, and that, or that the queue was armed,
/// an activation.
final class Arrows {
    private static final int NONE = -1;
    private static final int FIRST_CAPACITY = 64;

    private final Trace trace;

    /// By event: the latest arrow from it and to it.
    private final int[] from;

    private final int[] to;

    /// By arrow: the one before it that has the same begin, or the same end.
    private int[] nextFrom = new int[FIRST_CAPACITY];

    private int[] nextTo = new int[FIRST_CAPACITY];
    private int count;

    // While events are gone through, by process and a number of what the map is named for.

    private final Map<Key, Integer> rung = new HashMap<>();
    private final Map<Key, Integer> takenByNic = new HashMap<>();
    private final Map<Key, Integer> takenForQueue = new HashMap<>();
    private final Map<Key, Integer> worked = new HashMap<>();
    private final Map<Key, Integer> causeOfQueue = new HashMap<>();
    private final Map<Key, List<Integer>> causesOfThread = new HashMap<>();

    private record Key(Timeline process, long number) {}

    /// Of a trace that has ended.
    Arrows(Trace trace) {
        this.trace = trace;
        from = new int[trace.told()];
        to = new int[from.length];
        Arrays.fill(from, NONE);
        Arrays.fill(to, NONE);
        for (int index = 0; index < from.length; index++) {
            look(index);
        }
    }

    private void look(int index) {
        Key who = new Key(trace.process(index), trace.who(index));
        Key queue = new Key(trace.process(index), trace.queue(index));
        switch (trace.event(index)) {
            case BEGIN -> {
                List<Integer> causes = causesOfThread.remove(who);
                if (causes != null) {
                    causes.forEach(cause -> add(cause, index));
                }
            }
            case RING -> rung.put(new Key(trace.process(index), trace.token(index)), index);
            case TAKE -> {
                add(rung.remove(new Key(trace.process(index), trace.token(index))), index);
                takenByNic.put(who, index);
                if (trace.value(index) == AddressMap.SEND_DOORBELL) {
                    takenForQueue.put(queue, index);
                } else if (trace.value(index) != Doorbell.COMMAND) {
                    causeOfQueue.put(queue, index);
                }
            }
            case COMMAND -> {
                Integer taken = takenByNic.get(who);
                if (taken != null) {
                    takenForQueue.put(queue, taken);
                    causeOfQueue.put(queue, taken);
                }
            }
            case WORK -> {
                add(takenForQueue.remove(queue), index);
                worked.put(queue, index);
            }
            case DONE, HAND -> worked.remove(queue);
            case COMPLETE -> {
                add(worked.get(new Key(trace.process(index), trace.value(index))), index);
                causeOfQueue.put(queue, index);
            }
            case FIRE -> {
                Integer cause = causeOfQueue.get(queue);
                if (cause != null) {
                    causesOfThread.computeIfAbsent(who, key -> new ArrayList<>()).add(cause);
                }
            }
            case END, BEGIN_KERNEL, END_KERNEL, POSTED, ENDED -> {
                // Brings nothing about.
            }
        }
    }

    private void add(@Nullable Integer begin, int end) {
        if (begin == null) {
            return;
        }
        if (count == nextFrom.length) {
            nextFrom = Arrays.copyOf(nextFrom, 2 * count);
            nextTo = Arrays.copyOf(nextTo, 2 * count);
        }
        nextFrom[count] = from[begin];
        nextTo[count] = to[end];
        from[begin] = count;
        to[end] = count;
        count++;
    }

    /// The arrows that begin at an event, each a number of its own.
    void from(int event, IntConsumer each) {
        for (int arrow = from[event]; arrow != NONE; arrow = nextFrom[arrow]) {
            each.accept(arrow);
        }
    }

    /// The arrows that end at an event.
    void to(int event, IntConsumer each) {
        for (int arrow = to[event]; arrow != NONE; arrow = nextTo[arrow]) {
            each.accept(arrow);
        }
    }
}
