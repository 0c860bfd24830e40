package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.AtomicOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Writes statements as the text form has them.
final class StatementPrinter {
    private StatementPrinter() {}

    static String print(List<Statement> statements) {
        return statements.stream().map(StatementPrinter::print).collect(Collectors.joining("; "));
    }

    /// A statement for each row, as the columns of other tools have them; blocks take several.
    static List<String> rows(List<Statement> statements) {
        List<String> rows = new ArrayList<>();
        for (Statement statement : statements) {
            switch (statement) {
                case Statement.If conditional -> {
                    openBlock(rows, head(conditional), conditional.then());
                    if (!conditional.otherwise().isEmpty()) {
                        openBlock(rows, "} else", conditional.otherwise());
                    }
                    rows.add("}");
                }
                case Statement.Repeat repeat -> {
                    openBlock(rows, head(repeat), repeat.body());
                    rows.add("}");
                }
                case Statement.Spin spin when !spin.body().isEmpty() -> {
                    openBlock(rows, head(spin), spin.body());
                    rows.add("}");
                }
                default -> rows.add(print(statement));
            }
        }
        return rows;
    }

    private static void openBlock(List<String> rows, String head, List<Statement> body) {
        rows.add(head + " {");
        rows(body).forEach(row -> rows.add("  " + row));
    }

    private static String head(Statement.If statement) {
        return "if " + condition(statement.condition());
    }

    private static String head(Statement.Repeat statement) {
        return "repeat " + statement.rounds();
    }

    private static String head(Statement.Spin statement) {
        return "spin "
                + access(statement.access())
                + statement.comparison().sign()
                + value(statement.value());
    }

    /// One statement on one line.
    static String print(Statement statement) {
        return switch (statement) {
            case Statement.Control control -> control(control);
            case Statement.Device device -> device(device);
            case Statement.Outside outside -> outside(outside);
        };
    }

    private static String control(Statement.Control statement) {
        return switch (statement) {
            case Statement.Assign assign -> assign.register() + "=" + value(assign.value());
            case Statement.If conditional -> {
                String then = head(conditional) + block(conditional.then());
                yield conditional.otherwise().isEmpty()
                        ? then
                        : then + " else" + block(conditional.otherwise());
            }
            case Statement.Repeat repeat -> head(repeat) + block(repeat.body());
            case Statement.Break leave -> "break";
        };
    }

    private static String device(Statement.Device statement) {
        return switch (statement) {
            case Statement.Load load -> load.register() + "=" + access(load.access());
            case Statement.Store store -> access(store.access()) + "=" + value(store.value());
            case Statement.Spin spin ->
                    head(spin) + (spin.body().isEmpty() ? "" : block(spin.body()));
            case Statement.Fence fence ->
                    "fence(%s,%s,%s)"
                            .formatted(fence.space(), fence.predecessors(), fence.successors());
            case Statement.CacheOperation cache -> cache.operation().word();
            case Statement.Doorbell doorbell -> doorbell(doorbell);
            case Statement.Atomic atomic ->
                    "%samo%s%s(%s,%s)"
                            .formatted(
                                    register(atomic.register()),
                                    atomic.operation().name().toLowerCase(Locale.ROOT),
                                    order(atomic.order()),
                                    access(atomic.access()),
                                    value(atomic.operand()));
            case Statement.LoadReserved load ->
                    "%s=lr%s(%s)"
                            .formatted(load.register(), order(load.order()), access(load.access()));
            case Statement.StoreConditional store ->
                    "%ssc%s(%s,%s)"
                            .formatted(
                                    register(store.register()),
                                    order(store.order()),
                                    access(store.access()),
                                    value(store.value()));
            case Statement.SpinLock lock -> "spin_lock(" + lock.lock().variable() + ")";
            case Statement.SpinUnlock unlock -> "spin_unlock(" + unlock.lock().variable() + ")";
        };
    }

    private static String doorbell(Statement.Doorbell doorbell) {
        boolean plain = doorbell.register() == DoorbellRegister.SXD;
        String register = plain ? "" : "@" + doorbell.register();
        String queue = doorbell.queue().map(name -> "," + name).orElse("");
        return "DB(" + doorbell.name() + register + queue + ")";
    }

    private static String outside(Statement.Outside statement) {
        return switch (statement) {
            case Statement.OnDoorbell on -> "onDB(" + on.name() + ")";
            case Statement.ArrivalOrder order -> order.register() + "=arrival order";
            case Statement.Await await ->
                    "wait "
                            + access(await.access())
                            + await.comparison().sign()
                            + value(await.value());
            case Statement.Read read -> {
                String verb = read.access().via() == Via.HOST ? "=" : "=nicrd ";
                yield read.register() + verb + access(read.access());
            }
            case Statement.NicWrite write -> write(write);
            case Statement.NicFetchAdd add ->
                    "%snicadd(%s,%s)"
                            .formatted(
                                    register(add.register()),
                                    access(add.access()),
                                    value(add.addend()));
            case Statement.NicCompareSwap swap ->
                    "%sniccas(%s,%s,%s)"
                            .formatted(
                                    register(swap.register()),
                                    access(swap.access()),
                                    value(swap.compare()),
                                    value(swap.swap()));
            case Statement.HostWrite write -> access(write.access()) + "=" + value(write.value());
            case Statement.HostCopy copy ->
                    "h2d " + access(copy.access()) + "=" + value(copy.value());
        };
    }

    private static String write(Statement.NicWrite write) {
        String writes =
                write.writes().stream()
                        .map(one -> access(one.access()) + "=" + value(one.value()))
                        .collect(Collectors.joining(", "));
        boolean single = write.writes().size() == 1 && write.order() == Statement.WriteOrder.STRICT;
        String queue = write.queue().map(name -> " on " + name).orElse("");
        return single
                ? "nicwr " + writes + queue
                : "nicwr{" + writes + "} " + write.order().words() + queue;
    }

    private static String block(List<Statement> statements) {
        return " {" + print(statements) + "}";
    }

    private static String register(Optional<String> register) {
        return register.map(name -> name + "=").orElse("");
    }

    private static String order(AtomicOrder order) {
        return switch (order) {
            case RELAXED -> "";
            case ACQUIRE -> ".aq";
            case RELEASE -> ".rl";
            case ACQUIRE_RELEASE -> ".aqrl";
        };
    }

    /// The size is always written where it is not 8: what a variable has is not known here.
    private static String access(Access access) {
        boolean wide = access.sizeBytes() == Variable.GRANULE_BYTES;
        String size = wide ? "" : Integer.toString(access.sizeBytes());
        String offset = access.offset() == 0 ? "" : "+" + access.offset();
        return access.via().letter() + size + "[" + access.variable() + offset + "]";
    }

    private static String condition(Condition condition) {
        return value(condition.left()) + condition.comparison().sign() + value(condition.right());
    }

    private static String value(Expression value) {
        return switch (value) {
            case Expression.Constant constant -> Long.toUnsignedString(constant.value());
            case Expression.Register register -> register.name();
            case Expression.Combination combination ->
                    operand(combination.left())
                            + combination.operator().sign()
                            + operand(combination.right());
        };
    }

    private static String operand(Expression value) {
        return value instanceof Expression.Combination ? "(" + value(value) + ")" : value(value);
    }

    /// Adds the names of the variables that statements access.
    static void variables(List<Statement> statements, Set<String> names) {
        ProgramChecks.forEach(
                statements,
                statement ->
                        ProgramChecks.accesses(statement)
                                .forEach(access -> names.add(access.variable())));
    }
}
