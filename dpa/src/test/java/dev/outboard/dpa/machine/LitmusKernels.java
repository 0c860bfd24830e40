package dev.outboard.dpa.machine;

import dev.outboard.dpa.litmus.Access;
import dev.outboard.dpa.litmus.Actor;
import dev.outboard.dpa.litmus.Condition;
import dev.outboard.dpa.litmus.Expression;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Observation;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.litmus.Variable;
import dev.outboard.dpa.litmus.Via;
import dev.outboard.dpa.process.DpaProcess;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A litmus program as kernels, NICs and hosts in Java: each statement becomes a call of the
/// machine. So every test of the catalog has a form in Java. The kernels can be of another
/// language.
final class LitmusKernels {
    /// What DPA threads run.
    interface Threads {
        /// Runs one of them, with window and outbox configured.
        ///
        /// @param external where external memory is
        /// @param registers gets what its registers hold
        void run(DpaThread thread, Actor actor, long external, Map<String, String> registers);
    }

    private static final int STACK_BYTES = 1024;

    private final LitmusProgram program;
    private final Optional<Threads> foreign;
    private final DpaProcess process;
    private final long external;
    private final int key;
    private final int outbox;

    /// By actor, then by register.
    private final Map<String, Map<String, String>> registers = new HashMap<>();

    /// By name; their order numbers them.
    private final Map<String, Statement.Doorbell> doorbells;

    /// By arrival, so far.
    private final Map<Long, String> arrived = new TreeMap<>();

    static MachineOptions options() {
        return MachineOptions.DEFAULT
                .withUnits(new UnitGrid(1, 8, 0))
                .withStorage(new MachineOptions.Storage(4096, STACK_BYTES, false));
    }

    static DpaProcess open(RunMode mode) {
        return DpaProcess.open(options(), ProgramImage.globals(4096), mode);
    }

    LitmusKernels(LitmusProgram program, DpaProcess process) {
        this(program, process, Optional.empty());
    }

    /// @param foreign what DPA threads run instead of kernels in Java
    LitmusKernels(LitmusProgram program, DpaProcess process, Optional<Threads> foreign) {
        this.program = program;
        this.foreign = foreign;
        this.process = process;
        ExternalRegion region = process.external().add("external", ExternalKind.HOST, 4096);
        external = region.address();
        key = process.external().register(region, Rights.READ_WRITE).number();
        outbox = process.createOutbox();
        for (Variable variable : program.variables()) {
            process.write(
                    address(variable),
                    Arrays.copyOf(bytes(variable.initial()), variable.sizeBytes()));
        }
        doorbells = doorbells(program);
        for (Actor actor : program.actors()) {
            Body body = new Body(actor);
            registers.put(actor.name(), body.registers);
            switch (actor.kind()) {
                case THREAD -> process.thread(actor.name(), body::thread);
                case NIC -> {
                    if (actor.optional()) {
                        process.nicServer(actor.name(), body::nic);
                    } else {
                        process.nic(actor.name(), body::nic);
                    }
                }
                case HOST -> process.host(actor.name(), body::host);
            }
        }
    }

    /// Whether every statement has a form in Java.
    static boolean canRun(LitmusProgram program) {
        return program.actors().stream().allMatch(actor -> canRun(actor.body()));
    }

    private static boolean canRun(List<Statement> body) {
        return body.stream()
                .noneMatch(statement ->
                        statement instanceof Statement.NicWrite write && write.queue().isPresent());
    }

    /// Whether EXPLORE of Java knows every statement: an order of arrival it does not.
    static boolean canExplore(LitmusProgram program) {
        return canRun(program)
                && program.actors().stream()
                        .flatMap(actor -> actor.body().stream())
                        .noneMatch(Statement.ArrivalOrder.class::isInstance);
    }

    private static Map<String, Statement.Doorbell> doorbells(LitmusProgram program) {
        Map<String, Statement.Doorbell> found = new LinkedHashMap<>();
        program.actors().forEach(actor -> findDoorbells(actor.body(), found));
        return found;
    }

    /// What is stored to ring it.
    static long ring(LitmusProgram program, Statement.Doorbell doorbell) {
        int number = List.copyOf(doorbells(program).keySet()).indexOf(doorbell.name());
        return doorbell.register().offset() == AddressMap.SEND_DOORBELL
                ? Doorbell.send(number, 0)
                : Doorbell.interrupt(number);
    }

    private static void findDoorbells(
            List<Statement> body, Map<String, Statement.Doorbell> doorbells) {
        for (Statement statement : body) {
            switch (statement) {
                case Statement.Doorbell doorbell -> doorbells.put(doorbell.name(), doorbell);
                case Statement.If choice -> {
                    findDoorbells(choice.then(), doorbells);
                    findDoorbells(choice.otherwise(), doorbells);
                }
                case Statement.Repeat repeat -> findDoorbells(repeat.body(), doorbells);
                case Statement.Spin spin -> findDoorbells(spin.body(), doorbells);
                default -> {
                    // Rings nothing.
                }
            }
        }
    }

