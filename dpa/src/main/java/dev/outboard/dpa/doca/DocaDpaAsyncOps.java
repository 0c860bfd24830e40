package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.AsyncOpsDescriptor;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// DPA-SE-10: where device code posts what it does not wait for itself, such as
/// [waits][dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent#postWaitGt] for an event, and
/// [copies][dev.outboard.dpa.doca.dev.DocaDpaDevMemcpy#postMemcpy]: DOCA's `doca_dpa_async_ops`.
/// They are done one after the other, and each is a completion. Any thread of the host may use it.
public final class DocaDpaAsyncOps implements AutoCloseable {
    /// The most operations that one has.
    private static final int MOST = 1 << 12;

    private final Lifecycle lifecycle;
    private final int queueSize;
    private final int userData;
    private @Nullable DocaDpaCompletion completion;

    /// While it is started.
    private long handle;

    private int number;

    private DocaDpaAsyncOps(DocaDpa dpa, int queueSize, int userData) {
        lifecycle = new Lifecycle(dpa, "context of asynchronous DPA operations");
        this.queueSize = queueSize;
        this.userData = userData;
    }

    /// `doca_dpa_async_ops_create`: one without a completion context.
    ///
    /// @param queueSize how many operations are posted whose completions have not been taken, at
    ///   most, which is rounded up to a power of two; more are a fault of device code
    /// @param userData what its completions bring
    /// @throws DocaException with INVALID_VALUE if the size is none
    public static DocaDpaAsyncOps create(DocaDpa dpa, int queueSize, int userData) {
        return new DocaDpaAsyncOps(dpa, DocaDpaCompletion.roundedUp(queueSize, MOST), userData);
    }

    /// `doca_dpa_async_ops_attach`: chooses where its completions go.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed
    public DocaDpaAsyncOps attach(DocaDpaCompletion told) {
        DocaException.nonNull(told, "told");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            completion = told;
        }
        return this;
    }

    /// `doca_dpa_async_ops_start`: makes it on the DPA.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it has no completion context, is started or closed,
    ///   or its context or the completion context is not started; with INVALID_VALUE if that is of
    ///   another context; with NO_MEMORY
    public DocaDpaAsyncOps start() {
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            DocaDpaCompletion told = completion;
            if (told == null) {
                throw lifecycle.refuse(DocaError.BAD_STATE, "has no completion context");
            }
            FlexioCq completions = told.attach(lifecycle.context());
            try {
                lifecycle.start(holdings -> make(holdings, told, completions));
            } finally {
                if (!lifecycle.isStarted()) {
                    told.detach();
                }
            }
        }
        return this;
    }

    private void make(Holdings holdings, DocaDpaCompletion told, FlexioCq completions) {
        int logBlocks = Integer.numberOfTrailingZeros(queueSize);
        DpaAddr ring = holdings.zeros(queueSize * SendEntry.BYTES);
        FlexioQp queue =
                Equipment.loop(holdings, new FlexioQp.Send(ring, logBlocks, completions), userData);
        DpaAddr descriptor =
                holdings.block(
                        ByteBuffer.allocate(AsyncOpsDescriptor.BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(AsyncOpsDescriptor.RING, ring.value())
                                .putLong(AsyncOpsDescriptor.LOG_BLOCKS, logBlocks)
                                .putLong(AsyncOpsDescriptor.QUEUE, queue.number())
                                .putLong(AsyncOpsDescriptor.FUNCTION, holdings.loaded.handle())
                                .array());
        handle = descriptor.value();
        told.queues().add(queue.number(), handle);
        number = queue.number();
        queue.purpose("asynchronous operations 0x%x".formatted(handle));
    }

    /// `doca_dpa_async_ops_get_dpa_handle`: what device code knows it by.
    ///
    /// @throws DocaException with BAD_STATE if it is not started
    public long handle() {
        synchronized (lifecycle) {
            lifecycle.requireStarted();
            return handle;
        }
    }

    /// `doca_dpa_async_ops_stop`: ends it, with what is posted and not done. If the thread of its
    /// completion context is just active, it is waited for, for a second at most. Does nothing if
    /// it is not started.
    public void stop() {
        synchronized (lifecycle) {
            DocaDpaCompletion told = completion;
            if (told == null || !lifecycle.isStarted()) {
                return;
            }
            told.settle();
            DocaErrors.giveBack(lifecycle.context().process(), () -> told.queues().remove(number));
            lifecycle.stop();
            told.detach();
        }
    }

    /// `doca_dpa_async_ops_destroy`: stops it, and gives it up. Closing twice is harmless.
    @Override
    public void close() {
        synchronized (lifecycle) {
            stop();
            lifecycle.close();
        }
    }
}
