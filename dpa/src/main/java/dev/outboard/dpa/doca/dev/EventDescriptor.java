package dev.outboard.dpa.doca.dev;

/// What the handle of a sync event points to: words of DPA memory, which the host fills.
public final class EventDescriptor {
    /// The external address of the value.
    public static final int ADDRESS = 0;

    /// The key of that, for windows and the NIC.
    public static final int KEY = 8;

    /// Whether device code updates the event: [#YES] or 0.
    public static final int UPDATES = 16;

    /// Whether device code gets the event and waits for it: [#YES] or 0.
    public static final int WAITS = 24;

    /// Whether the event is one of a peer: [#YES] or 0.
    public static final int REMOTE = 32;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 40;

    /// How long it is.
    public static final int BYTES = 48;

    /// Stands for yes.
    public static final long YES = 1;

    private EventDescriptor() {}
}