    private static byte[] bytes(long value) {
        byte[] bytes = new byte[Long.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (value >>> (8 * i));
        }
        return bytes;
    }

    private long address(Variable variable) {
        long start =
                switch (variable.area()) {
                    case HEAP -> AddressMap.HEAP;
                    case GLOBALS -> AddressMap.GLOBALS;
                    case STACK -> AddressMap.stack(0);
                    case EXTERNAL -> external;
                };
        return start + variable.address();
    }

    private long address(Access access) {
        return address(program.variable(access.variable())) + access.offset();
    }

    private int number(String doorbell) {
        return List.copyOf(doorbells.keySet()).indexOf(doorbell);
    }

    /// What the run has shown.
    Outcome outcome(boolean hang) {
        Map<String, String> values = new HashMap<>();
        for (Observation observation : hang ? program.observedOnHang() : program.observed()) {
            values.put(observation.name(), value(observation));
        }
        return new Outcome(values, hang);
    }

    private String value(Observation observation) {
        return switch (observation) {
            case Observation.OfRegister of ->
                    registers.getOrDefault(of.actor(), Map.of()).getOrDefault(of.register(), "0");
            case Observation.OfMemory of -> number(read(of.variable(), false));
            case Observation.OfNicView of -> number(read(of.variable(), true));
        };
    }

    private byte[] read(String name, boolean nic) {
        Variable variable = program.variable(name);
        return nic
                ? process.seenByNic(address(variable), variable.sizeBytes())
                : process.read(address(variable), variable.sizeBytes());
    }

    private static String number(byte[] bytes) {
        long value = 0;
        for (int i = bytes.length - 1; i >= 0; i--) {
            value = value << 8 | (bytes[i] & 0xFF);
        }
        return Long.toUnsignedString(value);
    }

    /// Thrown by a `break`.
    private static final class BreakException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /// The program of an actor.
    private final class Body {
        private final Actor actor;
        private final Map<String, String> registers = new HashMap<>();

        private Body(Actor actor) {
            this.actor = actor;
        }

        private long value(Expression expression) {
            return expression.evaluate(
                    name -> Long.parseUnsignedLong(registers.getOrDefault(name, "0")));
        }

        private void set(String register, long value) {
            registers.put(register, Long.toUnsignedString(value));
        }

        private void thread(DpaThread thread) {
            registers.clear();
            thread.configureWindow(key);
            thread.configureOutbox(outbox);
            if (foreign.isPresent()) {
                foreign.get().run(thread, actor, external, registers);
            } else {
                run(actor.body(), statement -> device(thread, (Statement.Device) statement));
            }
        }

        private void nic(Nic nic) {
            registers.clear();
            run(actor.body(), statement -> nic(nic, (Statement.Outside) statement));
        }

        private void host(Host host) {
            registers.clear();
            run(actor.body(), statement -> host(host, (Statement.Outside) statement));
        }

        private void run(List<Statement> body, Consumer<Statement> step) {
            for (Statement statement : body) {
                switch (statement) {
                    case Statement.Assign assign -> set(assign.register(), value(assign.value()));
                    case Statement.If choice ->
                            run(
                                    holds(choice.condition()) ? choice.then() : choice.otherwise(),
                                    step);
                    case Statement.Repeat repeat -> {
                        try {
                            for (int i = 0; i < repeat.rounds(); i++) {
                                run(repeat.body(), step);
                            }
                        } catch (BreakException left) {
                            // Goes on after the loop.
                        }
                    }
                    case Statement.Break leave -> throw new BreakException();
                    default -> step.accept(statement);
                }
            }
        }

        private boolean holds(Condition condition) {
            return condition.comparison().test(value(condition.left()), value(condition.right()));
        }

