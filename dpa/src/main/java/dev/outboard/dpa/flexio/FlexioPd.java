package dev.outboard.dpa.flexio;

import org.jspecify.annotations.Nullable;

/// A protection domain: keys and windows of the same one go together.
public final class FlexioPd extends FlexioObject {
    private static final String KIND = "protection domain";

    /// Who shares it among its processes on one device; null if it is of one of them.
    private final @Nullable HostProcess host;

    private final DpaDevice device;

    FlexioPd(FlexioProcess process) {
        super(process, KIND, process.device().nextNumber());
        host = null;
        device = process.device();
    }

    private FlexioPd(HostProcess host, DpaDevice device) {
        super(KIND, device.nextNumber());
        this.host = host;
        this.device = device;
    }

    /// DPA-FXP-2: makes another one than the process has by itself.
    public static FlexioPd create(FlexioProcess process) {
        process.check();
        return process.adopt(new FlexioPd(process));
    }

    /// DPA-FXP-2: makes one before there is a process, which can then be
    /// [given][FlexioProcess.Attributes#withDomain] to processes of the host on that device. It
    /// lives no longer than the host process.
    ///
    /// DPA-SYS-5: processes that have the same one still use no keys of each other.
    ///
    /// @throws FlexioException if the host process is gone
    public static FlexioPd create(HostProcess host, DpaDevice device) {
        return host.adopt(new FlexioPd(host, device));
    }

    @Override
    boolean isFor(FlexioProcess user) {
        return host == null
                ? super.isFor(user)
                : host.equals(user.host()) && device.equals(user.device());
    }

    @Override
    void destroy() {
        if (host != null) {
            host.forget(this);
        }
    }
}
