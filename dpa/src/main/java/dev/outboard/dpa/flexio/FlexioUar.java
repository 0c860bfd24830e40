package dev.outboard.dpa.flexio;

/// DPA-FXO-4: a user access region: queues and outboxes of the same one go together.
public final class FlexioUar extends FlexioObject {
    FlexioUar(FlexioProcess process) {
        super(process, "UAR", process.device().nextNumber());
    }

    /// Makes another one than the process has by itself.
    public static FlexioUar create(FlexioProcess process) {
        process.check();
        return process.adopt(new FlexioUar(process));
    }

    @Override
    void destroy() {
        // A number is all that it is.
    }
}
