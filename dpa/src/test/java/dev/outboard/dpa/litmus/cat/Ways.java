package dev.outboard.dpa.litmus.cat;

import dev.outboard.dpa.litmus.Access;
import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.Area;
import dev.outboard.dpa.litmus.Comparison;
import dev.outboard.dpa.litmus.Condition;
import dev.outboard.dpa.litmus.Expression;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Place;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All ways through an actor's program, loops unrolled. Refuses what is outside of the fragment of
/// `dpa.cat`.
final class Ways {
    /// How often a poll of a window fails at most. One that fails more often has no other effect.
    private static final int FAILED_POLLS = 2;

    private static final String POLLED = "(polled)";

    private final LitmusProgram program;
    private final String side;
    private int groups;

    private Ways(LitmusProgram program, Actor actor) {
        this.program = program;
        side = actor.kind() == Actor.Kind.THREAD ? "T" : "N";
    }

    /// @throws UnsupportedOperationException if the actor does what `dpa.cat` cannot say
    static List<List<Step>> of(LitmusProgram program, Actor actor) {
        List<List<Step>> ways = new Ways(program, actor).all(actor.body());
        if (!actor.optional()) {
            return ways;
        }
        Set<List<Step>> parts = new HashSet<>();
        for (List<Step> way : ways) {
            for (int end = 0; end <= way.size(); end++) {
                parts.add(way.subList(0, end));
            }
        }
        return List.copyOf(parts);
    }

    private List<List<Step>> all(List<Statement> statements) {
        List<List<Step>> ways = List.of(List.of());
        for (Statement statement : statements) {
            ways = joined(ways, ways(statement));
        }
        return ways;
    }

    private static List<List<Step>> joined(List<List<Step>> firsts, List<List<Step>> seconds) {
        List<List<Step>> result = new ArrayList<>();
        for (List<Step> first : firsts) {
            for (List<Step> second : seconds) {
                List<Step> both = new ArrayList<>(first);
                both.addAll(second);
                result.add(both);
            }
        }
        return result;
    }

    private List<List<Step>> ways(Statement statement) {
        return switch (statement) {
            case Statement.Assign s -> one(new Step.Assign(s.register(), s.value()));
            case Statement.If s -> branches(s);
            case Statement.Repeat s -> rounds(s);
            case Statement.Load s -> one(read(s.access(), s.register()));
            case Statement.Store s -> one(write(s.access(), s.value()));
            case Statement.Spin s -> spin(s);
            case Statement.Fence s -> one(fence(s));
            case Statement.CacheOperation s ->
                    one(
                            event(
                                    switch (s.operation()) {
                                        case MEMORY_WRITEBACK -> "MWB";
                                        case WINDOW_WRITEBACK -> "WWB";
                                        case WINDOW_READ_INV -> "INV";
                                    }));
            case Statement.Doorbell s -> one(doorbell(s));
            case Statement.Atomic s -> one(atomic(s));
            case Statement.OnDoorbell s -> one(onDoorbell(s));
            case Statement.ArrivalOrder s -> one(arrivalOrder(s));
            case Statement.Await s -> poll(s.access(), s.comparison(), s.value(), true);
            case Statement.Read s -> one(read(s.access(), s.register()));
            case Statement.NicWrite s -> one(nicWrite(s));
            case Statement.HostWrite s -> one(write(s.access(), s.value()));
            case Statement.HostCopy s -> one(write(s.access(), s.value()));
            case Statement.Break _,
                    Statement.LoadReserved _,
                    Statement.StoreConditional _,
                    Statement.SpinLock _,
                    Statement.SpinUnlock _,
                    Statement.NicFetchAdd _,
                    Statement.NicCompareSwap _ ->
                    throw new UnsupportedOperationException(
                            "%s at %s is outside of the fragment of dpa.cat"
                                    .formatted(
                                            statement.getClass().getSimpleName(),
                                            statement.place()));
        };
    }

    private List<List<Step>> branches(Statement.If s) {
        List<List<Step>> both =
                new ArrayList<>(joined(one(assume(s.condition(), true)), all(s.then())));
        both.addAll(joined(one(assume(s.condition(), false)), all(s.otherwise())));
        return both;
    }

    private static Step assume(Condition condition, boolean holds) {
        return new Step.Assume(condition.left(), condition.comparison(), condition.right(), holds);
    }

