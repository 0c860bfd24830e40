package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.DpaThread;

/// DPA-RV-2: what an `ecall` of device code does.
@FunctionalInterface
public interface Ecalls {
    /// Refuses every number.
    Ecalls NONE = (_, _, number) -> RvHart.unknownCall(number);

    /// Serves a call. What it wants to know of its caller, the hart tells: [RvHart#argument] the
    /// arguments; [RvHart#stop] ends the program, [RvHart#unknownCall] refuses a number.
    ///
    /// @param number what a7 holds
    /// @return what a0 holds afterwards
    long call(RvHart hart, DpaThread thread, long number);
}
