package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.fabric.PortSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The queue of connection events of some ids.
final class RoceConnectionChannel implements ConnectionChannel {
    private final RoceDevice device;
    private final BlockingQueue<ConnectionEvent> events = new LinkedBlockingQueue<>();
    private final Set<RoceConnectionId> ids = ConcurrentHashMap.newKeySet();
    private volatile @Nullable NotificationHandle handle;
    private volatile boolean closed;

    RoceConnectionChannel(RoceDevice device) {
        this.device = device;
    }

    void add(ConnectionEvent event) {
        events.add(event);
        NotificationHandle attached = handle;
        if (attached != null) {
            attached.signal();
        }
    }

    @Override
    public void attach(NotificationHandle handle) {
        this.handle = handle;
        if (!events.isEmpty()) {
            handle.signal();
        }
    }

    void joined(RoceConnectionId id) {
        ids.add(id);
    }

    /// `id` is closed: nothing comes for it any more.
    void left(RoceConnectionId id) {
        ids.remove(id);
        events.removeIf(event -> event.id().equals(id));
    }

    @Override
    public ConnectionId createId(PortSpace space) {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "connection channel of " + device.name() + " is closed");
        }
        RoceConnectionId id =
                switch (space) {
                    case TCP -> new RoceConnectedId(device, this, null);
                    case UDP -> new RoceDatagramId(device, this, null);
                };
        ids.add(id);
        return id;
    }

    @Override
    public Optional<ConnectionEvent> next(Duration timeout) {
        ConnectionEvent event = events.poll();
        if (event != null || timeout.isZero()) {
            device.drivers().drive();
            return Optional.ofNullable(event == null ? events.poll() : event);
        }
        device.engine().requireOutside("next");
        return Optional.ofNullable(device.drivers().take(events, timeout.toNanos()));
    }

    @Override
    public void close() {
        closed = true;
        List<RoceConnectionId> open = new ArrayList<>(ids);
        open.forEach(RoceConnectionId::close);
        device.remove(this);
    }
}
