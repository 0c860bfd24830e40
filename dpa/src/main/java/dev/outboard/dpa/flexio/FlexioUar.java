package dev.outboard.dpa.flexio;

/// DPA-FXO-4: a user access region of one function of the NIC: queues and outboxes of the same one
/// go together, and are of its function.
public final class FlexioUar extends FlexioObject {
    private final int function;

    FlexioUar(FlexioProcess process, int function) {
        super(process, "UAR", process.device().nextNumber());
        this.function = function;
        process.process().grants().addUar(ownNumber());
    }

    /// Makes another one than the process has by itself, of the same function.
    public static FlexioUar create(FlexioProcess process) {
        return create(process, process.uar().function());
    }

    /// DPA-HW-16: makes one of a function of the NIC, and so gives the process queues and outboxes
    /// there.
    ///
    /// @param function its number, from 0
    /// @throws FlexioException if the device has no such function, or the process of the host may
    ///   not use it
    public static FlexioUar create(FlexioProcess process, int function) {
        process.check();
        process.device().checkFunction(function);
        process.host().checkFunction(function);
        return process.adopt(new FlexioUar(process, function));
    }

    /// Which function of the NIC its queues are of.
    public int function() {
        return function;
    }

    @Override
    void destroy() {
        process().process().grants().removeUar(ownNumber());
    }
}
