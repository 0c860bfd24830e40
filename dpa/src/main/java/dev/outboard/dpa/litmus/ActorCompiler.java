package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.model.Action;
import dev.outboard.dpa.model.Posted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// Compiles the statements of one actor. Jumps to places that are not known yet are patched when
/// these are.
final class ActorCompiler {
    private static final int UNKNOWN = -1;

    private final ModelLayout layout;
    private final Actor actor;
    private final List<Instruction> instructions = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final List<String> registers = new ArrayList<>();

    /// For each loop around, the jumps out of it.
    private final Deque<List<Integer>> exits = new ArrayDeque<>();

    private Place place = Place.NONE;
    private int loops;

    ActorCompiler(ModelLayout layout, Actor actor) {
        this.layout = layout;
        this.actor = actor;
    }

    /// @param thread its number among the DPA threads, or -1
    ActorProgram compile(int thread) {
        block(actor.body());
        places.add(Place.NONE);
        Instruction[] all = instructions.toArray(Instruction[]::new);
        return new ActorProgram(
                actor,
                thread,
                all,
                List.copyOf(registers),
                places.toArray(Place[]::new),
                new ActorProgram.Reads(
                        reads(all, registers.size(), ActorCompiler::windowLoad),
                        reads(all, registers.size(), ActorCompiler::nicRead)));
    }

    private void block(List<Statement> statements) {
        for (Statement statement : statements) {
            place = statement.place();
            switch (statement) {
                case Statement.Control control -> control(control);
                case Statement.Device device -> device(device);
                case Statement.Outside outside -> outside(outside);
            }
        }
    }

    private int add(Instruction instruction) {
        instructions.add(instruction);
        places.add(place);
        return instructions.size() - 1;
    }

    private int here() {
        return instructions.size();
    }

    private void act(Action action) {
        add(new Instruction.Act(ignored -> action, UNKNOWN));
    }

    private void act(Instruction.Maker maker, Optional<String> register) {
        add(new Instruction.Act(maker, register.map(this::register).orElse(UNKNOWN)));
    }

    private int register(String name) {
        int index = registers.indexOf(name);
        if (index < 0) {
            registers.add(name);
            return registers.size() - 1;
        }
        return index;
    }

    // Control

    private void control(Statement.Control statement) {
        switch (statement) {
            case Statement.Assign assign -> {
                Instruction.Value value = value(assign.value());
                add(new Instruction.Set(register(assign.register()), value));
            }
            case Statement.If conditional -> conditional(conditional);
            case Statement.Repeat repeat -> repeat(repeat);
            case Statement.Break leave -> exits.element().add(add(new Instruction.Jump(UNKNOWN)));
        }
    }

    private void conditional(Statement.If statement) {
        Instruction.Value left = value(statement.condition().left());
        Instruction.Value right = value(statement.condition().right());
        Comparison comparison = statement.condition().comparison();
        Instruction.Test test = all -> comparison.test(left.of(all), right.of(all));
        int branch = add(new Instruction.Branch(test, UNKNOWN));
        block(statement.then());
        if (statement.otherwise().isEmpty()) {
            instructions.set(branch, new Instruction.Branch(test, here()));
            return;
        }
        int jump = add(new Instruction.Jump(UNKNOWN));
        instructions.set(branch, new Instruction.Branch(test, here()));
        block(statement.otherwise());
        instructions.set(jump, new Instruction.Jump(here()));
    }

    /// The counter is 0 whenever the loop is left, so that it makes no two states different.
    private void repeat(Statement.Repeat statement) {
        int counter = register("#" + loops++);
        add(new Instruction.Set(counter, all -> statement.rounds()));
        int head = add(new Instruction.Branch(all -> all[counter] != 0, UNKNOWN));
        exits.push(new ArrayList<>());
        block(statement.body());
        place = statement.place();
        add(new Instruction.Set(counter, all -> all[counter] - 1));
        add(new Instruction.Jump(head));
        instructions.set(head, new Instruction.Branch(all -> all[counter] != 0, here()));
        leave();
        add(new Instruction.Set(counter, all -> 0));
    }

    private void leave() {
        for (int jump : exits.pop()) {
            instructions.set(jump, new Instruction.Jump(here()));
        }
    }

    // DPA threads

