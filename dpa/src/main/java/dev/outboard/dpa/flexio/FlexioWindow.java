package dev.outboard.dpa.flexio;

/// DPA-FXW-1: what threads of a process reach external memory through, once they have configured
/// it: `thread.configureWindow(number, key)`.
public final class FlexioWindow extends FlexioObject {
    private final FlexioPd domain;

    private FlexioWindow(FlexioProcess process, FlexioPd domain) {
        super(process, "window", process.device().nextNumber());
        this.domain = domain;
    }

    /// Makes a window for the keys of a protection domain.
    ///
    /// @throws FlexioException if the protection domain belongs to another process
    public static FlexioWindow create(FlexioProcess process, FlexioPd domain) {
        process.check();
        process.checkNoFault();
        domain.acquire(process);
        FlexioWindow created = new FlexioWindow(process, domain);
        process.process().grants().addWindow(created.numberFor(process), domain.numberFor(process));
        return process.adopt(created);
    }

    @Override
    void destroy() {
        process().process().grants().removeWindow(ownNumber());
        leave();
    }

    @Override
    void leave() {
        domain.release();
    }
}
