package dev.outboard.naa.client;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.FabricException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.link.Cleanup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A device and the thread that follows the asynchronous RPCs of its clients. It lives as long as
/// some client uses it. Any thread.
final class SharedDevice {
    private static final Map<Device, SharedDevice> OPEN = new HashMap<>();

    private final Device device;
    private final AsyncRpcs asyncRpcs;

    /// Of the device, which the last client gives back.
    private final List<Devices.Share> shares = new ArrayList<>();

    private int users;

    private SharedDevice(Device device) {
        this.device = device;
        this.asyncRpcs = new AsyncRpcs(device);
    }

    /// A device of the caller's. Whoever gets it gives it back with [#release].
    ///
    /// @throws FabricException if it has no completion channel
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
    /// @throws FabricException if it cannot be opened
    static SharedDevice opened(String uri) {
        Devices.Share share = Devices.share(uri);
        synchronized (OPEN) {
            SharedDevice shared = of(share);
            shared.shares.add(share);
            return shared;
        }
    }

    private static SharedDevice of(Devices.Share share) {
        try {
            return of(share.device());
        } catch (FabricException e) {
            share.close();
            throw e;
        }
    }

    Device device() {
        return device;
    }

    AsyncRpcs asyncRpcs() {
        return asyncRpcs;
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
            cleanup.defer(asyncRpcs::close);
            cleanup.finish(
                    new NaaException.Where(
                            NaaException.Phase.DISCONNECT, NaaState.DISCONNECTED, device.name()));
        }
    }
}
