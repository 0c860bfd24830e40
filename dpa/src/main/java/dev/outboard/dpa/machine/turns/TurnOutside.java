package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SitedActor;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.dpa.trace.NicTimeline;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/// A NIC or a host in a run in turns.
final class TurnOutside implements Nic, Host, SitedActor, SizedAccess, NicTimeline.Source {
    private final TurnRun run;
    private final TurnMachine machine;
    private final TurnActor actor;
    private final int number;
    private final OutsidePort port;
    private final MemoryRules rules;
    private final Observer observer;
    private final NicTimeline timeline;

    /// DPA-MEM-15: whether its stores stay in order without being told so.
    private final boolean ordered;

    private final boolean traced;
    private int told;
    private int site;

    TurnOutside(TurnRun run, ProcessState process, TurnActor actor, MemoryRules rules) {
        this.run = run;
        machine = run.machine();
        this.actor = actor;
        this.rules = rules;
        number = actor.number();
        port = new OutsidePort(process, actor.plan);
        observer = run.observer();
        timeline = new NicTimeline(process.timeline(), number);
        ordered = !(actor.plan instanceof NicPlan);
        traced = run.mode().isChecked();
    }

    @Override
    public void site(int site) {
        told = site;
    }

    private void enter() {
        if (traced) {
            site = told != 0 ? told : run.sites().ofCaller();
            told = 0;
        }
        machine.turn(actor);
    }

    @Override
    public int actor() {
        return number;
    }

    @Override
    public NicTimeline timeline() {
        return timeline;
    }

    @Override
    public Observer observer() {
        return observer;
    }

    @Override
    public long load(long address, int lengthBytes) {
        enter();
        MemorySegment bytes = port.reach(address, lengthBytes);
        long value = rules.loadOutside(number, address, lengthBytes, bytes, port.offset(address));
        actor.watch.load(address, value, machine.version(), false);
        observer.load(number, address, lengthBytes, site);
        return value;
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        enter();
        storeNow(address, lengthBytes, port.reach(address, lengthBytes), value);
        acted();
        observer.store(number, address, lengthBytes, site);
    }

    private void storeNow(long address, int lengthBytes, MemorySegment bytes, long value) {
        rules.storeOutside(number, address, lengthBytes, bytes, port.offset(address), value);
        if (ordered) {
            rules.order(number);
        } else {
            run.costs().written(address);
        }
    }

    private void acted() {
        actor.watch.reset();
        machine.changed();
    }

    @Override
    public void order() {
        enter();
        rules.order(number);
        observer.order(number);
    }

    @Override
    public long fetchAdd64(long address, long addend) {
        enter();
        long old = word(address);
        update(address, old + addend);
        return old;
    }

    @Override
    public long compareSwap64(long address, long expected, long value) {
        enter();
        long old = word(address);
        if (old == expected) {
            update(address, value);
        } else {
            actor.watch.load(address, old, machine.version(), false);
        }
        return old;
    }

    private long word(long address) {
        // What it has stored before comes first.
        rules.order(number);
        MemorySegment bytes = port.reach(address, Long.BYTES);
        long old = rules.loadOutside(number, address, Long.BYTES, bytes, port.offset(address));
        observer.load(number, address, Long.BYTES, site);
        return old;
    }

    private void update(long address, long value) {
        storeNow(address, Long.BYTES, port.reach(address, Long.BYTES), value);
        rules.order(number);
        acted();
        observer.store(number, address, Long.BYTES, site);
    }

    @Override
    public void copyTo(long address, byte[] bytes) {
        enter();
        MemorySegment to = port.bytes(address, bytes.length);
        for (int i = 0; i < bytes.length; ) {
            int length = OutsidePort.wordAt(address + i, bytes.length - i);
            storeNow(address + i, length, to, OutsidePort.word(bytes, i, length));
            i += length;
        }
        rules.order(number);
        acted();
        observer.store(number, address, bytes.length, site);
        observer.order(number);
    }

    @Override
    public byte[] copyFrom(long address, int lengthBytes) {
        enter();
        MemorySegment from = port.bytes(address, lengthBytes);
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; ) {
            int length = OutsidePort.wordAt(address + i, lengthBytes - i);
            long word =
                    rules.loadOutside(number, address + i, length, from, port.offset(address + i));
            OutsidePort.put(bytes, i, length, word);
            i += length;
        }
        actor.watch.load(address, Arrays.hashCode(bytes), machine.version(), false);
        observer.load(number, address, lengthBytes, site);
        return bytes;
    }

    @Override
    public void pause() {
        actor.watch.pause(machine.version());
        enter();
    }

    @Override
    public Optional<Doorbell> pollDoorbell(int register, int queue) {
        enter();
        int found = run.doorbells().find(register, queue);
        if (found < 0) {
            return Optional.empty();
        }
        return Optional.of(take(found));
    }

    @Override
    public Doorbell awaitDoorbell(int register, int queue) {
        enter();
        return take(run.awaitDoorbell(actor, register, queue));
    }

    @Override
    public boolean pollDoorbell(Doorbell.Use use) {
        Optional<Doorbell> rung = pollDoorbell(DoorbellBoard.ANY, DoorbellBoard.ANY);
        rung.ifPresent(doorbell ->
                use.use(doorbell.register(), doorbell.value(), doorbell.uar(), doorbell.token()));
        return rung.isPresent();
    }

    @Override
    public Doorbell awaitDoorbell() {
        return awaitDoorbell(DoorbellBoard.ANY, DoorbellBoard.ANY);
    }

    private Doorbell take(int found) {
        Doorbell doorbell = run.doorbells().take(found);
        acted();
        observer.receive(number, doorbell.token(), site);
        return doorbell;
    }

    @Override
    public void command(int server) {
        enter();
        actor.watch.reset();
        run.command(actor, server, site);
    }

    @Override
    public void interrupt(int vector) {
        enter();
        actor.watch.reset();
        run.interrupt(actor, vector, site);
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public void commandAfter(long nanos) {
        machine.alarm(nanos, run::command);
    }

    @Override
    public void activate(ThreadHandle thread) {
        enter();
        actor.watch.reset();
        run.activate(actor, thread, site);
    }
}
