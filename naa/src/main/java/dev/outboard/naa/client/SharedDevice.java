package dev.outboard.naa.client;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A device and the completion queues that its clients share. It lives as long as some client uses
/// it. Any thread.
final class SharedDevice {
    /// Room for about a hundred clients with a few regions.
    private static final int CAPACITY = 1024;

    private static final Map<Device, SharedDevice> OPEN = new HashMap<>();

    private final Device device;
    private final List<SharedQueue> queues = new ArrayList<>();

    /// Of the device, which the last client gives back.
    private final List<Devices.Share> shares = new ArrayList<>();

    private int users;

    private SharedDevice(Device device) {
        this.device = device;
    }

    /// A device of the caller's. Whoever gets it gives it back with [#release].
    static SharedDevice of(Device device) {
        synchronized (OPEN) {
            SharedDevice shared = OPEN.computeIfAbsent(device, SharedDevice::new);
            shared.users++;
            return shared;
        }
    }

    /// The device that `uri` names, which others may have open too. It is given back when the last
    /// client gives it back here.
    ///
    /// @throws dev.outboard.fabric.FabricException if it cannot be opened
    static SharedDevice opened(String uri) {
        Devices.Share share = Devices.share(uri);
        synchronized (OPEN) {
            SharedDevice shared = of(share.device());
            shared.shares.add(share);
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
            OPEN.remove(device);
            Cleanup cleanup = new Cleanup();
            shares.forEach(share -> cleanup.defer(share::close));
            queues.forEach(queue -> cleanup.defer(queue::close));
            cleanup.finish(
                    new NaaException.Where(
                            NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, device.name()));
        }
    }
}
