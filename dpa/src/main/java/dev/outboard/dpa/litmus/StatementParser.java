package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the statements of one actor.
final class StatementParser {
    private static final int MOST_ROUNDS = 1000;
    private static final Map<String, AtomicOp> ATOMICS = new HashMap<>();
    private static final Map<String, Space> FENCES =
            Map.of(
                    "memory_fence", Space.MEMORY,
                    "window_fence", Space.MMIO,
                    "outbox_fence", Space.MMIO);
    private static final Map<String, Statement.CacheOperation.Operation> CACHE_OPERATIONS =
            new HashMap<>();

    static {
        for (AtomicOp operation : AtomicOp.values()) {
            ATOMICS.put("amo" + operation.name().toLowerCase(Locale.ROOT), operation);
        }
        for (var operation : Statement.CacheOperation.Operation.values()) {
            CACHE_OPERATIONS.put(operation.word(), operation);
        }
        CACHE_OPERATIONS.put("window_read_inv", Statement.CacheOperation.Operation.WINDOW_READ_INV);
        // The other spelling of the same operation.
        CACHE_OPERATIONS.put(
                "writeback_memory", Statement.CacheOperation.Operation.MEMORY_WRITEBACK);
    }

    private final Scanner scanner;
    private final ExpressionParser expressions;
    private final Actor.Kind kind;
    private int loops;

    StatementParser(Scanner scanner, VariableTable variables, Actor.Kind kind) {
        this.scanner = scanner;
        this.kind = kind;
        expressions = new ExpressionParser(scanner, variables);
    }

    /// Statements with `;` between them, and perhaps one at the end.
    List<Statement> statements() {
        List<Statement> statements = new ArrayList<>();
        while (startsStatement()) {
            statements.add(statement());
            if (!scanner.accept(";")) {
                break;
            }
        }
        return List.copyOf(statements);
    }

    /// The name of an actor or a word of the file ends the statements of an actor.
    private boolean startsStatement() {
        Scanner.Token token = scanner.peek();
        return token.kind() == Scanner.Kind.WORD
                && !LitmusParser.KEYWORDS.contains(token.text())
                && !scanner.peekSecond(":")
                && !scanner.peekSecond("?");
    }

    private List<Statement> block() {
        scanner.expect("{");
        List<Statement> statements = statements();
        scanner.expect("}");
        return statements;
    }

    private Statement statement() {
        Scanner.Token first = scanner.peek();
        Statement statement =
                switch (first.text()) {
                    case "if" -> conditional();
                    case "repeat" -> repeat();
                    case "break" -> leave();
                    default -> kind == Actor.Kind.THREAD ? device(first) : outside(first);
                };
        if (statement == null) {
            throw scanner.unexpected("a statement of " + described());
        }
        return statement;
    }

    private String described() {
        return switch (kind) {
            case THREAD ->
                    "a DPA thread (M[x]=…, W[x]=…, r=…, spin, fence, memory_writeback,"
                            + " window_writeback, read_inv, DB, amo…, sc, spin_lock, spin_unlock,"
                            + " if, repeat, break)";
            case NIC -> "a NIC (r=…, nicwr, nicadd, niccas, onDB, wait, if, repeat, break)";
            case HOST -> "the host (H[x]=…, r=…, h2d, onDB, wait, if, repeat, break)";
        };
    }

    private Statement conditional() {
        Place place = scanner.take().place();
        Condition condition = expressions.condition();
        List<Statement> then = block();
        List<Statement> otherwise = scanner.accept("else") ? block() : List.of();
        return new Statement.If(place, condition, then, otherwise);
    }

    private Statement repeat() {
        Place place = scanner.take().place();
        Place number = scanner.peek().place();
        long rounds = scanner.expectNumber("a number of rounds");
        if (rounds < 1 || rounds > MOST_ROUNDS) {
            throw new LitmusSyntaxException(
                    number, "a loop has 1 to %d rounds, not %d".formatted(MOST_ROUNDS, rounds));
        }
        loops++;
        List<Statement> body = block();
        loops--;
        return new Statement.Repeat(place, (int) rounds, body);
    }

    private Statement leave() {
        Place place = scanner.take().place();
        if (loops == 0) {
            throw new LitmusSyntaxException(place, "'break' stands in no repeat and no spin");
        }
        return new Statement.Break(place);
    }

