package dev.outboard.dpa.machine.fast;

import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.fast.Outsiders.Outsider;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.dpa.trace.NicTimeline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A NIC or a host under FAST: it sees what threads see, at once.
final class FastOutside implements Nic, Host, SizedAccess, NicTimeline.Source {
    private final FastRun run;
    private final ProcessState process;
    private final Outsider outsider;
    private final OutsidePort port;
    private final NicTimeline timeline;
    private final Kept kept = new Kept();

    /// A doorbell that it has taken.
    private static final class Kept implements Doorbell.Use {
        private int register;
        private long value;
        private int uar;
        private long token;

        @Override
        public void use(int register, long value, int uar, long token) {
            this.register = register;
            this.value = value;
            this.uar = uar;
            this.token = token;
        }
    }

    FastOutside(FastRun run, ProcessState process, Outsider outsider) {
        this.run = run;
        this.process = process;
        this.outsider = outsider;
        port = new OutsidePort(process, outsider.plan);
        timeline = new NicTimeline(process.timeline(), outsider.plan.actor());
    }

    @Override
    public int actor() {
        return outsider.plan.actor();
    }

    @Override
    public NicTimeline timeline() {
        return timeline;
    }

    @Override
    public Observer observer() {
        return process.observer();
    }

    @Override
    public long load(long address, int lengthBytes) {
        return Words.load(port.reach(address, lengthBytes), port.offset(address), lengthBytes);
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        port.store(port.reach(address, lengthBytes), address, lengthBytes, value);
        run.act();
    }

    @Override
    public void order() {
        // Every store is performed at once.
    }

    @Override
    public long fetchAdd64(long address, long addend) {
        long former = port.fetchAdd(address, addend);
        run.act();
        return former;
    }

    @Override
    public long compareSwap64(long address, long expected, long value) {
        long former = port.compareAndSwap(address, expected, value);
        if (former == expected) {
            run.act();
        }
        return former;
    }

    @Override
    public void copyTo(long address, byte[] bytes) {
        port.copyTo(address, bytes);
        run.act();
    }

    @Override
    public byte[] copyFrom(long address, int lengthBytes) {
        return port.copyFrom(address, lengthBytes);
    }

    @Override
    public void pause() {
        run.pause(outsider);
        Thread.onSpinWait();
    }

    @Override
    public Optional<Doorbell> pollDoorbell(int register, int queue) {
        return run.doorbells().poll(register, queue);
    }

    @Override
    public Doorbell awaitDoorbell(int register, int queue) {
        return run.doorbells().await(outsider, register, queue);
    }

    @Override
    public boolean pollDoorbell(Doorbell.Use use) {
        boolean rung = run.doorbells().poll(kept);
        if (rung) {
            use.use(kept.register, kept.value, kept.uar, kept.token);
            if (kept.register == Doorbell.COMMAND) {
                run.tell();
            }
        }
        return rung;
    }

    @Override
    public Doorbell awaitDoorbell() {
        return run.doorbells().await(outsider, DoorbellBoard.ANY, DoorbellBoard.ANY);
    }

    @Override
    public void interrupt(int vector) {
        run.doorbells().interrupt(vector);
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void commandAfter(long nanos) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(run::command);
    }

    @Override
    public void attend() {
        run.doorbells().attend();
    }

    @Override
    public void command(int server) {
        run.doorbells().ring(Doorbell.COMMAND, server, FastRun.OUTSIDE, 0);
    }

    @Override
    public void activate(ThreadHandle thread) {
        run.activate(thread);
    }
}
