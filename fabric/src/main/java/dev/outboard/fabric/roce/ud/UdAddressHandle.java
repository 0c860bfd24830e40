package dev.outboard.fabric.roce.ud;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.roce.wire.Path;

/// An address handle with the path that its datagrams take, so that sending one computes nothing
/// about the way. Its protection domain counts it until it is closed.
public final class UdAddressHandle implements AddressHandle {
    private final AddressVector vector;
    private final Path path;
    private final int domain;
    private final Runnable onClose;
    private volatile boolean open = true;

    /// A handle of protection domain `domain`.
    ///
    /// @param onClose told once when the handle is closed
    public UdAddressHandle(AddressVector vector, Path path, int domain, Runnable onClose) {
        this.vector = vector;
        this.path = path;
        this.domain = domain;
        this.onClose = onClose;
    }

    Path path() {
        return path;
    }

    boolean isUsableIn(int otherDomain) {
        return open && domain == otherDomain;
    }

    @Override
    public AddressVector vector() {
        return vector;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!open) {
                return;
            }
            open = false;
        }
        onClose.run();
    }

    @Override
    public String toString() {
        return "address handle to " + vector.destination().getHostAddress();
    }
}
