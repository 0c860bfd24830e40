package dev.outboard.fabric.roce.cm;

/// A port on which a [CmAgent] takes connection requests, or its [ServiceResolver] requests for a
/// datagram service. Close it where it was opened.
public final class Listener {
    private final int port;
    private final int backlog;

    /// Requests that the application has not answered yet; each counts itself.
    int undecided;

    private Listener(int port, int backlog) {
        this.port = port;
        this.backlog = backlog;
    }

    public int port() {
        return port;
    }

    /// A listener on `port` of `ports`, or on a free one if it is 0.
    static Listener on(Ports ports, int port, int backlog) {
        CmAgent.require(port >= 0 && port <= CmAgent.MAX_PORT, "port", port, "0 to 65535");
        CmAgent.require(backlog > 0, "backlog", backlog, "1 or more");
        if (port != 0) {
            ports.take(port);
        }
        return new Listener(port == 0 ? ports.takeEphemeral() : port, backlog);
    }

    boolean isFull() {
        return undecided >= backlog;
    }

    @Override
    public String toString() {
        return "listener on port " + port;
    }
}