    private @Nullable Statement device(Scanner.Token first) {
        Place place = first.place();
        if (expressions.isAccess()) {
            Access access = expressions.access(Via.DPA, Via.WINDOW);
            scanner.expect("=");
            return new Statement.Store(place, access, expressions.expression());
        }
        if (scanner.peekSecond("=")) {
            String register = scanner.take().text();
            scanner.expect("=");
            return deviceValue(place, register);
        }
        if (first.text().startsWith("amo") || first.is("sc")) {
            return atomic(place, Optional.empty());
        }
        Statement.CacheOperation.Operation operation = CACHE_OPERATIONS.get(first.text());
        if (operation != null) {
            scanner.take();
            return new Statement.CacheOperation(place, operation);
        }
        return switch (first.text()) {
            case "spin" -> spin();
            case "fence", "memory_fence", "window_fence", "outbox_fence", "system_fence" -> fence();
            case "DB" -> doorbell();
            case "spin_lock" -> {
                scanner.take();
                yield new Statement.SpinLock(place, lock());
            }
            case "spin_unlock" -> {
                scanner.take();
                yield new Statement.SpinUnlock(place, lock());
            }
            default -> null;
        };
    }

    private Access lock() {
        scanner.expect("(");
        Access lock = expressions.lock();
        scanner.expect(")");
        return lock;
    }

    private Statement deviceValue(Place place, String register) {
        String first = scanner.peek().text();
        if (expressions.isAccess()) {
            return new Statement.Load(place, register, expressions.access(Via.DPA, Via.WINDOW));
        }
        boolean call = scanner.peekSecond("(") || scanner.peekSecond(".");
        if (call && scanner.peek().kind() == Scanner.Kind.WORD) {
            return first.equals("lr")
                    ? loadReserved(place, register)
                    : atomic(place, Optional.of(register));
        }
        return new Statement.Assign(place, register, expressions.expression());
    }

    private Statement loadReserved(Place place, String register) {
        scanner.take();
        AtomicOrder order = order();
        scanner.expect("(");
        Access access = wide(expressions.access(Via.DPA));
        scanner.expect(")");
        return new Statement.LoadReserved(place, register, order, access);
    }

    private Statement atomic(Place place, Optional<String> register) {
        Scanner.Token name = scanner.peek();
        AtomicOp operation = ATOMICS.get(name.text());
        if (operation == null && !name.is("sc")) {
            throw scanner.unexpected(
                    "amoswap, amoadd, amoand, amoor, amoxor, amomin, amomax, amominu, amomaxu,"
                            + " lr or sc");
        }
        scanner.take();
        AtomicOrder order = order();
        scanner.expect("(");
        Access access = wide(expressions.access(Via.DPA));
        scanner.expect(",");
        Expression value = expressions.expression();
        scanner.expect(")");
        return operation == null
                ? new Statement.StoreConditional(place, register, order, access, value)
                : new Statement.Atomic(place, register, operation, order, access, value);
    }

    private static Access wide(Access access) {
        if (access.sizeBytes() < Integer.BYTES) {
            throw new LitmusSyntaxException(
                    access.place(), "an atomic has 4 or 8 bytes, not " + access.sizeBytes());
        }
        return access;
    }

    private AtomicOrder order() {
        if (!scanner.accept(".")) {
            return AtomicOrder.RELAXED;
        }
        Map<String, AtomicOrder> orders =
                Map.of(
                        "aq", AtomicOrder.ACQUIRE,
                        "rl", AtomicOrder.RELEASE,
                        "aqrl", AtomicOrder.ACQUIRE_RELEASE);
        AtomicOrder order = orders.get(scanner.peek().text());
        if (order == null) {
            throw scanner.unexpected("aq, rl or aqrl");
        }
        scanner.take();
        return order;
    }

    private Statement spin() {
        Place place = scanner.take().place();
        Access access = expressions.access(Via.DPA, Via.WINDOW);
        Comparison comparison = expressions.comparison();
        Expression value = expressions.expression();
        loops++;
        List<Statement> body = scanner.peek().is("{") ? block() : List.of();
        loops--;
        return new Statement.Spin(place, access, comparison, value, body);
    }

    /// DPA-FEN-7: `fence(S,P,S)` and its shortcuts.
    private Statement fence() {
        Scanner.Token name = scanner.take();
        if (name.is("system_fence")) {
            return new Statement.Fence(name.place(), Space.SYSTEM, Op.RW, Op.RW);
        }
        scanner.expect("(");
        Space space = FENCES.get(name.text());
        if (space == null) {
            space = expressions.constant(Space.class);
            scanner.expect(",");
        }
        Op predecessors = expressions.constant(Op.class);
        scanner.expect(",");
        Op successors = expressions.constant(Op.class);
        scanner.expect(")");
        return new Statement.Fence(name.place(), space, predecessors, successors);
    }

