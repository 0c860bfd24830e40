package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.Granules;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.machine.run.Registers;
import dev.outboard.dpa.model.Layout;
import dev.outboard.dpa.model.MemoryState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ObjIntConsumer;

/// The memory of a process as the operational model has it. The model knows the granules that the
/// run has touched; each starts with what the process held there before.
final class WeakMemory {
    private static final int GRANULE_BYTES = Layout.GRANULE_BYTES;

    private static final byte[] POISON = poison();

    private final ProcessState process;
    private final MemoryState state;
    private final int threads;

    /// By address of a granule: its number in the model. DPA memory and external memory are
    /// numbered apart.
    private final Map<Long, Integer> granules = new HashMap<>();

    /// By number of a granule of registers: where it is.
    private final Map<Integer, Bank> banks = new HashMap<>();

    private final ObjIntConsumer<FaultSignal> failed;
    private int lines;

    /// A granule of registers.
    private record Bank(ExternalRegion region, long address) {}

    WeakMemory(ProcessState process, Profile profile, ObjIntConsumer<FaultSignal> failed) {
        this.process = process;
        this.failed = failed;
        threads = (int) process.actors().stream().filter(ThreadPlan.class::isInstance).count();
        state =
                new MemoryState(
                        new Layout(threads, PendingDoorbells.count(threads), false),
                        profile,
                        new long[0],
                        new long[0]);
        state.onRegisterWrite(this::writeRegister);
    }

    private static byte[] poison() {
        byte[] bytes = new byte[GRANULE_BYTES];
        Arrays.fill(bytes, Heap.POISON);
        return bytes;
    }

    MemoryState state() {
        return state;
    }

    int threads() {
        return threads;
    }

    /// Where the model has an address.
    int at(long address) {
        long start = address & -GRANULE_BYTES;
        if (!granules.containsKey(start)) {
            touch(start);
        }
        return granules.getOrDefault(start, 0) * GRANULE_BYTES + (int) (address - start);
    }

    /// DPA-FXW-11: where the model has an address of registers. Nothing is read of them, and their
    /// granules have lines of their own, so that nobody captures them or rewrites them.
    int at(ExternalRegion registers, long address) {
        long start = address & -GRANULE_BYTES;
        Integer known = granules.get(start);
        if (known == null) {
            known = state.addRegisters(lines++);
            granules.put(start, known);
            banks.put(known, new Bank(registers, start));
        }
        return known * GRANULE_BYTES + (int) (address - start);
    }

    /// The store is out of the hands of its thread: it is told what the device throws.
    private void writeRegister(int thread, int at, int lengthBytes, long value) {
        Bank bank = Objects.requireNonNull(banks.get(at / GRANULE_BYTES));
        try {
            Registers.write(bank.region, bank.address + at % GRANULE_BYTES, lengthBytes, value);
        } catch (FaultSignal fault) {
            failed.accept(fault, thread);
        }
    }

    private void touch(long start) {
        int line = AddressMap.isWindow(start) ? lines++ : 0;
        for (long at : Granules.around(process, start)) {
            long value = Granules.get(process, at);
            granules.put(
                    at,
                    AddressMap.isWindow(at)
                            ? state.addExternal(line, value)
                            : state.addMemory(AddressMap.isHeap(at), value));
        }
    }

    /// Fills what the run has touched of a stack, if stacks are poisoned.
    void poisonStack(int thread) {
        if (!process.poison()) {
            return;
        }
        long poison = Words.granule(MemorySegment.ofArray(POISON), 0);
        long first = AddressMap.stack(thread);
        long end = first + process.memory().stackBytes();
        for (Map.Entry<Long, Integer> granule : granules.entrySet()) {
            if (granule.getKey() >= first && granule.getKey() < end) {
                state.nicWrite(granule.getValue() * GRANULE_BYTES, GRANULE_BYTES, poison);
            }
        }
    }

    long loadOutside(long address, int lengthBytes) {
        int at = at(address);
        return AddressMap.isWindow(address)
                ? state.externalRead(at, lengthBytes)
                : state.nicRead(at, lengthBytes);
    }

    void storeOutside(long address, int lengthBytes, long value) {
        int at = at(address);
        if (AddressMap.isWindow(address)) {
            state.externalWrite(at, lengthBytes, value);
        } else {
            state.nicWrite(at, lengthBytes, value);
        }
    }

    /// What DPA memory holds goes to the process: what its threads would read. The run can go on.
    void reveal() {
        granules.forEach((address, granule) -> {
            if (!AddressMap.isWindow(address)) {
                Granules.put(process, address, state.peek(granule * GRANULE_BYTES, GRANULE_BYTES));
            }
        });
    }

    /// The run is over: what memory holds goes to the process.
    void writeBack() {
        reveal();
        granules.forEach((address, granule) -> {
            boolean isMemory = AddressMap.isWindow(address) && !banks.containsKey(granule);
            if (isMemory && process.external().holds(address)) {
                long value = state.externalRead(granule * GRANULE_BYTES, GRANULE_BYTES);
                Granules.put(process, address, value);
            }
        });
    }
}
