package dev.outboard.fabric;

import java.time.Duration;
import java.util.Optional;

/// Where the connection events of its [ConnectionId]s arrive, in order (librdmacm's event channel).
/// Any thread may take events. [#close] closes the ids that are still open.
public interface ConnectionChannel extends AutoCloseable {
    /// Creates an identifier for reliable connections, whose events arrive here.
    default ConnectionId createId() {
        return createId(PortSpace.TCP);
    }

    /// Creates an identifier in `space`, whose events arrive here.
    ConnectionId createId(PortSpace space);

    /// Takes the oldest event, waiting for one at most `timeout`; a zero timeout does not wait.
    Optional<ConnectionEvent> next(Duration timeout);

    /// Signals `handle` with each event from now on, and at once if one waits to be taken. It takes
    /// the place of the handle attached before.
    void attach(NotificationHandle handle);

    @Override
    void close();
}
