package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.machine.AtomicOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/// The values of an execution, once it is chosen which write each read has its value from.
final class Values {
    private final Events events;
    private final int[] sources;
    private final long[] written;
    private final boolean[] known;

    /// The registers of each actor at its end.
    final List<Map<String, Long>> registers = new ArrayList<>();

    /// The reads of the order of arrival, by the register of each actor.
    final List<Map<String, Integer>> arrivals = new ArrayList<>();

    /// @param sources the write that each read has its value from
    Values(Events events, int[] sources) {
        this.events = events;
        this.sources = sources;
        written = new long[events.size()];
        known = new boolean[events.size()];
        for (int initial : events.initial.values()) {
            written[initial] = events.get(initial).variable().map(Variable::initial).orElse(0L);
            known[initial] = true;
        }
    }

    /// Goes through all programs, as far as values are known. False if they do not go these ways,
    /// or if a value depends on itself.
    boolean fit() {
        int actors = events.ways.size();
        int[] steps = new int[actors];
        int[] done = new int[actors];
        for (int actor = 0; actor < actors; actor++) {
            registers.add(new HashMap<>());
            arrivals.add(new HashMap<>());
        }
        for (boolean progress = true; progress; ) {
            progress = false;
            for (int actor = 0; actor < actors; actor++) {
                List<Step> way = events.ways.get(actor);
                while (steps[actor] < way.size()) {
                    Step step = way.get(steps[actor]);
                    if (step instanceof Step.Event event) {
                        int number = events.byActor.get(actor).get(done[actor]);
                        if (event.is("R") && !known[sources[number]]) {
                            break;
                        }
                        execute(actor, number, event);
                        done[actor]++;
                    } else if (!local(actor, step)) {
                        return false;
                    }
                    steps[actor]++;
                    progress = true;
                }
            }
        }
        for (int actor = 0; actor < actors; actor++) {
            if (steps[actor] < events.ways.get(actor).size()) {
                return false;
            }
        }
        return true;
    }

    private boolean local(int actor, Step step) {
        if (step instanceof Step.Assign assign) {
            registers.get(actor).put(assign.register(), assign.value().evaluate(of(actor)));
            return true;
        }
        Step.Assume assume = (Step.Assume) step;
        long left = assume.left().evaluate(of(actor));
        long right = assume.right().evaluate(of(actor));
        return assume.comparison().test(left, right) == assume.holds();
    }

    private ToLongFunction<String> of(int actor) {
        return name -> registers.get(actor).getOrDefault(name, 0L);
    }

    private void execute(int actor, int number, Step.Event event) {
        long value = event.value().map(operand -> operand.evaluate(of(actor))).orElse(0L);
        if (event.is("R")) {
            long old = written[sources[number]];
            if (event.place().equals(Events.ARRIVALS)) {
                arrivals.get(actor).put(event.register().orElseThrow(), number);
            }
            event.register().ifPresent(register -> registers.get(actor).put(register, old));
            if (event.operation().isPresent()) {
                value = apply(event.operation().get(), event, old, value);
            }
        }
        if (event.is("W")) {
            int bytes = event.variable().map(Variable::sizeBytes).orElse(Long.BYTES);
            long mask = bytes == Long.BYTES ? -1L : (1L << (bytes * Byte.SIZE)) - 1;
            written[number] = value & mask;
            known[number] = true;
        }
    }

    private static long apply(AtomicOp operation, Step.Event event, long old, long operand) {
        return event.variable().orElseThrow().sizeBytes() == Integer.BYTES
                ? operation.apply((int) old, (int) operand)
                : operation.apply(old, operand);
    }

    long written(int write) {
        return written[write];
    }
}