    private Statement doorbell() {
        Place place = scanner.take().place();
        scanner.expect("(");
        String name = scanner.expectWord("the name of a doorbell").text();
        DoorbellRegister register =
                scanner.accept("@")
                        ? expressions.constant(DoorbellRegister.class)
                        : DoorbellRegister.SXD;
        Optional<String> queue =
                scanner.accept(",")
                        ? Optional.of(scanner.expectWord("the name of a queue").text())
                        : Optional.empty();
        scanner.expect(")");
        return new Statement.Doorbell(place, name, register, queue);
    }

    private @Nullable Statement outside(Scanner.Token first) {
        Place place = first.place();
        if (expressions.isAccess() && kind == Actor.Kind.HOST) {
            Access access = expressions.access(Via.HOST);
            scanner.expect("=");
            return new Statement.HostWrite(place, access, expressions.expression());
        }
        if (!expressions.isAccess() && scanner.peekSecond("=")) {
            String register = scanner.take().text();
            scanner.expect("=");
            return outsideValue(place, register);
        }
        return switch (first.text()) {
            case "onDB" -> {
                scanner.take();
                scanner.expect("(");
                String name = scanner.expectWord("the name of a doorbell").text();
                scanner.expect(")");
                yield new Statement.OnDoorbell(place, name);
            }
            case "wait" -> {
                scanner.take();
                Access access = outsideAccess();
                Comparison comparison = expressions.comparison();
                yield new Statement.Await(place, access, comparison, expressions.expression());
            }
            case "h2d" -> kind == Actor.Kind.HOST ? copy() : null;
            case "nicwr" -> kind == Actor.Kind.NIC ? write() : null;
            case "nicadd", "niccas" ->
                    kind == Actor.Kind.NIC ? nicAtomic(place, Optional.empty()) : null;
            default -> null;
        };
    }

    private Access outsideAccess() {
        return kind == Actor.Kind.NIC
                ? expressions.access(Via.DPA, Via.EXTERNAL)
                : expressions.access(Via.HOST);
    }

    private Statement outsideValue(Place place, String register) {
        Scanner.Token first = scanner.peek();
        if (scanner.accept("arrival")) {
            scanner.expect("order");
            return new Statement.ArrivalOrder(place, register);
        }
        if (kind == Actor.Kind.HOST && expressions.isAccess()) {
            return new Statement.Read(place, register, expressions.access(Via.HOST));
        }
        if (kind == Actor.Kind.NIC && scanner.accept("nicrd")) {
            return new Statement.Read(place, register, expressions.access(Via.DPA, Via.EXTERNAL));
        }
        if (kind == Actor.Kind.NIC && (first.is("nicadd") || first.is("niccas"))) {
            return nicAtomic(place, Optional.of(register));
        }
        return new Statement.Assign(place, register, expressions.expression());
    }

    private Statement nicAtomic(Place place, Optional<String> register) {
        boolean add = scanner.take().is("nicadd");
        scanner.expect("(");
        Access access = expressions.access(Via.DPA, Via.EXTERNAL);
        if (access.sizeBytes() != Variable.GRANULE_BYTES) {
            throw new LitmusSyntaxException(
                    access.place(), "an atomic of the NIC has 8 bytes, not " + access.sizeBytes());
        }
        scanner.expect(",");
        Expression operand = expressions.expression();
        Statement statement;
        if (add) {
            statement = new Statement.NicFetchAdd(place, register, access, operand);
        } else {
            scanner.expect(",");
            Expression swap = expressions.expression();
            statement = new Statement.NicCompareSwap(place, register, access, operand, swap);
        }
        scanner.expect(")");
        return statement;
    }

    private Statement copy() {
        Place place = scanner.take().place();
        Access access = expressions.access(Via.DPA);
        scanner.expect("=");
        return new Statement.HostCopy(place, access, expressions.expression());
    }

    private Statement write() {
        Place place = scanner.take().place();
        List<Statement.Write> writes = new ArrayList<>();
        Statement.WriteOrder order = Statement.WriteOrder.STRICT;
        if (scanner.accept("{")) {
            do {
                writes.add(one());
            } while (scanner.accept(","));
            scanner.expect("}");
            if (scanner.accept("any")) {
                order = Statement.WriteOrder.ANY;
                scanner.expect("order");
            } else if (scanner.accept("in")) {
                scanner.expect("order");
            }
        } else {
            writes.add(one());
        }
        Optional<String> queue =
                scanner.accept("on")
                        ? Optional.of(scanner.expectWord("the name of a queue").text())
                        : Optional.empty();
        return new Statement.NicWrite(place, List.copyOf(writes), order, queue);
    }

    private Statement.Write one() {
        Access access = expressions.access(Via.DPA, Via.EXTERNAL);
        scanner.expect("=");
        return new Statement.Write(access, expressions.expression());
    }
}
