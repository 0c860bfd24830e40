package dev.outboard.dpa.doca.dev;

/// What the handle of a notification points to: words of DPA memory, which the host fills.
public final class NotificationDescriptor {
    /// The number of the completion queue whose entries activate the thread.
    public static final int QUEUE = 0;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 8;

    /// How long it is.
    public static final int BYTES = 16;

    private NotificationDescriptor() {}
}
