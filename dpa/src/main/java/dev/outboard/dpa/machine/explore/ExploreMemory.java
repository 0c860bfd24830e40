package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.run.Granules;
import dev.outboard.dpa.machine.run.OutsidePort;
import dev.outboard.dpa.machine.run.ProcessState;
import dev.outboard.dpa.model.Layout;
import dev.outboard.dpa.model.MemoryState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Which granules a program touches, and where the model has them. All of them have to be known
/// before an exploration begins; when one comes up that is not, the exploration begins again with
/// that one, too. Numbers never change.
final class ExploreMemory {
    private static final int GRANULE_BYTES = Layout.GRANULE_BYTES;

    private final ProcessState process;
    private final int threads;
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final List<Granule> granules = new ArrayList<>();
    private final List<Granule> external = new ArrayList<>();
    private int lines;

    /// Doorbells: register and queue of each, and the value that is rung with it.
    private final List<Long> doorbells = new ArrayList<>();

    private final Map<Long, Long> rung = new HashMap<>();
    private boolean grown;

    ExploreMemory(ProcessState process, int threads) {
        this.process = process;
        this.threads = threads;
    }

    /// A granule that the program touches.
    private record Granule(long address, int line, long initial) {}

    /// The program touches something new.
    @SuppressWarnings("serial") // Never leaves the exploration.
    static final class Grown extends Error {
        private Grown() {
            super("", null, false, false);
        }
    }

    /// A state in which nothing has happened.
    MemoryState begin(Profile profile) {
        grown = false;
        Layout layout = new Layout(threads, doorbells.size(), false);
        granules.forEach(granule -> layout.addMemory(AddressMap.isHeap(granule.address)));
        external.forEach(granule -> layout.addExternal(granule.line));
        return new MemoryState(layout, profile, initial(granules), initial(external));
    }

    private static long[] initial(List<Granule> granules) {
        return granules.stream().mapToLong(Granule::initial).toArray();
    }

    /// Where the model has an address.
    int at(long address) {
        long start = address & -GRANULE_BYTES;
        if (!numbers.containsKey(start)) {
            touch(start);
        }
        return numbers.getOrDefault(start, 0) * GRANULE_BYTES + (int) (address - start);
    }

    private void touch(long start) {
        grown = true;
        int line = AddressMap.isWindow(start) ? lines++ : 0;
        for (long at : Granules.around(process, start)) {
            List<Granule> alike = AddressMap.isWindow(at) ? external : granules;
            numbers.put(at, alike.size());
            alike.add(new Granule(at, line, Granules.get(process, at)));
        }
    }

    /// The number of the doorbells of a queue at a register.
    int doorbell(int register, int queue) {
        long source = Doorbell.source(register, queue);
        if (!doorbells.contains(source)) {
            grown = true;
            doorbells.add(source);
        }
        return doorbells.indexOf(source);
    }

    /// A doorbell is rung with that value.
    void ring(int register, int queue, long value) {
        long source = Doorbell.source(register, queue);
        Long former = rung.put(source, value);
        if (former != null && former != value) {
            throw new UnsupportedOperationException(
                    "EXPLORE knows one value of the doorbells of a queue: queue %d is rung with 0x%x and 0x%x"
                            .formatted(queue, former, value));
        }
    }

    /// What a doorbell was rung with.
    long rungWith(int register, int queue) {
        return rung.getOrDefault(Doorbell.source(register, queue), 0L);
    }

    /// Whether something has come up since the latest begin.
    ///
    /// @throws Grown if so
    void checkKnown() {
        if (grown) {
            throw new Grown();
        }
    }

    /// Puts what a state holds into the memory of the process.
    void writeBack(MemoryState state) {
        for (int i = 0; i < granules.size(); i++) {
            long value = state.peek(i * GRANULE_BYTES, GRANULE_BYTES);
            Granules.put(process, granules.get(i).address, value);
        }
        for (int i = 0; i < external.size(); i++) {
            long value = state.externalRead(i * GRANULE_BYTES, GRANULE_BYTES);
            Granules.put(process, external.get(i).address, value);
        }
    }

    /// What the NIC sees in DPA memory in a state.
    byte[] seenByNic(MemoryState state, long address, int lengthBytes) {
        byte[] bytes = OutsidePort.read(process, address, lengthBytes);
        for (int i = 0; i < lengthBytes; i++) {
            if (numbers.containsKey((address + i) & -GRANULE_BYTES)) {
                bytes[i] = (byte) state.nicRead(at(address + i), 1);
            }
        }
        return bytes;
    }
}
