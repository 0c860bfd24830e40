package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.ThreadContext;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioPd;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioUar;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// DPA-DC-2: the functions of the card that a program is on: that of its base context, and those
/// that this was extended to. Every thread of the runtime has a channel on each of them.
final class Functions {
    private final FlexioProcess process;
    private final Loaded home;

    /// Those that the context was extended to, by their indices.
    private final Map<Integer, Loaded> others = new TreeMap<>();

    private final Set<Equipment> threads = new LinkedHashSet<>();

    /// Memory of the host, which has one address for all of them.
    private final Map<MemorySegment, Mapping> mappings = new HashMap<>();

    private record Mapping(FlexioBuffer buffer, int users) {}

    /// @param number of the function of the base context
    Functions(FlexioProcess process, int number) {
        this.process = process;
        home = Loaded.of(this, 0, number, process.domain(), process.uar());
    }

    FlexioProcess process() {
        return process;
    }

    /// That of the base context.
    Loaded home() {
        return home;
    }

    /// One more.
    ///
    /// @param number of the function on its card
    /// @param fabric its protection domain, if the device of the DPA is on a fabric
    /// @throws DocaException with NO_MEMORY if there are too many
    synchronized Loaded extend(int number, Optional<ProtectionDomain> fabric) {
        int index = 1;
        while (others.containsKey(index)) {
            index++;
        }
        if (index == ThreadContext.MOST_FUNCTIONS) {
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "a DPA context is extended %d times, as often as it can".formatted(index - 1));
        }
        FlexioPd domain = FlexioPd.create(process, fabric);
        Loaded made = Loaded.of(this, index, number, domain, FlexioUar.create(process));
        others.put(index, made);
        boolean equipped = false;
        try {
            threads.forEach(thread -> thread.extend(made));
            equipped = true;
        } finally {
            if (!equipped) {
                DocaErrors.giveBack(process, () -> leave(made));
            }
        }
        return made;
    }

    /// One fewer.
    synchronized void leave(Loaded function) {
        others.remove(function.index());
        threads.forEach(thread -> thread.leave(function));
        function.close();
    }

    /// Maps memory of the host, if it is not mapped yet, until each call is [released][#unmap].
    synchronized FlexioBuffer map(MemorySegment memory) {
        Mapping known = mappings.get(memory);
        FlexioBuffer buffer =
                known == null
                        ? FlexioBuffer.of(process, "mmap", ExternalKind.HOST, memory)
                        : known.buffer;
        mappings.put(memory, new Mapping(buffer, known == null ? 1 : known.users + 1));
        return buffer;
    }

    /// One user fewer.
    synchronized void unmap(MemorySegment memory) {
        mappings.computeIfPresent(
                memory,
                (_, known) -> {
                    if (known.users > 1) {
                        return new Mapping(known.buffer, known.users - 1);
                    }
                    DocaErrors.giveBack(known.buffer::close);
                    return null;
                });
    }

    /// Makes what a thread has for the device functions, for as long as it has other things.
    ///
    /// @param kind as [ThreadContext#KIND] has it
    /// @param localStorage of a DPA thread, or 0
    synchronized Equipment equip(Holdings holdings, long kind, DpaAddr localStorage) {
        Equipment made = new Equipment(home, kind, localStorage);
        holdings.push(() -> unequip(made));
        threads.add(made);
        others.values().forEach(made::extend);
        return made;
    }

    private synchronized void unequip(Equipment thread) {
        threads.remove(thread);
        thread.close();
    }
}
