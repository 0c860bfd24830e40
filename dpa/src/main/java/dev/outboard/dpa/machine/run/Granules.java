package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.Words;
import java.util.ArrayList;
import java.util.List;

/// The memory of a process by granules of 8 bytes, for runs that keep the contents elsewhere
/// meanwhile. A granule at the end of external memory may be only partly there.
public final class Granules {
    private static final int LINE_BYTES = 64;

    private Granules() {}

    /// The addresses of the granules that come with one: for external memory those of its whole
    /// line, as far as it is registered, since it may be captured as a whole; otherwise itself.
    public static List<Long> around(ProcessState process, long address) {
        if (!AddressMap.isWindow(address)) {
            return List.of(address);
        }
        ExternalRegion region = process.external().region(address, 1);
        List<Long> line = new ArrayList<>();
        long first = address & -LINE_BYTES;
        for (long at = first; at < first + LINE_BYTES; at += Long.BYTES) {
            long offset = at - region.address();
            if (offset >= 0 && offset < region.bytes().byteSize()) {
                line.add(at);
            }
        }
        return line;
    }

    /// What a granule holds.
    public static long get(ProcessState process, long address) {
        if (AddressMap.isWindow(address)) {
            ExternalRegion region = process.external().region(address, 1);
            return Words.granule(region.bytes(), address - region.address());
        }
        return Words.granule(process.memory().bytes(address), DpaMemory.offset(address));
    }

    /// Fills a granule.
    public static void put(ProcessState process, long address, long value) {
        if (AddressMap.isWindow(address)) {
            ExternalRegion region = process.external().region(address, 1);
            Words.putGranule(region.bytes(), address - region.address(), value);
        } else {
            Words.putGranule(process.memory().bytes(address), DpaMemory.offset(address), value);
        }
    }
}
