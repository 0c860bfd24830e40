package dev.outboard.terminal;

/// Does something when the process is told to end, by Ctrl-C or SIGTERM, unless it is closed first.
/// The process ends when the action has returned.
public final class ShutdownHook implements AutoCloseable {
    private final Thread thread;

    /// Runs `action`, on a thread called `name`, when the process ends.
    public ShutdownHook(String name, Runnable action) {
        thread = new Thread(action, name);
        Runtime.getRuntime().addShutdownHook(thread);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException _) {
            // The process is ending already, and the action is running.
        }
    }
}
