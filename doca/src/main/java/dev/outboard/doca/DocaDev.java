package dev.outboard.doca;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import java.net.InetAddress;

/// An open device: DOCA's `doca_dev` (DOCA Core guide, device discovery). All that are opened from
/// one [DocaDevInfo] share one device of the fabric, with other users of the fabric in this process
/// ([dev.outboard.fabric.Devices]) too. Belongs to whoever opened it; any thread.
///
/// DCORE-DEV-3: the last close releases the device, not one before.
///
/// ```java
/// try (DocaDev dev = DocaDev.open(DocaDevInfo.find(""));
///         Mmap mmap = Mmap.builder().device(dev).memrange(1 << 20).build()) {
///     …
/// }
/// ```
public final class DocaDev implements AutoCloseable {
    private final OpenDevice open;
    private final Leak leak;
    private volatile boolean closed;

    private DocaDev(OpenDevice open) {
        this.open = open;
        this.leak = Leak.watch(this, "device " + open.info(), open::forgetHandle);
    }

    /// Opens the device that `info` names, or refers once more to the one that is open.
    ///
    /// @throws DocaException with IN_USE if another process has it, NOT_FOUND if its address is not
    ///   one of this machine, NOT_SUPPORTED if no provider knows it
    public static DocaDev open(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        return new DocaDev(OpenDevice.acquire(info));
    }

    /// Refers to a device of the fabric that the caller opened, who closes it after all that was
    /// made of this.
    ///
    /// @throws DocaException with BAD_STATE if it is closed
    public static DocaDev of(Device device) {
        DocaException.nonNull(device, "device");
        return new DocaDev(OpenDevice.acquire(device));
    }

    /// What it was opened from.
    ///
    /// DCORE-DEV-4: also when the list it came from is gone.
    public DocaDevInfo info() {
        return open.info();
    }

    /// Where peers reach it: for their [dev.outboard.doca.rdma.RdmaAddress], with the port of
    /// [dev.outboard.doca.rdma.Rdma#listen]. A device on loopback draws one when it is opened,
    /// which its description does not know.
    ///
    /// @throws DocaException with BAD_STATE after [#close]
    public InetAddress address() {
        return protectionDomain().device().address();
    }

    /// The verbs below: everything that DOCA makes of this device lives in this protection domain,
    /// and [ProtectionDomain#device] is the device of the fabric. For what DOCA does not offer;
    /// what is made from it must be closed before the device is.
    ///
    /// @throws DocaException with BAD_STATE after [#close]
    public ProtectionDomain protectionDomain() {
        requireOpen();
        return open.domain();
    }

    /// Whether both stand for the same open device.
    public boolean isSameDevice(DocaDev other) {
        DocaException.nonNull(other, "other");
        return open == other.open;
    }

    /// Something that must be closed before the device starts to use it.
    synchronized void use() {
        requireOpen();
        open.use();
    }

    /// What called [#use] is closed.
    void release() {
        open.release();
    }

    /// Gives the device back; closing twice is harmless.
    ///
    /// @throws DocaException with IN_USE if it is the last reference to the device and mmaps or
    ///   contexts use it still; it stays open then
    @Override
    public synchronized void close() {
        if (!closed) {
            open.closeHandle();
            closed = true;
            leak.closed();
        }
    }

    @Override
    public String toString() {
        return "device " + open.info();
    }

    private void requireOpen() {
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
    }
}
