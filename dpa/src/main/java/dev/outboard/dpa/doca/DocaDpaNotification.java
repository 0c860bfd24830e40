package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.NotificationDescriptor;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// DPA-TH-3: by what device code activates a thread of the DPA: DOCA's
/// `doca_dpa_notification_completion`. There is no completion to take: however often the thread is
/// [notified][dev.outboard.dpa.doca.dev.DocaDpaDev#threadNotify] while it is active, it is
/// activated again afterwards, at least once. Any thread of the host may use it.
public final class DocaDpaNotification implements AutoCloseable {
    private final Lifecycle lifecycle;
    private final DocaDpaThread thread;

    /// While it is started.
    private long handle;

    private DocaDpaNotification(DocaDpa dpa, DocaDpaThread thread) {
        lifecycle = new Lifecycle(dpa, "DPA notification");
        this.thread = DocaException.nonNull(thread, "thread");
    }

    /// `doca_dpa_notification_completion_create`: one that activates that thread.
    public static DocaDpaNotification create(DocaDpa dpa, DocaDpaThread thread) {
        return new DocaDpaNotification(dpa, thread);
    }

    /// `doca_dpa_notification_completion_start`: makes it on the DPA.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed, or its context or the
    ///   thread is not started; with INVALID_VALUE if that is of another context; with NO_MEMORY
    public DocaDpaNotification start() {
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            FlexioEventHandler handler = thread.attach(lifecycle.context());
            try {
                lifecycle.start(holdings -> make(holdings, handler));
            } finally {
                if (!lifecycle.isStarted()) {
                    thread.detach();
                }
            }
        }
        return this;
    }

    private void make(Holdings holdings, FlexioEventHandler handler) {
        int bell = Bell.create(holdings, one -> one.activating(handler));
        DpaAddr descriptor =
                holdings.block(
                        ByteBuffer.allocate(NotificationDescriptor.BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(NotificationDescriptor.QUEUE, bell)
                                .putLong(NotificationDescriptor.FUNCTION, holdings.loaded.handle())
                                .array());
        handle = descriptor.value();
    }

    /// `doca_dpa_notification_completion_get_dpa_handle`: what device code knows it by.
    ///
    /// @throws DocaException with BAD_STATE if it is not started
    public long handle() {
        synchronized (lifecycle) {
            lifecycle.requireStarted();
            return handle;
        }
    }

    /// `doca_dpa_notification_completion_stop`: ends it. Device code notifies no more. Does nothing
    /// if it is not started.
    public void stop() {
        synchronized (lifecycle) {
            if (lifecycle.stop()) {
                thread.detach();
            }
        }
    }

    /// `doca_dpa_notification_completion_destroy`: stops it, and gives it up. Closing twice is
    /// harmless.
    @Override
    public void close() {
        synchronized (lifecycle) {
            stop();
            lifecycle.close();
        }
    }
}