    private void device(Statement.Device statement) {
        switch (statement) {
            case Statement.Load load -> {
                Action action = load(load.access());
                act(all -> action, Optional.of(load.register()));
            }
            case Statement.Store store -> store(store);
            case Statement.Spin spin -> spin(spin);
            case Statement.Fence fence ->
                    act(new Action.Fence(fence.space(), fence.predecessors(), fence.successors()));
            case Statement.CacheOperation cache ->
                    act(
                            switch (cache.operation()) {
                                case MEMORY_WRITEBACK -> new Action.MemoryWriteback();
                                case WINDOW_WRITEBACK -> new Action.WindowWriteback();
                                case WINDOW_READ_INV -> new Action.WindowReadInv();
                            });
            case Statement.Doorbell doorbell ->
                    act(
                            new Action.Ring(
                                    doorbell.register().offset(),
                                    layout.doorbell(doorbell.name())));
            case Statement.Atomic atomic -> atomic(atomic);
            case Statement.LoadReserved load -> {
                Action action =
                        new Action.LoadReserved(
                                load.order(),
                                layout.address(load.access()),
                                load.access().sizeBytes());
                act(all -> action, Optional.of(load.register()));
            }
            case Statement.StoreConditional store -> storeConditional(store);
            case Statement.SpinLock lock -> act(new Action.Lock(layout.address(lock.lock())));
            case Statement.SpinUnlock unlock ->
                    act(new Action.StoreRelease(layout.address(unlock.lock()), Integer.BYTES, 0));
        }
    }

    private Action load(Access access) {
        int address = layout.address(access);
        return access.via() == Via.DPA
                ? new Action.Load(address, access.sizeBytes())
                : new Action.LoadWindow(address, access.sizeBytes());
    }

    private void store(Statement.Store statement) {
        int address = layout.address(statement.access());
        int size = statement.access().sizeBytes();
        Instruction.Value value = value(statement.value());
        if (statement.access().via() == Via.DPA) {
            act(all -> new Action.Store(address, size, value.of(all)), Optional.empty());
        } else {
            act(all -> new Action.StoreWindow(address, size, value.of(all)), Optional.empty());
        }
    }

    private void spin(Statement.Spin statement) {
        Action load = load(statement.access());
        Instruction.Value value = value(statement.value());
        int head = add(new Instruction.Poll(load, statement.comparison(), value, UNKNOWN));
        exits.push(new ArrayList<>());
        block(statement.body());
        place = statement.place();
        add(new Instruction.Jump(head));
        instructions.set(head, new Instruction.Poll(load, statement.comparison(), value, here()));
        leave();
    }

    private void atomic(Statement.Atomic statement) {
        AtomicOp op = statement.operation();
        AtomicOrder order = statement.order();
        int address = layout.address(statement.access());
        int size = statement.access().sizeBytes();
        Instruction.Value operand = value(statement.operand());
        act(
                all -> new Action.Atomic(op, order, address, size, operand.of(all)),
                statement.register());
    }

    private void storeConditional(Statement.StoreConditional statement) {
        AtomicOrder order = statement.order();
        int address = layout.address(statement.access());
        int size = statement.access().sizeBytes();
        Instruction.Value value = value(statement.value());
        act(
                all -> new Action.StoreConditional(order, address, size, value.of(all)),
                statement.register());
    }

    // NIC and host

    private void outside(Statement.Outside statement) {
        switch (statement) {
            case Statement.OnDoorbell on -> {
                int doorbell = layout.doorbell(on.name());
                int counter = register("@" + on.name());
                add(new Instruction.Set(counter, all -> all[counter] + 1));
                act(all -> new Action.OnDoorbell(doorbell, (int) all[counter]), Optional.empty());
            }
            case Statement.ArrivalOrder order ->
                    act(all -> new Action.ArrivalOrder(), Optional.of(order.register()));
            case Statement.Await await -> await(await);
            case Statement.Read read -> {
                Action action =
                        new Action.Read(
                                layout.isExternal(read.access()),
                                layout.address(read.access()),
                                read.access().sizeBytes());
                act(all -> action, Optional.of(read.register()));
            }
            case Statement.NicWrite write -> nicWrite(write);
            case Statement.NicFetchAdd add -> {
                boolean external = layout.isExternal(add.access());
                int address = layout.address(add.access());
                Instruction.Value addend = value(add.addend());
                act(all -> new Action.FetchAdd(external, address, addend.of(all)), add.register());
            }
            case Statement.NicCompareSwap swap -> {
                boolean external = layout.isExternal(swap.access());
                int address = layout.address(swap.access());
                Instruction.Value compare = value(swap.compare());
                Instruction.Value value = value(swap.swap());
                act(
                        all ->
                                new Action.CompareSwap(
                                        external, address, compare.of(all), value.of(all)),
                        swap.register());
            }
            case Statement.HostWrite write ->
                    act(
                            maker(new Statement.Write(write.access(), write.value())),
                            Optional.empty());
            case Statement.HostCopy copy ->
                    act(maker(new Statement.Write(copy.access(), copy.value())), Optional.empty());
        }
    }