        private void device(DpaThread thread, Statement.Device statement) {
            switch (statement) {
                case Statement.Load load -> set(load.register(), load(thread, load.access()));
                case Statement.Store store -> store(thread, store.access(), value(store.value()));
                case Statement.Spin spin -> {
                    try {
                        while (!spin.comparison()
                                .test(load(thread, spin.access()), value(spin.value()))) {
                            run(spin.body(), s -> device(thread, (Statement.Device) s));
                        }
                    } catch (BreakException left) {
                        // Goes on after the loop.
                    }
                }
                case Statement.Fence fence ->
                        thread.fence(fence.space(), fence.predecessors(), fence.successors());
                case Statement.CacheOperation operation -> {
                    switch (operation.operation()) {
                        case MEMORY_WRITEBACK -> thread.memoryWriteback();
                        case WINDOW_WRITEBACK -> thread.windowWriteback();
                        case WINDOW_READ_INV -> thread.windowReadInv();
                    }
                }
                case Statement.Doorbell doorbell ->
                        thread.store64(
                                AddressMap.OUTBOX + doorbell.register().offset(),
                                ring(program, doorbell));
                case Statement.Atomic atomic -> {
                    long address = address(atomic.access());
                    long operand = value(atomic.operand());
                    long old =
                            atomic.access().sizeBytes() == 4
                                    ? thread.atomic32(
                                                    atomic.operation(),
                                                    address,
                                                    (int) operand,
                                                    atomic.order())
                                            & 0xFFFF_FFFFL
                                    : thread.atomic64(
                                            atomic.operation(), address, operand, atomic.order());
                    atomic.register().ifPresent(register -> set(register, old));
                }
                case Statement.LoadReserved load -> {
                    long address = address(load.access());
                    set(
                            load.register(),
                            load.access().sizeBytes() == 4
                                    ? thread.loadReserved32(address, load.order()) & 0xFFFF_FFFFL
                                    : thread.loadReserved64(address, load.order()));
                }
                case Statement.StoreConditional store -> {
                    long address = address(store.access());
                    long value = value(store.value());
                    boolean stored =
                            store.access().sizeBytes() == 4
                                    ? thread.storeConditional32(address, (int) value, store.order())
                                    : thread.storeConditional64(address, value, store.order());
                    store.register().ifPresent(register -> set(register, stored ? 0 : 1));
                }
                case Statement.SpinLock lock -> thread.spinLock(address(lock.lock()));
                case Statement.SpinUnlock lock -> thread.spinUnlock(address(lock.lock()));
            }
        }

        private long load(DpaThread thread, Access access) {
            long address = address(access);
            return switch (access.sizeBytes()) {
                case 1 -> thread.load8(address) & 0xFFL;
                case 2 -> thread.load16(address) & 0xFFFFL;
                case 4 -> thread.load32(address) & 0xFFFF_FFFFL;
                default -> thread.load64(address);
            };
        }

        private void store(DpaThread thread, Access access, long value) {
            long address = address(access);
            switch (access.sizeBytes()) {
                case 1 -> thread.store8(address, (int) value);
                case 2 -> thread.store16(address, (int) value);
                case 4 -> thread.store32(address, (int) value);
                default -> thread.store64(address, value);
            }
        }

        private void nic(Nic nic, Statement.Outside statement) {
            switch (statement) {
                case Statement.NicWrite write -> {
                    for (Statement.Write one : write.writes()) {
                        store(nic, one.access(), value(one.value()));
                        if (write.order() == Statement.WriteOrder.STRICT) {
                            nic.order();
                        }
                    }
                    nic.order();
                }
                case Statement.NicFetchAdd add -> {
                    long old = nic.fetchAdd64(address(add.access()), value(add.addend()));
                    add.register().ifPresent(register -> set(register, old));
                }
                case Statement.NicCompareSwap swap -> {
                    long old =
                            nic.compareSwap64(
                                    address(swap.access()),
                                    value(swap.compare()),
                                    value(swap.swap()));
                    swap.register().ifPresent(register -> set(register, old));
                }
                default -> outside(nic, statement);
            }
        }

        private void host(Host host, Statement.Outside statement) {
            switch (statement) {
                case Statement.HostWrite write -> store(host, write.access(), value(write.value()));
                case Statement.HostCopy copy ->
                        host.copyTo(
                                address(copy.access()),
                                Arrays.copyOf(
                                        bytes(value(copy.value())), copy.access().sizeBytes()));
                default -> outside(host, statement);
            }
        }

        private void outside(Outside outside, Statement.Outside statement) {
            switch (statement) {
                case Statement.OnDoorbell on -> {
                    Statement.Doorbell named = doorbells.get(on.name());
                    Doorbell doorbell =
                            outside.awaitDoorbell(named.register().offset(), number(on.name()));
                    arrived.put(doorbell.arrival(), on.name());
                }
                case Statement.ArrivalOrder order ->
                        registers.put(order.register(), String.join(",", arrived.values()));
                case Statement.Await await -> {
                    while (!await.comparison()
                            .test(load(outside, await.access()), value(await.value()))) {
                        outside.pause();
                    }
                }
                case Statement.Read read -> set(read.register(), load(outside, read.access()));
                default -> throw new IllegalArgumentException(statement.toString());
            }
        }

        private long load(Outside outside, Access access) {
            long address = address(access);
            if (access.via() == Via.DPA
                    && outside instanceof Host
                    && actor.kind() == Actor.Kind.HOST) {
                throw new IllegalArgumentException("a host reads no DPA memory");
            }
            return switch (access.sizeBytes()) {
                case 1 -> outside.load8(address) & 0xFFL;
                case 2 -> outside.load16(address) & 0xFFFFL;
                case 4 -> outside.load32(address) & 0xFFFF_FFFFL;
                default -> outside.load64(address);
            };
        }

        private void store(Outside outside, Access access, long value) {
            long address = address(access);
            switch (access.sizeBytes()) {
                case 1 -> outside.store8(address, (int) value);
                case 2 -> outside.store16(address, (int) value);
                case 4 -> outside.store32(address, (int) value);
                default -> outside.store64(address, value);
            }
        }
    }
}
