package dev.outboard.naa.client;

import dev.outboard.fabric.Device;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// A device and the completion queues that its clients share. It lives as long as some client uses
/// it. Any thread.
final class SharedDevice {
    /// Room for about a hundred clients with a few regions.
    private static final int CAPACITY = 1024;

    /// By URI those that were opened for clients, by themselves those of callers.
    private static final Map<Object, SharedDevice> OPEN = new HashMap<>();

    private final Object key;
    private final Device device;
    private final List<SharedQueue> queues = new ArrayList<>();
    private int users;

    private SharedDevice(Object key, Device device) {
        this.key = key;
        this.device = device;
    }

    /// A device of the caller's. Whoever gets it gives it back with [#release].
    static SharedDevice of(Device device) {
        return get(device, () -> device);
    }

    /// The device that clients opened under this URI, or else a new one. It is closed when the last
    /// client gives it back.
    static SharedDevice opened(String uri, Supplier<Device> open) {
        return get(uri, open);
    }

    private static SharedDevice get(Object key, Supplier<Device> open) {
        synchronized (OPEN) {
            SharedDevice shared = OPEN.get(key);
            if (shared == null) {
                shared = new SharedDevice(key, open.get());
                OPEN.put(key, shared);
            }
            shared.users++;
            return shared;
        }
    }

    Device device() {
        return device;
    }

    /// A share of a completion queue.
    ///
    /// @throws dev.outboard.fabric.FabricException if no queue can be created
    synchronized QueueShare share(int capacity) {
        for (SharedQueue queue : queues) {
            Optional<QueueShare> share = queue.share(capacity);
            if (share.isPresent()) {
                return share.get();
            }
        }
        int most = device.limits().maxCompletions();
        SharedQueue queue = new SharedQueue(device, Math.max(capacity, Math.min(CAPACITY, most)));
        queues.add(queue);
        return queue.share(capacity).orElseThrow();
    }

    /// One client less uses it.
    void release() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(key);
            Cleanup cleanup = new Cleanup();
            if (key instanceof String) {
                cleanup.defer(device::close);
            }
            queues.forEach(queue -> cleanup.defer(queue::close));
            cleanup.finish(
                    new NaaException.Where(
                            NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, device.name()));
        }
    }
}
