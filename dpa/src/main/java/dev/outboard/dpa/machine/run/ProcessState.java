package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.ExternalMemory;
import dev.outboard.dpa.machine.Grants;
import dev.outboard.dpa.machine.Heap;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.trace.Timeline;
import java.util.ArrayList;
import java.util.List;

/// All that belongs to a process, as a run uses it.
///
/// @param poison whether stacks are poisoned at each activation
/// @param grants its windows and outboxes
/// @param messages what its threads print to
/// @param actors in the order of their numbers
/// @param activated the handlers that are activated when the run begins
/// @param timeline is told what happens, for traces
public record ProcessState(
        MachineOptions options,
        DpaMemory memory,
        Heap heap,
        ExternalMemory external,
        Reservations reservations,
        Observer observer,
        boolean poison,
        Grants grants,
        Messages messages,
        List<ActorPlan> actors,
        List<ThreadHandle> activated,
        Timeline timeline) {

    /// Without outboxes and actors.
    public static ProcessState of(
            MachineOptions options,
            DpaMemory memory,
            Heap heap,
            ExternalMemory external,
            Observer observer,
            boolean poison,
            Timeline timeline) {
        Reservations reservations = new Reservations();
        Grants grants = new Grants();
        Messages messages = new Messages();
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
                grants,
                messages,
                actors,
                activated,
                timeline);
    }
}
