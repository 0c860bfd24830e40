package dev.outboard.naa;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionSink;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.NotificationHandle;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// What devices of a [FakeFabric] have in common: much that the NAA does not ask for.
abstract class BareDevice implements Device {
    @Override
    public String name() {
        return "fake://";
    }

    @Override
    public InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    public long guid() {
        return 1;
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionSink sink) {
        throw new UnsupportedOperationException("the NAA polls its queues");
    }

    @Override
    public Arena openArena() {
        return Arena.ofShared();
    }

    @Override
    public DeviceMemory allocateDeviceMemory(long length, long alignment) {
        throw new UnsupportedOperationException("nobody has device memory");
    }

    @Override
    public NotificationHandle createNotificationHandle() {
        throw new UnsupportedOperationException("the NAA waits in no epoll");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public Optional<AsyncEvent> nextEvent(Duration timeout) {
        return Optional.empty();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of();
    }

    @Override
    public void close() {}
}
