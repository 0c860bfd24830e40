package dev.outboard.dpa.doca.dev;

/// What the handle of a context points to: words of DPA memory, which say on which function of the
/// card the context is.
public final class FunctionDescriptor {
    /// Whether the context is started: [#YES] or 0.
    public static final int ALIVE = 0;

    /// Which one it is of those that the program is on: 0 is that of the base context.
    public static final int INDEX = 8;

    /// The number of the function on its card.
    public static final int NUMBER = 16;

    /// How long it is.
    public static final int BYTES = 24;

    /// Stands for yes.
    public static final long YES = 0x46554E43;

    private FunctionDescriptor() {}
}
