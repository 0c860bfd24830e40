package dev.outboard.fabric;

import dev.outboard.fabric.FabricException.Reason;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

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
    /// By URI without options; of devices whose address is not known before, by the whole URI.
    private static final Map<String, Open> OPEN = new HashMap<>();

    private static final class Open {
        final String uri;
        final Device device;
        int shares;

        Open(String uri) {
            this.uri = uri;
            this.device = Fabric.open(uri);
        }
    }

    private Devices() {}

    /// One user's share of an open device.
    public static final class Share implements AutoCloseable {
        private final String key;
        private final Open open;
        private boolean closed;

        private Share(String key, Open open) {
            this.key = key;
            this.open = open;
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
                    OPEN.remove(key);
                    open.device.close();
                }
            }
        }
    }

    /// A share of the device that `uri` names, which is opened if nobody shares it yet. One that
    /// draws its address is the same for everybody who names it like that.
    ///
    /// @throws FabricException with ADDRESS_IN_USE if it is open with other options, or by somebody
    ///   who does not share it; else as [Fabric#open]
    public static Share share(String uri) {
        DeviceInfo info = Fabric.describe(uri);
        boolean hasOneAddress = !info.isDrawn() && info.address().isPresent();
        String key = hasOneAddress ? info.uri().replaceFirst("\\?.*", "") : info.uri();
        synchronized (OPEN) {
            Open open = Objects.requireNonNullElseGet(OPEN.get(key), () -> new Open(info.uri()));
            if (!open.uri.equals(info.uri())) {
                throw new FabricException(
                        Reason.ADDRESS_IN_USE,
                        "this process has opened %s already, and cannot open it as %s as well"
                                .formatted(open.uri, info.uri()));
            }
            open.shares++;
            OPEN.put(key, open);
            return new Share(key, open);
        }
    }
}
