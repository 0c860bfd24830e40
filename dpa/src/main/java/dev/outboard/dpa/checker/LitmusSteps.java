package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Access;
import dev.outboard.dpa.litmus.Statement;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Observer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Executes statements of a litmus program one at a time, sequentially consistent, and tells an
/// observer.
final class LitmusSteps {
    private static final int LOCK_BYTES = 4;

    private final LitmusMemory memory;
    private final LitmusSites sites;
    private final LitmusRoles roles;
    private final Observer observer;
    private final RandomGenerator random;
    private final Map<String, List<Long>> arrived = new HashMap<>();
    private final List<String> order = new ArrayList<>();
    private final Map<Long, Integer> reservations = new HashMap<>();
    private final LitmusQueues queues;
    private long tokens;

    LitmusSteps(
            LitmusMemory memory,
            LitmusSites sites,
            LitmusRoles roles,
            Observer observer,
            RandomGenerator random) {
        this.memory = memory;
        this.sites = sites;
        this.roles = roles;
        this.observer = observer;
        this.random = random;
        queues = new LitmusQueues(this, observer);
    }

    LitmusQueues queues() {
        return queues;
    }

    /// How often something happened that an actor may wait for.
    long changes() {
        return memory.changes() + order.size();
    }

    long nextToken() {
        return ++tokens;
    }

    /// Whether the next statement of the actor can be executed, and need not wait.
    boolean isReady(LitmusFiber fiber) {
        return switch (fiber.next()) {
            case Statement.OnDoorbell on ->
                    arrived.getOrDefault(on.name(), List.of()).size() > fiber.arrivals(on.name());
            case Statement.Await await ->
                    await.comparison()
                            .test(memory.load(await.access()), fiber.value(await.value()));
            case Statement.SpinLock lock -> lockWord(lock.lock()) == 0 || fiber.idleRounds == 0;
            default -> true;
        };
    }

    private long lockWord(Access lock) {
        return memory.get(memory.address(lock), LOCK_BYTES);
    }

    /// Executes the next statement of an actor.
    void step(LitmusFiber fiber) {
        Statement statement = fiber.next();
        switch (statement) {
            case Statement.Control control -> control(fiber, control);
            case Statement.Device device -> device(fiber, device);
            case Statement.Outside outside -> {
                outside(fiber, outside);
                fiber.advance();
            }
        }
    }

    private void control(LitmusFiber fiber, Statement.Control control) {
        switch (control) {
            case Statement.Assign assign -> {
                fiber.set(assign.register(), fiber.value(assign.value()));
                fiber.advance();
            }
            case Statement.If choice -> {
                boolean holds =
                        choice.condition()
                                .comparison()
                                .test(
                                        fiber.value(choice.condition().left()),
                                        fiber.value(choice.condition().right()));
                fiber.enter(holds ? choice.then() : choice.otherwise(), false, 1, false);
            }
            case Statement.Repeat repeat -> {
                if (repeat.rounds() > 0) {
                    fiber.enter(repeat.body(), true, repeat.rounds(), false);
                } else {
                    fiber.advance();
                }
            }
            case Statement.Break leave -> fiber.leave();
        }
    }

    private void device(LitmusFiber fiber, Statement.Device device) {
        int site = sites.site(device.place());
        int actor = fiber.number;
        switch (device) {
            case Statement.Load load ->
                    fiber.set(load.register(), load(fiber, load.access(), site));
            case Statement.Store store ->
                    store(fiber, store.access(), fiber.value(store.value()), site);
            case Statement.Spin spin -> {
                spin(fiber, spin, site);
                return;
            }
            case Statement.Fence fence ->
                    observer.fence(
                            actor, fence.space(), fence.predecessors(), fence.successors(), site);
            case Statement.CacheOperation operation -> {
                switch (operation.operation()) {
                    case MEMORY_WRITEBACK -> observer.memoryWriteback(actor, site);
                    case WINDOW_WRITEBACK -> observer.windowWriteback(actor, site);
                    case WINDOW_READ_INV -> observer.windowReadInv(actor, site);
                }
            }
            case Statement.Doorbell doorbell -> doorbell(fiber, doorbell, site);
            case Statement.Atomic atomic -> {
                long before = memory.load(atomic.access());
                long operand = fiber.value(atomic.operand());
                int sizeBytes = atomic.access().sizeBytes();
                long after = atomic.operation().apply(before, operand, sizeBytes);
                atomic(fiber, atomic.access(), atomic.order(), Optional.of(after), site);
                atomic.register().ifPresent(register -> fiber.set(register, before));
            }
            case Statement.LoadReserved load -> {
                fiber.set(load.register(), memory.load(load.access()));
                reservations.put(granule(load.access()), actor);
                atomic(fiber, load.access(), load.order(), Optional.empty(), site);
            }
            case Statement.StoreConditional store -> storeConditional(fiber, store, site);
            case Statement.SpinLock lock -> {
                if (!lock(fiber, lock, site)) {
                    return;
                }
            }
            case Statement.SpinUnlock unlock ->
                    atomic(fiber, word(unlock.lock()), AtomicOrder.RELEASE, Optional.of(0L), site);
        }
        fiber.advance();
    }

    private long load(LitmusFiber fiber, Access access, int site) {
        observer.load(fiber.number, memory.address(access), access.sizeBytes(), site);
        return memory.load(access);
    }

