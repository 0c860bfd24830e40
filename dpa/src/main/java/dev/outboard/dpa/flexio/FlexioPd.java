package dev.outboard.dpa.flexio;

import dev.outboard.dpa.nic.NicDomain;
import dev.outboard.fabric.ProtectionDomain;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A protection domain: keys and windows of the same one go together.
public final class FlexioPd extends FlexioObject {
    private static final String KIND = "protection domain";

    /// Who shares it among its processes on one device; null if it is of one of them.
    private final @Nullable HostProcess host;

    private final DpaDevice device;

    /// Where the NIC knows its keys, if not with those of the process.
    private final @Nullable NicDomain own;

    FlexioPd(FlexioProcess process) {
        this(process, null);
    }

    private FlexioPd(FlexioProcess process, @Nullable NicDomain own) {
        super(process, KIND, process.device().nextNumber());
        host = null;
        device = process.device();
        this.own = own;
    }

    private FlexioPd(HostProcess host, DpaDevice device) {
        super(KIND, device.nextNumber());
        this.host = host;
        this.device = device;
        own = null;
    }

    /// DPA-FXP-2: makes another one than the process has by itself.
    public static FlexioPd create(FlexioProcess process) {
        process.check();
        return process.adopt(new FlexioPd(process));
    }

    /// DPA-HW-16: makes one of another function of the card: of its keys, queue pairs of this
    /// domain name no others, and no others name them.
    ///
    /// @param fabric a protection domain of that function, if the device is on a fabric; it stays
    ///   open longer
    public static FlexioPd create(FlexioProcess process, Optional<ProtectionDomain> fabric) {
        return process.act(_ -> process.adopt(new FlexioPd(process, process.nic().domain(fabric))));
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

    /// As the NIC of a process that may use it knows it.
    NicDomain inNic(FlexioProcess user) {
        return own == null ? user.nic().home() : own;
    }

    @Override
    void destroy() {
        if (own != null) {
            process().nic().remove(own);
        }
        if (host != null) {
            host.forget(this);
        }
    }
}
