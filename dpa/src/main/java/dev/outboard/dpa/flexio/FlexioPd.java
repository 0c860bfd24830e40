package dev.outboard.dpa.flexio;

/// A protection domain: keys and windows of the same one go together.
public final class FlexioPd extends FlexioObject {
    FlexioPd(FlexioProcess process) {
        super(process, "protection domain", process.device().nextNumber());
    }

    /// DPA-FXP-2: makes another one than the process has by itself.
    public static FlexioPd create(FlexioProcess process) {
        process.check();
        return process.adopt(new FlexioPd(process));
    }

    @Override
    void destroy() {
        // A number is all that it is.
    }
}
