package dev.outboard.dpa.flexio;

/// DPA-FXO-1: what threads of a process ring doorbells through, once they have configured it:
/// `thread.configureOutbox(number)`.
public final class FlexioOutbox extends FlexioObject {
    private final FlexioUar uar;

    private FlexioOutbox(FlexioProcess process, FlexioUar uar) {
        super(process, "outbox", process.device().nextNumber());
        this.uar = uar;
    }

    /// DPA-FXO-5: makes an outbox for the queues of a UAR.
    ///
    /// @throws FlexioException if the UAR belongs to another process
    public static FlexioOutbox create(FlexioProcess process, FlexioUar uar) {
        process.check();
        process.checkNoFault();
        uar.acquire(process);
        FlexioOutbox created = new FlexioOutbox(process, uar);
        process.process().grants().addOutbox(created.numberFor(process), uar.numberFor(process));
        return process.adopt(created);
    }

    /// `flexio_outbox_get_uar`: of which UAR the queues are.
    public FlexioUar uar() {
        return uar;
    }

    @Override
    void destroy() {
        process().process().grants().removeOutbox(ownNumber());
        uar.release();
    }
}
