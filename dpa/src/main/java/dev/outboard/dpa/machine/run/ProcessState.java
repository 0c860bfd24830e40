package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.ExternalMemory;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.Reservations;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// All that belongs to a process, as a run uses it.
///
/// @param poison whether stacks are poisoned at each activation
/// @param outboxes how many outboxes it has; they are numbered from 1
/// @param actors in the order of their numbers
/// @param activated the handlers that are activated when the run begins
public record ProcessState(
        MachineOptions options,
        DpaMemory memory,
        Heap heap,
        ExternalMemory external,
        Reservations reservations,
        Observer observer,
        boolean poison,
        AtomicInteger outboxes,
        List<ActorPlan> actors,
        List<ThreadHandle> activated) {

    /// Without outboxes and actors.
    public static ProcessState of(
            MachineOptions options,
            DpaMemory memory,
            Heap heap,
            ExternalMemory external,
            Observer observer,
            boolean poison) {
        Reservations reservations = new Reservations();
        AtomicInteger outboxes = new AtomicInteger();
        List<ActorPlan> actors = new ArrayList<>();
        List<ThreadHandle> activated = new ArrayList<>();
        return new ProcessState(
                options,
                memory,
                heap,
                external,
                reservations,
                observer,
                poison,
                outboxes,
                actors,
                activated);
    }
}
