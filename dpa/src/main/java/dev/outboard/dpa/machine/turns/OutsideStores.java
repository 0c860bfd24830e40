package dev.outboard.dpa.machine.turns;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// DPA-OPM-10: stores of NICs that have no order yet. Those of one actor to one granule keep
/// theirs.
final class OutsideStores {
    private static final long GRANULE = ~7L;

    private final WeakMemory memory;
    private final List<List<Store>> pending = new ArrayList<>();
    private int count;

    OutsideStores(WeakMemory memory, int actors) {
        this.memory = memory;
        for (int i = 0; i < actors; i++) {
            add();
        }
    }

    /// One actor more.
    void add() {
        pending.add(new ArrayList<>());
    }

    void store(int actor, long address, int lengthBytes, long value) {
        pending.get(actor).add(new Store(address, lengthBytes, value));
        count++;
    }

    /// All that the actor has stored comes now, in some order.
    void order(int actor, SplittableRandom random) {
        while (!pending.get(actor).isEmpty()) {
            performOne(pending.get(actor), random);
        }
    }

    /// One store of somebody.
    ///
    /// @return whether there was one
    boolean step(SplittableRandom random) {
        if (count == 0) {
            return false;
        }
        int skipped = random.nextInt(count);
        for (List<Store> of : pending) {
            if (skipped < of.size()) {
                performOne(of, random);
                return true;
            }
            skipped -= of.size();
        }
        throw new AssertionError("miscounted");
    }

    private void performOne(List<Store> of, SplittableRandom random) {
        int chosen = random.nextInt(of.size());
        for (int i = 0; i < chosen; i++) {
            if (((of.get(i).address ^ of.get(chosen).address) & GRANULE) == 0) {
                chosen = i;
            }
        }
        Store store = of.remove(chosen);
        count--;
        memory.storeOutside(store.address, store.lengthBytes, store.value);
    }

    private record Store(long address, int lengthBytes, long value) {}
}