    private void await(Statement.Await statement) {
        boolean external = layout.isExternal(statement.access());
        int address = layout.address(statement.access());
        int size = statement.access().sizeBytes();
        Comparison comparison = statement.comparison();
        Instruction.Value value = value(statement.value());
        act(
                all -> {
                    long expected = value.of(all);
                    return new Action.Await(
                            external, address, size, found -> comparison.test(found, expected));
                },
                Optional.empty());
    }

    private Instruction.Maker maker(Statement.Write write) {
        boolean external = layout.isExternal(write.access());
        int address = layout.address(write.access());
        int size = write.access().sizeBytes();
        Instruction.Value value = value(write.value());
        return all -> new Action.Write(external, address, size, value.of(all));
    }

    private void nicWrite(Statement.NicWrite statement) {
        if (statement.queue().isPresent()) {
            post(statement, layout.queue(statement.queue().get()));
        } else if (statement.order() == Statement.WriteOrder.ANY) {
            add(
                    new Instruction.Group(
                            statement.writes().stream()
                                    .map(this::maker)
                                    .toArray(Instruction.Maker[]::new)));
        } else {
            statement.writes().forEach(write -> act(maker(write), Optional.empty()));
        }
    }

    private void post(Statement.NicWrite statement, int queue) {
        boolean anyOrder = statement.order() == Statement.WriteOrder.ANY;
        List<Statement.Write> writes = statement.writes();
        List<Instruction.Value> values = writes.stream().map(one -> value(one.value())).toList();
        act(
                all -> {
                    Posted.NicWrite[] posted = new Posted.NicWrite[writes.size()];
                    for (int i = 0; i < posted.length; i++) {
                        Access access = writes.get(i).access();
                        posted[i] =
                                new Posted.NicWrite(
                                        layout.isExternal(access),
                                        layout.address(access),
                                        access.sizeBytes(),
                                        values.get(i).of(all));
                    }
                    return new Action.Post(new Posted(queue, anyOrder, posted));
                },
                Optional.empty());
    }

    // Values

    private Instruction.Value value(Expression expression) {
        return switch (expression) {
            case Expression.Constant constant -> {
                long value = constant.value();
                yield all -> value;
            }
            case Expression.Register named -> {
                int register = register(named.name());
                yield all -> all[register];
            }
            case Expression.Combination combination -> {
                Instruction.Value left = value(combination.left());
                Instruction.Value right = value(combination.right());
                Expression.Operator operator = combination.operator();
                yield all -> operator.apply(left.of(all), right.of(all));
            }
        };
    }

    // Analysis

    /// For each instruction the granules that it or a later one may read, found by going round
    /// until nothing changes.
    ///
    /// @param read the address that an action reads, or a negative number
    private static BitSet[] reads(
            Instruction[] instructions, int registers, ToIntFunction<Action> read) {
        BitSet[] reads = new BitSet[instructions.length + 1];
        for (int i = 0; i <= instructions.length; i++) {
            reads[i] = new BitSet();
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = instructions.length - 1; i >= 0; i--) {
                int before = reads[i].cardinality();
                int address = -1;
                switch (instructions[i]) {
                    case Instruction.Jump jump -> reads[i].or(reads[jump.target()]);
                    case Instruction.Branch branch -> {
                        reads[i].or(reads[i + 1]);
                        reads[i].or(reads[branch.otherwise()]);
                    }
                    case Instruction.Poll poll -> {
                        reads[i].or(reads[i + 1]);
                        reads[i].or(reads[poll.exit()]);
                        address = read.applyAsInt(poll.load());
                    }
                    case Instruction.Act act -> {
                        reads[i].or(reads[i + 1]);
                        address = read.applyAsInt(act.maker().of(new long[registers]));
                    }
                    default -> reads[i].or(reads[i + 1]);
                }
                if (address >= 0) {
                    reads[i].set(address / Variable.GRANULE_BYTES);
                }
                changed |= reads[i].cardinality() != before;
            }
        }
        return reads;
    }

    private static int windowLoad(Action action) {
        return action instanceof Action.LoadWindow load ? load.address() : -1;
    }

    private static int nicRead(Action action) {
        return switch (action) {
            case Action.Read read -> read.external() ? -1 : read.address();
            case Action.Await await -> await.external() ? -1 : await.address();
            case Action.FetchAdd add -> add.external() ? -1 : add.address();
            case Action.CompareSwap swap -> swap.external() ? -1 : swap.address();
            default -> -1;
        };
    }
}
