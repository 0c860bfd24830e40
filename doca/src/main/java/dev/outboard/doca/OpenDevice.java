package dev.outboard.doca;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A device of the fabric that is open because [DocaDev]s refer to it. Any thread; all share one
/// lock.
final class OpenDevice {
    private static final Map<DocaDevInfo, OpenDevice> OPEN = new HashMap<>();

    private final DocaDevInfo info;
    private final Device device;
    private final Runnable giveBack;
    private final ProtectionDomain domain;
    private int handles;
    private int uses;

    private OpenDevice(DocaDevInfo info, Device device, Runnable giveBack) {
        this.info = info;
        this.device = device;
        this.giveBack = giveBack;
        this.domain = device.allocateProtectionDomain();
    }

    /// Other users of the fabric may have it open too, and DOCA by another name.
    private static OpenDevice open(DocaDevInfo info) {
        Devices.Share share =
                info.isAnother() ? Devices.shareAnother(info.uri()) : Devices.share(info.uri());
        OpenDevice known = known(share.device());
        if (known != null) {
            share.close();
            return known;
        }
        OpenDevice open = new OpenDevice(info, share.device(), share::close);
        OPEN.put(info, open);
        return open;
    }

    private static @Nullable OpenDevice known(Device device) {
        return OPEN.values().stream()
                .filter(open -> open.device.equals(device))
                .findAny()
                .orElse(null);
    }

    /// The device that `info` names, with one handle more.
    static OpenDevice acquire(DocaDevInfo info) {
        synchronized (OPEN) {
            try {
                OpenDevice known = OPEN.get(info);
                OpenDevice open = known == null ? open(info) : known;
                open.handles++;
                return open;
            } catch (FabricException e) {
                throw DocaException.of("opening " + info, e);
            }
        }
    }

    /// A device of the caller's, with one handle more. It is not closed here.
    static OpenDevice acquire(Device device) {
        synchronized (OPEN) {
            OpenDevice known = known(device);
            OpenDevice open = known == null ? adopt(device) : known;
            open.handles++;
            return open;
        }
    }

    private static OpenDevice adopt(Device device) {
        if (!device.isOpen()) {
            throw new DocaException(DocaError.BAD_STATE, device.name() + " is closed");
        }
        try {
            DocaDevInfo info = DocaDevInfo.of(device.name());
            OpenDevice open = new OpenDevice(info, device, () -> {});
            OPEN.put(info, open);
            return open;
        } catch (FabricException e) {
            throw DocaException.of("using " + device.name(), e);
        }
    }

    static boolean isOpen(DocaDevInfo info) {
        synchronized (OPEN) {
            return OPEN.containsKey(info);
        }
    }

    DocaDevInfo info() {
        return info;
    }

    ProtectionDomain domain() {
        return domain;
    }

    void use() {
        synchronized (OPEN) {
            uses++;
        }
    }

    void release() {
        synchronized (OPEN) {
            uses--;
            if (handles == 0 && uses == 0) {
                close();
            }
        }
    }

    /// One handle less; with the last one the device is closed.
    ///
    /// @throws DocaException with IN_USE if that is not possible; the handle is as before
    void closeHandle() {
        synchronized (OPEN) {
            if (handles == 1) {
                if (uses > 0) {
                    throw new DocaException(
                            DocaError.IN_USE,
                            "device %s is used by %d mmaps and contexts; close them first"
                                    .formatted(info, uses));
                }
                close();
            }
            handles--;
        }
    }

    /// A handle was forgotten: the device is closed when nothing uses it any more.
    void forgetHandle() {
        synchronized (OPEN) {
            handles--;
            if (handles == 0 && uses == 0) {
                close();
            }
        }
    }

    private void close() {
        try {
            domain.close();
        } catch (FabricException e) {
            throw DocaException.of("closing " + info, e);
        }
        giveBack.run();
        OPEN.remove(info);
    }
}
