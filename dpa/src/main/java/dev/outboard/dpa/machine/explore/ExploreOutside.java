package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.ActorPlan.NicPlan;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.SizedAccess;
import dev.outboard.dpa.model.Action;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// A NIC or a host of a replay.
final class ExploreOutside implements Nic, Host, SizedAccess {
    private final ActorPlan plan;
    private final ExploreMemory memory;
    private final Replay replay;
    private final OutsidePort port;

    /// How often it has waited for doorbells, by their number.
    private final Map<Integer, Integer> taken = new HashMap<>();

    ExploreOutside(ProcessState process, ActorPlan plan, ExploreMemory memory, Replay replay) {
        this.plan = plan;
        this.memory = memory;
        this.replay = replay;
        port = new OutsidePort(process, plan);
    }

    @Override
    public int actor() {
        return plan.actor();
    }

    @Override
    public Observer observer() {
        return Observer.NONE;
    }

    private long act(Action action) {
        memory.checkKnown();
        return replay.act(action);
    }

    @Override
    public long load(long address, int lengthBytes) {
        port.reach(address, lengthBytes);
        return loadAnywhere(address, lengthBytes);
    }

    private long loadAnywhere(long address, int lengthBytes) {
        int at = memory.at(address);
        return act(new Action.Read(AddressMap.isWindow(address), at, lengthBytes));
    }

    @Override
    public void store(long address, int lengthBytes, long value) {
        port.reach(address, lengthBytes);
        storeAnywhere(address, lengthBytes, value);
    }

    private void storeAnywhere(long address, int lengthBytes, long value) {
        int at = memory.at(address);
        memory.checkKnown();
        long stored = value & Words.mask(lengthBytes);
        replay.store(new Action.Write(AddressMap.isWindow(address), at, lengthBytes, stored));
        if (!(plan instanceof NicPlan)) {
            // The host is sequentially consistent.
            replay.order();
        }
    }

    @Override
    public void order() {
        replay.order();
    }

    @Override
    public long fetchAdd64(long address, long addend) {
        port.reach(address, Long.BYTES);
        int at = memory.at(address);
        return act(new Action.FetchAdd(AddressMap.isWindow(address), at, addend));
    }

    @Override
    public long compareSwap64(long address, long expected, long value) {
        port.reach(address, Long.BYTES);
        int at = memory.at(address);
        return act(new Action.CompareSwap(AddressMap.isWindow(address), at, expected, value));
    }

    @Override
    public void copyTo(long address, byte[] bytes) {
        port.bytes(address, bytes.length);
        for (int i = 0; i < bytes.length; ) {
            int length = OutsidePort.wordAt(address + i, bytes.length - i);
            storeAnywhere(address + i, length, OutsidePort.word(bytes, i, length));
            i += length;
        }
        replay.order();
    }

    @Override
    public byte[] copyFrom(long address, int lengthBytes) {
        port.bytes(address, lengthBytes);
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; ) {
            int length = OutsidePort.wordAt(address + i, lengthBytes - i);
            OutsidePort.put(bytes, i, length, loadAnywhere(address + i, length));
            i += length;
        }
        return bytes;
    }

    @Override
    public void pause() {
        // What follows is looked at in any case.
    }

    @Override
    public Optional<Doorbell> pollDoorbell(int register, int queue) {
        throw new UnsupportedOperationException(
                "In EXPLORE a program waits for doorbells and does not poll for them");
    }

    @Override
    public Doorbell awaitDoorbell(int register, int queue) {
        int number = memory.doorbell(register, queue);
        int times = taken.merge(number, 1, Integer::sum);
        act(new Action.OnDoorbell(number, times));
        long value = memory.rungWith(register, queue);
        return new Doorbell(register, value, -1, 0, 0, 0);
    }

    @Override
    public boolean pollDoorbell(Doorbell.Use use) {
        throw new UnsupportedOperationException(
                "In EXPLORE a program waits for doorbells and does not poll for them");
    }

    @Override
    public Doorbell awaitDoorbell() {
        throw new UnsupportedOperationException(
                "In EXPLORE a program waits for the doorbells of one register and queue");
    }

    @Override
    public void command(int server) {
        throw new UnsupportedOperationException("A process that is explored has no commands");
    }

    @Override
    public void interrupt(int vector) {
        throw new UnsupportedOperationException("EXPLORE has interrupts by threads only");
    }

    @Override
    public long nanos() {
        throw new UnsupportedOperationException("In EXPLORE no time passes");
    }

    @Override
    public void commandAfter(long nanos) {
        throw new UnsupportedOperationException("A process that is explored has no commands");
    }

    @Override
    public void activate(ThreadHandle thread) {
        throw new UnsupportedOperationException("EXPLORE runs each thread once and no handlers");
    }
}