    private void store(LitmusFiber fiber, Access access, long value, int site) {
        memory.store(access, value);
        reservations.remove(granule(access));
        observer.store(fiber.number, memory.address(access), access.sizeBytes(), site);
    }

    private long granule(Access access) {
        return memory.address(access) & -ShadowMemory.GRANULE;
    }

    private void spin(LitmusFiber fiber, Statement.Spin spin, int site) {
        long value = load(fiber, spin.access(), site);
        if (spin.comparison().test(value, fiber.value(spin.value()))) {
            fiber.idleRounds = 0;
            fiber.advance();
            return;
        }
        fiber.idleRounds++;
        observer.spin(fiber.number, site);
        fiber.enter(spin.body(), true, 1, true);
    }

    private void doorbell(LitmusFiber fiber, Statement.Doorbell doorbell, int site) {
        long token = nextToken();
        observer.announce(
                fiber.number,
                Observer.Announcement.DOORBELL,
                token,
                roles.register(doorbell),
                site);
        doorbell.queue().ifPresent(queue -> roles.posted(observer, fiber.number, queue, site));
        arrived.computeIfAbsent(doorbell.name(), any -> new ArrayList<>()).add(token);
        order.add(doorbell.name());
    }

    private void atomic(
            LitmusFiber fiber,
            Access access,
            AtomicOrder atomicOrder,
            Optional<Long> stored,
            int site) {
        stored.ifPresent(value -> {
            memory.store(access, value);
            reservations.remove(granule(access));
        });
        observer.atomic(
                fiber.number,
                memory.address(access),
                access.sizeBytes(),
                atomicOrder,
                stored.isPresent(),
                site);
    }

    private void storeConditional(LitmusFiber fiber, Statement.StoreConditional store, int site) {
        Integer holder = reservations.get(granule(store.access()));
        boolean holds = holder != null && holder == fiber.number;
        if (holds) {
            long value = fiber.value(store.value());
            atomic(fiber, store.access(), store.order(), Optional.of(value), site);
        }
        store.register().ifPresent(register -> fiber.set(register, holds ? 0 : 1));
    }

    private static Access word(Access lock) {
        return new Access(lock.place(), lock.via(), lock.variable(), lock.offset(), LOCK_BYTES);
    }

    /// DPA-FXS-2: an acquire once it is taken.
    private boolean lock(LitmusFiber fiber, Statement.SpinLock lock, int site) {
        boolean open = lockWord(lock.lock()) == 0;
        atomic(fiber, word(lock.lock()), AtomicOrder.ACQUIRE, Optional.of(1L), site);
        if (!open) {
            fiber.idleRounds++;
            observer.spin(fiber.number, site);
            return false;
        }
        fiber.idleRounds = 0;
        return true;
    }

    private void outside(LitmusFiber fiber, Statement.Outside outside) {
        int site = sites.site(outside.place());
        int actor = fiber.number;
        switch (outside) {
            case Statement.OnDoorbell on -> {
                List<Long> tokens = arrived.getOrDefault(on.name(), List.of());
                observer.receive(actor, tokens.get(fiber.arrivals(on.name())), site);
                fiber.arrived(on.name());
            }
            case Statement.ArrivalOrder arrival ->
                    fiber.set(arrival.register(), String.join(",", order));
            case Statement.Await await -> load(fiber, await.access(), site);
            case Statement.Read read ->
                    fiber.set(read.register(), load(fiber, read.access(), site));
            case Statement.NicWrite write -> {
                if (write.queue().isPresent()) {
                    queues.post(fiber, write, write.queue().get());
                } else {
                    write(fiber, actor, write);
                    observer.order(actor);
                }
            }
            case Statement.NicFetchAdd add -> {
                long before = load(fiber, add.access(), site);
                nicStore(actor, add.access(), before + fiber.value(add.addend()), site);
                add.register().ifPresent(register -> fiber.set(register, before));
                observer.order(actor);
            }
            case Statement.NicCompareSwap swap -> {
                long before = load(fiber, swap.access(), site);
                if (before == fiber.value(swap.compare())) {
                    nicStore(actor, swap.access(), fiber.value(swap.swap()), site);
                    observer.order(actor);
                }
                swap.register().ifPresent(register -> fiber.set(register, before));
            }
            case Statement.HostWrite write ->
                    store(fiber, write.access(), fiber.value(write.value()), site);
            case Statement.HostCopy copy ->
                    store(fiber, copy.access(), fiber.value(copy.value()), site);
        }
    }

    /// DPA-MEM-10: the writes of one operation, in a relaxed-ordering region in any order.
    ///
    /// @param actor who writes: the NIC, or one of its queues
    void write(LitmusFiber fiber, int actor, Statement.NicWrite write) {
        List<Statement.Write> writes = new ArrayList<>(write.writes());
        boolean any = write.order() == Statement.WriteOrder.ANY;
        if (any) {
            Collections.shuffle(writes, random);
        }
        int site = sites.site(write.place());
        for (Statement.Write one : writes) {
            nicStore(actor, one.access(), fiber.value(one.value()), site);
            if (!any) {
                observer.order(actor);
            }
        }
    }

    private void nicStore(int actor, Access access, long value, int site) {
        memory.store(access, value);
        reservations.remove(granule(access));
        roles.written(observer, memory, actor, access.variable());
        observer.store(actor, memory.address(access), access.sizeBytes(), site);
        roles.announced(observer, memory, actor, access.variable());
    }
}
