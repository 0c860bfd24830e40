package dev.outboard.fabric;

import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.spi.DeviceUri;
import java.util.HashMap;
import java.util.Map;

/// The devices of this process that several users share. An address serves one device, so libraries
/// that do not know of each other use the same if they use one address; the functions of one card
/// have an address each. Any thread.
///
/// ```java
/// try (Devices.Share share = Devices.share("roce://127.0.0.2")) {
///     ConnectionChannel channel = share.device().createConnectionChannel();
///     …
/// }
/// ```
public final class Devices {
    /// By URI without options, and those whose address is not known before by the whole URI, too.
    private static final Map<String, Open> OPEN = new HashMap<>();

    private static final class Open {
        final Device device;

        /// Opens the same device, at its address.
        final String uri;

        int shares;

        Open(DeviceInfo info) {
            device = Fabric.open(info.uri());
            uri = info.isDrawn() ? located(info, device) : info.uri();
        }

        private static String located(DeviceInfo drawn, Device device) {
            Map<String, String> options = DeviceUri.parse(drawn.uri()).options();
            return Fabric.describe(DeviceUri.parse(device.name()).with(options).toString()).uri();
        }
    }

    private Devices() {}

    /// One user's share of an open device.
    public static final class Share implements AutoCloseable {
        private final Open open;
        private boolean closed;

        private Share(Open open) {
            this.open = open;
            open.shares++;
        }

        public Device device() {
            return open.device;
        }

        /// Gives the share back; the device is closed with the last one. Closing twice is harmless.
        @Override
        public void close() {
            synchronized (OPEN) {
                if (closed) {
                    return;
                }
                closed = true;
                open.shares--;
                if (open.shares == 0) {
                    OPEN.values().removeIf(open::equals);
                    open.device.close();
                }
            }
        }
    }

    /// A share of the device that `uri` names, which is opened if nobody shares it yet. One that
    /// draws its address is the same for everybody who names it like that, or by the address it has
    /// drawn.
    ///
    /// @throws FabricException with ADDRESS_IN_USE if it is open with other options, or by somebody
    ///   who does not share it; else as [Fabric#open]
    public static Share share(String uri) {
        DeviceInfo info = Fabric.describe(uri);
        boolean hasOneAddress = !info.isDrawn() && info.address().isPresent();
        String key = hasOneAddress ? withoutOptions(info.uri()) : info.uri();
        synchronized (OPEN) {
            Open open = OPEN.get(key);
            if (open == null) {
                open = open(info);
                OPEN.put(key, open);
            } else if (hasOneAddress && !open.uri.equals(info.uri())) {
                throw new FabricException(
                        Reason.ADDRESS_IN_USE,
                        "this process has opened %s already, and cannot open it as %s as well"
                                .formatted(open.uri, info.uri()));
            }
            return new Share(open);
        }
    }

    /// A share of a device of one's own, if `uri` draws its address: of one that no other has yet,
    /// and that those share who name the address it has drawn. Otherwise as [#share].
    ///
    /// @throws FabricException as [#share]
    public static Share shareAnother(String uri) {
        DeviceInfo info = Fabric.describe(uri);
        if (!info.isDrawn()) {
            return share(uri);
        }
        synchronized (OPEN) {
            return new Share(open(info));
        }
    }

    /// Opens it, known by the address that it draws, if it does.
    private static Open open(DeviceInfo info) {
        Open open = new Open(info);
        if (info.isDrawn()) {
            OPEN.put(withoutOptions(open.uri), open);
        }
        return open;
    }

    private static String withoutOptions(String uri) {
        return uri.replaceFirst("\\?.*", "");
    }
}
