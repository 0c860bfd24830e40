package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.ActorPlan;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.Registers;
import java.lang.foreign.MemorySegment;

/// DPA-OPM-17: the rules of FAST. A store is performed at once and everybody sees it.
final class DirectRules implements MemoryRules {
    private static final int OUTSIDE = -1;

    private final ProcessState process;
    private final Reservations reservations;
    private final DoorbellBoard doorbells;

    DirectRules(ProcessState process, DoorbellBoard doorbells) {
        this.process = process;
        reservations = process.reservations();
        this.doorbells = doorbells;
    }

    @Override
    public long load(int thread, long address, int lengthBytes, MemorySegment bytes, long offset) {
        return Words.load(bytes, offset, lengthBytes);
    }

    @Override
    public void store(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        if (reservations.any()) {
            reservations.end(address, thread);
        }
        Words.store(bytes, offset, lengthBytes, value);
    }

    @Override
    public long loadRegister(int thread, long address, int lengthBytes, ExternalRegion registers) {
        return Registers.read(registers, address, lengthBytes);
    }

    @Override
    public void storeRegister(
            int thread, long address, int lengthBytes, ExternalRegion registers, long value) {
        Registers.write(registers, address, lengthBytes, value);
    }

    @Override
    public void storeRelease(
            int thread,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        store(thread, address, lengthBytes, bytes, offset, value);
    }

    @Override
    public void ring(int thread, int register, long value, int uar, long token) {
        doorbells.ring(register, value, thread, uar, token);
    }

    @Override
    public long atomic(
            int thread,
            AtomicOp op,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long operand) {
        long old = Words.load(bytes, offset, lengthBytes);
        long value = op.apply(old, operand, lengthBytes);
        store(thread, address, lengthBytes, bytes, offset, value);
        return old;
    }

    @Override
    public long loadReserved(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset) {
        reservations.reserve(thread, address);
        return Words.load(bytes, offset, lengthBytes);
    }

    @Override
    public boolean storeConditional(
            int thread,
            AtomicOrder order,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        boolean holds = reservations.holds(thread, address);
        if (holds) {
            store(thread, address, lengthBytes, bytes, offset, value);
        }
        reservations.release(thread);
        return holds;
    }

    @Override
    public void fence(int thread, Space space, Op before, Op after) {
        // All is in order.
    }

    @Override
    public void memoryWriteback(int thread) {
        // All is visible.
    }

    @Override
    public void windowWriteback(int thread) {
        // All is visible.
    }

    @Override
    public void windowReadInv(int thread) {
        // Nothing is cached.
    }

    @Override
    public void leaveWindow(int thread) {
        // Nothing is pending or cached.
    }

    @Override
    public long loadOutside(
            int actor, long address, int lengthBytes, MemorySegment bytes, long offset) {
        return Words.load(bytes, offset, lengthBytes);
    }

    @Override
    public void storeOutside(
            int actor,
            long address,
            int lengthBytes,
            MemorySegment bytes,
            long offset,
            long value) {
        store(OUTSIDE, address, lengthBytes, bytes, offset, value);
    }

    @Override
    public void order(int actor) {
        // All is in order.
    }

    @Override
    public void begin(int thread) {
        // The port has poisoned the stack, if anybody asked for that.
    }

    @Override
    public void drift() {
        // Nothing happens by itself.
    }

    @Override
    public boolean step() {
        return false;
    }

    @Override
    public void complete(int thread) {
        // All is visible.
    }

    @Override
    public void add(ActorPlan plan) {
        // Nothing is kept of each.
    }

    @Override
    public byte[] seenByNic(long address, int lengthBytes) {
        return OutsidePort.read(process, address, lengthBytes);
    }

    @Override
    public void reveal() {
        // It lies there.
    }

    @Override
    public void settle() {
        // Nothing is left.
    }
}