    private List<List<Step>> rounds(Statement.Repeat s) {
        List<List<Step>> ways = List.of(List.of());
        for (int i = 0; i < s.rounds(); i++) {
            ways = joined(ways, all(s.body()));
        }
        return ways;
    }

    private static List<List<Step>> one(Step... steps) {
        return List.of(List.of(steps));
    }

    /// A load of DPA memory that fails does nothing, so that the last one stands for all.
    private List<List<Step>> spin(Statement.Spin s) {
        List<List<Step>> last = poll(s.access(), s.comparison(), s.value(), true);
        boolean silent =
                s.body().isEmpty() && program.variable(s.access().variable()).inDpaMemory();
        List<List<Step>> result = new ArrayList<>(last);
        List<List<Step>> failed = List.of(List.of());
        for (int i = 0; i < FAILED_POLLS && !silent; i++) {
            failed = joined(failed, poll(s.access(), s.comparison(), s.value(), false));
            failed = joined(failed, all(s.body()));
            result.addAll(joined(failed, last));
        }
        return result;
    }

    private List<List<Step>> poll(
            Access access, Comparison comparison, Expression value, boolean holds) {
        Expression polled = new Expression.Register(Place.NONE, POLLED);
        return one(read(access, POLLED), new Step.Assume(polled, comparison, value, holds));
    }

    private Step fence(Statement.Fence s) {
        String space =
                switch (s.space()) {
                    case HEAP -> "FH";
                    case MEMORY -> "FM";
                    case MMIO -> "FX";
                    case SYSTEM -> "FS";
                };
        List<String> sets = new ArrayList<>(List.of(space));
        if (s.predecessors().reads()) {
            sets.add("PR");
        }
        if (s.predecessors().writes()) {
            sets.add("PW");
        }
        if (s.successors().reads()) {
            sets.add("SR");
        }
        if (s.successors().writes()) {
            sets.add("SW");
        }
        return event(sets.toArray(String[]::new));
    }

    private Step.Event event(String... sets) {
        Set<String> all = new HashSet<>(Arrays.asList(sets));
        all.add(side);
        return Step.Event.in(all, "");
    }

    private Step doorbell(Statement.Doorbell s) {
        return Step.Event.in(Set.of(side, "W", "O"), "O." + s.register()).withDoorbell(s.name());
    }

    private Step onDoorbell(Statement.OnDoorbell s) {
        return Step.Event.in(Set.of(side), "").withDoorbell(s.name());
    }

    private Step arrivalOrder(Statement.ArrivalOrder s) {
        return Step.Event.in(Set.of(side, "R", "O"), Events.ARRIVALS)
                .withRegister(Optional.of(s.register()));
    }

    private Step read(Access access, String register) {
        return access(access, Set.of("R")).withRegister(Optional.of(register));
    }

    private Step write(Access access, Expression value) {
        return access(access, Set.of("W")).withValue(Optional.of(value));
    }

    private Step atomic(Statement.Atomic s) {
        boolean releases = s.order().releases();
        return access(s.access(), releases ? Set.of("R", "W", "RL") : Set.of("R", "W"))
                .withRegister(s.register())
                .withValue(Optional.of(s.operand()))
                .withOperation(Optional.of(s.operation()));
    }

    private Step[] nicWrite(Statement.NicWrite s) {
        if (s.queue().isPresent()) {
            throw new UnsupportedOperationException(
                    "A posted operation at %s is outside of the fragment of dpa.cat"
                            .formatted(s.place()));
        }
        int group = s.order() == Statement.WriteOrder.ANY ? ++groups : 0;
        return s.writes().stream()
                .map(write ->
                        access(write.access(), Set.of("W"))
                                .withValue(Optional.of(write.value()))
                                .withGroup(group))
                .toArray(Step[]::new);
    }

    private Step.Event access(Access access, Set<String> sets) {
        Variable variable = program.variable(access.variable());
        if (access.offset() != 0 || access.sizeBytes() != variable.sizeBytes()) {
            throw new UnsupportedOperationException(
                    "A part of '%s' at %s is outside of the fragment of dpa.cat"
                            .formatted(variable.name(), access.place()));
        }
        Set<String> all = new HashSet<>(sets);
        all.add(side);
        all.add(variable.inDpaMemory() ? "M" : "X");
        if (variable.area() == Area.HEAP) {
            all.add("HEAP");
        }
        return Step.Event.in(all, Events.place(variable)).withVariable(Optional.of(variable));
    }
}
