package dev.outboard.fabric.roce.cm;

/// A port on which a [CmAgent] takes connection requests. The agent owns it; close it with
/// [CmAgent#close(Listener)].
public final class Listener {
    private final int port;
    private final int backlog;

    /// Requests that the application has not answered yet; each [Connection] counts itself.
    int undecided;

    Listener(int port, int backlog) {
        this.port = port;
        this.backlog = backlog;
    }

    public int port() {
        return port;
    }

    boolean isFull() {
        return undecided >= backlog;
    }

    @Override
    public String toString() {
        return "listener on port " + port;
    }
}
