package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.run.AccessPort;
import dev.outboard.dpa.machine.run.ProcessState;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/// DPA-INT-4: what accesses of a process cost by its [CycleCosts]. Only who has the turn touches
/// it.
///
/// DPA-INT-13: what the NIC writes to are the blocks of the heap in which it has written anything,
/// for as long as they live: the rings and buffers of its queues.
final class AccessCosts {
    private static final long LINE_BYTES = 64;

    private final CycleCosts costs;
    private final Heap heap;
    private final RandomGenerator chance;

    /// Lines that the NIC has written and no thread has loaded since.
    private final Set<Long> fresh = new HashSet<>();

    /// Addresses of the blocks that the NIC has written to.
    private final Set<Long> written = new HashSet<>();

    AccessCosts(ProcessState process, RandomGenerator chance) {
        costs = process.options().timing().costs();
        heap = process.heap();
        this.chance = chance;
    }

    /// The NIC has written some bytes of one line.
    void written(long address) {
        if (costs.received().isPresent() && !AddressMap.isWindow(address)) {
            fresh.add(line(address));
            heap.blockAt(address).ifPresent(written::add);
        }
    }

    /// What a load takes beyond its own cycle.
    int load(long address, AccessPort port) {
        if (costs.received().isPresent() && fresh.remove(line(address))) {
            return costs.received().get().draw(writtenBytes(), chance);
        }
        return access(address, port);
    }

    private long writtenBytes() {
        long sum = 0;
        for (long block : written) {
            sum += heap.lengthOf(block);
        }
        return sum;
    }

    /// What any other access takes beyond its own cycle.
    int access(long address, AccessPort port) {
        if (AddressMap.isWindow(address)) {
            return costs.window(port.windowKind());
        }
        return AddressMap.isOutbox(address) ? costs.outbox() : costs.memory();
    }

    private static long line(long address) {
        return address / LINE_BYTES;
    }
}
