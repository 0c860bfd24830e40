package dev.outboard.dpa.litmus;

import dev.outboard.dpa.model.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// Where the variables of a program lie in the memory of the model, which has the granules that
/// they use and no others; and the numbers of doorbells and queues.
final class ModelLayout {
    private static final int LINE_GRANULES = Variable.LINE_BYTES / Variable.GRANULE_BYTES;

    private final LitmusProgram program;
    private final Map<Integer, Integer> memory = new TreeMap<>();
    private final Map<Integer, Integer> external = new TreeMap<>();
    private final List<String> doorbells = new ArrayList<>();
    private final List<String> queues = new ArrayList<>();

    ModelLayout(LitmusProgram program) {
        this.program = program;
        for (Variable variable : program.variables()) {
            granules(variable).put(variable.address() / Variable.GRANULE_BYTES, 0);
        }
        number(memory);
        number(external);
        for (Actor actor : program.actors()) {
            ProgramChecks.forEach(
                    actor.body(),
                    statement -> {
                        if (statement instanceof Statement.Doorbell doorbell
                                && !doorbells.contains(doorbell.name())) {
                            doorbells.add(doorbell.name());
                        }
                        if (statement instanceof Statement.NicWrite write) {
                            write.queue()
                                    .filter(queue -> !queues.contains(queue))
                                    .ifPresent(queues::add);
                        }
                    });
        }
    }

    private static void number(Map<Integer, Integer> granules) {
        int next = 0;
        for (var entry : granules.entrySet()) {
            entry.setValue(next++);
        }
    }

    private Map<Integer, Integer> granules(Variable variable) {
        return variable.inDpaMemory() ? memory : external;
    }

    /// The layout for the model.
    Layout layout(boolean arrivalsWatched) {
        int threads = 0;
        for (Actor actor : program.actors()) {
            threads += actor.kind() == Actor.Kind.THREAD ? 1 : 0;
        }
        boolean[] heap = new boolean[memory.size()];
        for (Variable variable : program.variables()) {
            if (variable.inDpaMemory()) {
                heap[address(variable) / Variable.GRANULE_BYTES] = variable.area() == Area.HEAP;
            }
        }
        Layout layout = new Layout(threads, doorbells.size(), arrivalsWatched);
        for (boolean inHeap : heap) {
            layout.addMemory(inHeap);
        }
        for (int granule : external.keySet()) {
            layout.addExternal(granule / LINE_GRANULES);
        }
        return layout;
    }

    /// The granules of DPA memory or of external memory as they are at the start.
    long[] initial(boolean dpaMemory) {
        long[] granules = new long[(dpaMemory ? memory : external).size()];
        for (Variable variable : program.variables()) {
            if (variable.inDpaMemory() == dpaMemory) {
                int shift = variable.offset() % Variable.GRANULE_BYTES * Byte.SIZE;
                long mask = -1L >>> (Long.SIZE - variable.sizeBytes() * Byte.SIZE);
                granules[address(variable) / Variable.GRANULE_BYTES] |=
                        (variable.initial() & mask) << shift;
            }
        }
        return granules;
    }

    int address(Variable variable) {
        int granule = variable.address() / Variable.GRANULE_BYTES;
        return Objects.requireNonNull(granules(variable).get(granule)) * Variable.GRANULE_BYTES
                + variable.offset() % Variable.GRANULE_BYTES;
    }

    int address(Access access) {
        return address(program.variable(access.variable())) + access.offset();
    }

    boolean isExternal(Access access) {
        return access.via() != Via.DPA;
    }

    /// The number of a doorbell.
    int doorbell(String name) {
        return doorbells.indexOf(name);
    }

    String doorbellName(int number) {
        return doorbells.get(number);
    }

    int doorbells() {
        return doorbells.size();
    }

    /// The number of a queue of the NIC.
    int queue(String name) {
        return queues.indexOf(name);
    }
}
