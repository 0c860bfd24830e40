package dev.outboard.dpa.litmus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// What can be wrong with a program whose every statement is well-formed.
final class ProgramChecks {
    private ProgramChecks() {}

    /// @throws LitmusSyntaxException if an actor reads a register that it never sets, or waits for
    ///   a doorbell that nobody rings
    static void check(List<Actor> actors) {
        Set<String> rung = new TreeSet<>();
        for (Actor actor : actors) {
            forEach(
                    actor.body(),
                    statement -> {
                        if (statement instanceof Statement.Doorbell doorbell) {
                            rung.add(doorbell.name());
                        }
                    });
        }
        for (Actor actor : actors) {
            Set<String> assigned = assigned(actor.body());
            forEach(
                    actor.body(),
                    statement -> {
                        for (Expression expression : expressions(statement)) {
                            checkRegisters(expression, actor, assigned);
                        }
                        if (statement instanceof Statement.OnDoorbell on
                                && !rung.contains(on.name())) {
                            throw new LitmusSyntaxException(
                                    on.place(),
                                    "no thread rings a doorbell '%s': there are %s"
                                            .formatted(on.name(), rung));
                        }
                    });
        }
    }

    private static void checkRegisters(Expression expression, Actor actor, Set<String> assigned) {
        switch (expression) {
            case Expression.Constant constant -> {}
            case Expression.Register register -> {
                if (!assigned.contains(register.name())) {
                    throw new LitmusSyntaxException(
                            register.place(),
                            "%s sets no register '%s': it sets %s"
                                    .formatted(actor.name(), register.name(), assigned));
                }
            }
            case Expression.Combination combination -> {
                checkRegisters(combination.left(), actor, assigned);
                checkRegisters(combination.right(), actor, assigned);
            }
        }
    }

    /// The registers that statements set, also inside other statements.
    static Set<String> assigned(List<Statement> statements) {
        Set<String> registers = new TreeSet<>();
        forEach(statements, statement -> register(statement).ifPresent(registers::add));
        return registers;
    }

    /// Every statement, also those inside others, in the order of the text.
    static void forEach(List<Statement> statements, Consumer<Statement> action) {
        for (Statement statement : statements) {
            action.accept(statement);
            switch (statement) {
                case Statement.If conditional -> {
                    forEach(conditional.then(), action);
                    forEach(conditional.otherwise(), action);
                }
                case Statement.Repeat repeat -> forEach(repeat.body(), action);
                case Statement.Spin spin -> forEach(spin.body(), action);
                default -> {}
            }
        }
    }

    /// What a statement itself accesses.
    static List<Access> accesses(Statement statement) {
        return switch (statement) {
            case Statement.Load load -> List.of(load.access());
            case Statement.Store store -> List.of(store.access());
            case Statement.Spin spin -> List.of(spin.access());
            case Statement.Atomic atomic -> List.of(atomic.access());
            case Statement.LoadReserved load -> List.of(load.access());
            case Statement.StoreConditional store -> List.of(store.access());
            case Statement.SpinLock lock -> List.of(lock.lock());
            case Statement.SpinUnlock unlock -> List.of(unlock.lock());
            case Statement.Await await -> List.of(await.access());
            case Statement.Read read -> List.of(read.access());
            case Statement.NicWrite write ->
                    write.writes().stream().map(Statement.Write::access).toList();
            case Statement.NicFetchAdd add -> List.of(add.access());
            case Statement.NicCompareSwap swap -> List.of(swap.access());
            case Statement.HostWrite write -> List.of(write.access());
            case Statement.HostCopy copy -> List.of(copy.access());
            default -> List.of();
        };
    }

    /// Whether one of the statements is such a one, also inside others.
    static boolean contains(List<Statement> statements, Predicate<Statement> test) {
        boolean[] found = new boolean[1];
        forEach(statements, statement -> found[0] |= test.test(statement));
        return found[0];
    }

    private static Optional<String> register(Statement statement) {
        return switch (statement) {
            case Statement.Assign assign -> Optional.of(assign.register());
            case Statement.Load load -> Optional.of(load.register());
            case Statement.Atomic atomic -> atomic.register();
            case Statement.LoadReserved load -> Optional.of(load.register());
            case Statement.StoreConditional store -> store.register();
            case Statement.ArrivalOrder order -> Optional.of(order.register());
            case Statement.Read read -> Optional.of(read.register());
            case Statement.NicFetchAdd add -> add.register();
            case Statement.NicCompareSwap swap -> swap.register();
            default -> Optional.empty();
        };
    }

    private static List<Expression> expressions(Statement statement) {
        return switch (statement) {
            case Statement.Assign assign -> List.of(assign.value());
            case Statement.If conditional ->
                    List.of(conditional.condition().left(), conditional.condition().right());
            case Statement.Store store -> List.of(store.value());
            case Statement.Spin spin -> List.of(spin.value());
            case Statement.Atomic atomic -> List.of(atomic.operand());
            case Statement.StoreConditional store -> List.of(store.value());
            case Statement.Await await -> List.of(await.value());
            case Statement.NicWrite write -> {
                List<Expression> values = new ArrayList<>();
                write.writes().forEach(one -> values.add(one.value()));
                yield values;
            }
            case Statement.NicFetchAdd add -> List.of(add.addend());
            case Statement.NicCompareSwap swap -> List.of(swap.compare(), swap.swap());
            case Statement.HostWrite write -> List.of(write.value());
            case Statement.HostCopy copy -> List.of(copy.value());
            default -> List.of();
        };
    }
}
