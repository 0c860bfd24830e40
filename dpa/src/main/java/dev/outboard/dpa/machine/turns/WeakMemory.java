package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.ActorPlan.ThreadPlan;
import dev.outboard.dpa.machine.run.Granules;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.model.Layout;
import dev.outboard.dpa.model.MemoryState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

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

    private int lines;

    WeakMemory(ProcessState process, Profile profile) {
        this.process = process;
        threads = (int) process.actors().stream().filter(ThreadPlan.class::isInstance).count();
        state =
                new MemoryState(
                        new Layout(threads, PendingDoorbells.count(threads), false),
                        profile,
                        new long[0],
                        new long[0]);
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
            if (AddressMap.isWindow(address)) {
                long value = state.externalRead(granule * GRANULE_BYTES, GRANULE_BYTES);
                Granules.put(process, address, value);
            }
        });
    }
}
