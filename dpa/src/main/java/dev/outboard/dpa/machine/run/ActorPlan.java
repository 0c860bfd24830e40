package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;

/// An actor as the set-up of a process made it.
public sealed interface ActorPlan {

    /// Its number among all actors.
    int actor();

    /// Its name, for reports.
    String name();

    /// A DPA thread.
    record ThreadPlan(ThreadHandle handle, Kernel kernel, ThreadAttributes attributes)
            implements ActorPlan {
        @Override
        public int actor() {
            return handle.actor();
        }

        @Override
        public String name() {
            return handle.name();
        }
    }

    /// A NIC.
    ///
    /// @param server whether the run may end before it
    record NicPlan(int actor, String name, Nic.Program program, boolean server)
            implements ActorPlan {}

    /// A thread of the host.
    ///
    /// @param server whether the run may end before it
    record HostPlan(int actor, String name, Host.Program program, boolean server)
            implements ActorPlan {}
}
