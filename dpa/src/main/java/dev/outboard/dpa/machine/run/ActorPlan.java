package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.machine.memory.FaultSignal;
import java.util.Locale;

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

        /// DPA-FXR-4, DPA-ERR-15: a call has to return; it does not leave its activation otherwise.
        ///
        /// @throws FaultSignal if the thread serves calls
        public void checkLeave(Observer.Ending ending) {
            if (attributes.kind() == ThreadAttributes.Kind.RPC) {
                throw new FaultSignal(
                        Fault.RPC_LEFT,
                        "%s in a function that the host has called: it has to return"
                                .formatted(ending.name().toLowerCase(Locale.ROOT)));
            }
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
            implements ActorPlan {
        /// The thread of the host that has called in, whichever that is.
        public static HostPlan owner(int actor) {
            return new HostPlan(actor, "host", OWNER, true);
        }

        /// Whether it is that thread, and not one of its own.
        public boolean isOwner() {
            return program.equals(OWNER);
        }
    }

    /// In place of a program: what the owner of the process calls.
    Host.Program OWNER = host -> {};
}
