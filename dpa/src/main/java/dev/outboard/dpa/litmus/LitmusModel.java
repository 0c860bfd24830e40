package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.model.Code;
import dev.outboard.dpa.model.Execution;
import dev.outboard.dpa.model.MemoryState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A litmus program made ready for the model: where its variables lie, its actors as code, and how
/// an execution that has ended becomes an outcome. Immutable.
final class LitmusModel {
    /// How many doorbells can be told apart where their order of arrival is asked for.
    private static final int MOST_NAMED_ARRIVALS = 16;

    private final LitmusProgram program;
    private final ModelLayout places;
    private final boolean arrivalsWatched;
    private final BitSet nicObserved;
    private final List<ActorProgram> actors = new ArrayList<>();

    LitmusModel(LitmusProgram program) {
        this.program = program;
        places = new ModelLayout(program);
        int threads = 0;
        for (Actor actor : program.actors()) {
            int thread = actor.kind() == Actor.Kind.THREAD ? threads++ : -1;
            actors.add(new ActorCompiler(places, actor).compile(thread));
        }
        arrivalsWatched = areArrivalsWatched(program);
        nicObserved = nicObserved(program, places);
        if (arrivalsWatched && places.doorbells() > MOST_NAMED_ARRIVALS) {
            throw new IllegalArgumentException(
                    "The program asks for an order of arrival and has %d doorbells: at most %d"
                            .formatted(places.doorbells(), MOST_NAMED_ARRIVALS));
        }
    }

    /// The granules of which an outcome tells what the NIC sees.
    private static BitSet nicObserved(LitmusProgram program, ModelLayout places) {
        BitSet granules = new BitSet();
        for (List<Observation> all : List.of(program.observed(), program.observedOnHang())) {
            for (Observation observation : all) {
                if (observation instanceof Observation.OfNicView of) {
                    Variable variable = program.variable(of.variable());
                    granules.set(places.address(variable) / Variable.GRANULE_BYTES);
                }
            }
        }
        return granules;
    }

    private static boolean areArrivalsWatched(LitmusProgram program) {
        return program.actors().stream()
                .anyMatch(actor ->
                        ProgramChecks.contains(
                                actor.body(), one -> one instanceof Statement.ArrivalOrder));
    }

    /// The execution at its beginning.
    ///
    /// @param reduced whether interleavings that make no difference are left out
    Execution start(Profile profile, boolean reduced) {
        long[] memory = places.initial(true);
        long[] external = places.initial(false);
        MemoryState state =
                new MemoryState(places.layout(arrivalsWatched), profile, memory, external);
        Code[] codes = actors.stream().map(LitmusCode::start).toArray(Code[]::new);
        return reduced
                ? Execution.reduced(state, codes, nicObserved)
                : Execution.stepwise(state, codes);
    }

    /// The program.
    LitmusProgram program() {
        return program;
    }

    /// What is observed, as numbers.
    long[] observed(Execution execution, boolean hang) {
        List<Observation> observations = observations(hang);
        long[] values = new long[observations.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(execution, observations.get(i));
        }
        return values;
    }

    private List<Observation> observations(boolean hang) {
        return hang ? program.observedOnHang() : program.observed();
    }

    private long value(Execution execution, Observation observation) {
        return switch (observation) {
            case Observation.OfRegister of -> {
                int actor = actor(of.actor());
                int register = actors.get(actor).registers().indexOf(of.register());
                yield register < 0 ? 0 : ((LitmusCode) execution.code(actor)).register(register);
            }
            case Observation.OfMemory of -> {
                Variable variable = program.variable(of.variable());
                int address = places.address(variable);
                yield of.external()
                        ? execution.memory().externalRead(address, variable.sizeBytes())
                        : execution.memory().peek(address, variable.sizeBytes());
            }
            case Observation.OfNicView of -> {
                Variable variable = program.variable(of.variable());
                yield execution.memory().nicRead(places.address(variable), variable.sizeBytes());
            }
        };
    }

    private int actor(String name) {
        for (int i = 0; i < actors.size(); i++) {
            if (actors.get(i).actor().name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("No actor is called '%s'".formatted(name));
    }

    /// The outcome that has these values.
    Outcome outcome(long[] values, boolean hang) {
        List<Observation> observations = observations(hang);
        Map<String, String> named = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            Observation observation = observations.get(i);
            named.put(
                    observation.name(),
                    isArrivalOrder(observation)
                            ? arrivals(values[i])
                            : Long.toUnsignedString(values[i]));
        }
        return new Outcome(named, hang);
    }

    private boolean isArrivalOrder(Observation observation) {
        return observation instanceof Observation.OfRegister of
                && ProgramChecks.contains(
                        program.actors().get(actor(of.actor())).body(),
                        statement ->
                                statement instanceof Statement.ArrivalOrder order
                                        && order.register().equals(of.register()));
    }

    private String arrivals(long number) {
        return Arrays.stream(Execution.arrivals(number))
                .mapToObj(places::doorbellName)
                .collect(Collectors.joining(","));
    }
}
