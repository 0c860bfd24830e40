package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.dpa.doca.dev.CompletionDescriptor;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpacc.DpaAddr;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-TH-2: a completion context: DOCA's `doca_dpa_completion`. What queues of the DPA have done
/// is told to it; device code takes that [there][dev.outboard.dpa.doca.dev.DocaDpaDevCompletion],
/// and may be activated by it. Any thread of the host may use it.
public final class DocaDpaCompletion implements CompletionContext, AutoCloseable {
    /// The most completions that wait in one.
    private static final int MOST = 1 << 15;

    private final Lifecycle lifecycle;
    private final int queueSize;
    private Optional<DocaDpaThread> thread = Optional.empty();

    /// What it has while it is started.
    private @Nullable Made made;

    private record Made(FlexioCq queue, long handle, QueueTable queues) {}

    private DocaDpaCompletion(DocaDpa dpa, int queueSize) {
        lifecycle = new Lifecycle(dpa, "DPA completion context");
        this.queueSize = queueSize;
    }

    /// `doca_dpa_completion_create`: a context that nobody uses.
    ///
    /// @param queueSize how many completions can wait to be taken and acknowledged, which is
    ///   rounded up to a power of two
    /// @throws DocaException with INVALID_VALUE if the size is none
    public static DocaDpaCompletion create(DocaDpa dpa, int queueSize) {
        return new DocaDpaCompletion(dpa, roundedUp(queueSize, MOST));
    }

    /// The power of two that has room for that.
    ///
    /// @throws DocaException with INVALID_VALUE if it is not from 1 to the most
    static int roundedUp(int queueSize, int most) {
        if (queueSize < 1 || queueSize > most) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a queue of %d; valid: 1 to %d".formatted(queueSize, most));
        }
        int floor = Integer.highestOneBit(queueSize);
        return floor == queueSize ? floor : 2 * floor;
    }

    /// How many completions it holds.
    public int queueSize() {
        return queueSize;
    }

    /// `doca_dpa_completion_set_thread`: chooses what it activates. Without one it is polled.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed
    public DocaDpaCompletion thread(DocaDpaThread activated) {
        DocaException.nonNull(activated, "activated");
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            thread = Optional.of(activated);
        }
        return this;
    }

    /// `doca_dpa_completion_start`: makes it on the DPA. The first completion activates the thread.
    ///
    /// @return this
    /// @throws DocaException with BAD_STATE if it is started or closed, or its context or its
    ///   thread is not started; with INVALID_VALUE if that is of another context; with NO_MEMORY
    public DocaDpaCompletion start() {
        synchronized (lifecycle) {
            lifecycle.requireIdle();
            DocaDpa dpa = lifecycle.context();
            Optional<FlexioEventHandler> handler = thread.map(one -> one.attach(dpa));
            try {
                lifecycle.start(holdings -> make(holdings, handler));
            } finally {
                if (!lifecycle.isStarted()) {
                    thread.ifPresent(DocaDpaThread::detach);
                }
            }
        }
        return this;
    }

    private void make(Holdings holdings, Optional<FlexioEventHandler> handler) {
        int logDepth = Integer.numberOfTrailingZeros(queueSize);
        DpaAddr ring = holdings.zeros(queueSize * CompletionEntry.BYTES);
        DpaAddr doorbellRecord = holdings.line();
        FlexioCq.Attributes polled = FlexioCq.Attributes.of(ring, logDepth, doorbellRecord);
        FlexioCq.Attributes attributes = handler.map(polled::activating).orElse(polled);
        FlexioCq queue = holdings.keep(holdings.loaded.queue(attributes));
        QueueTable queues = new QueueTable(holdings);
        DpaAddr descriptor =
                holdings.block(
                        ByteBuffer.allocate(CompletionDescriptor.BYTES)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putLong(CompletionDescriptor.RING, ring.value())
                                .putLong(CompletionDescriptor.LOG_DEPTH, logDepth)
                                .putLong(CompletionDescriptor.RECORD, doorbellRecord.value())
                                .putLong(CompletionDescriptor.NUMBER, queue.number())
                                .putLong(CompletionDescriptor.QUEUES, queues.address().value())
                                .putLong(CompletionDescriptor.PLACES, QueueTable.PLACES)
                                .putLong(CompletionDescriptor.FUNCTION, holdings.loaded.handle())
                                .array());
        made = new Made(queue, descriptor.value(), queues);
    }

    /// `doca_dpa_completion_get_dpa_handle`: what device code knows it by.
    ///
    /// @throws DocaException with BAD_STATE if it is not started
    public long handle() {
        synchronized (lifecycle) {
            return made().handle;
        }
    }

    private Made made() {
        lifecycle.requireStarted();
        return Objects.requireNonNull(made, "made");
    }

    @Override
    public DocaDpa environment() {
        return lifecycle.context();
    }

    /// `doca_dpa_completion_stop`: ends it. If its thread is just active, it is waited for, for a
    /// second at most. Does nothing if it is not started.
    ///
    /// @throws DocaException with IN_USE if queues use it; nothing has changed
    public void stop() {
        synchronized (lifecycle) {
            if (lifecycle.isStarted()) {
                settle();
            }
            if (lifecycle.stop()) {
                made = null;
                thread.ifPresent(DocaDpaThread::detach);
            }
        }
    }

    /// `doca_dpa_completion_destroy`: stops it, and gives it up. Closing twice is harmless.
    ///
    /// @throws DocaException as [#stop]
    @Override
    public void close() {
        synchronized (lifecycle) {
            stop();
            lifecycle.close();
        }
    }

    // For what has queues

    /// A queue of that context uses it from now on, until [#detach].
    ///
    /// @return where its completions go
    /// @throws DocaException with BAD_STATE if it is not started, with INVALID_VALUE if it is of
    ///   another context
    FlexioCq attach(DocaDpa user) {
        synchronized (lifecycle) {
            lifecycle.use(user);
            return made().queue;
        }
    }

    /// A queue uses it no more.
    void detach() {
        lifecycle.release();
    }

    /// The queue pairs whose completions come to it.
    QueueTable queues() {
        synchronized (lifecycle) {
            return made().queues;
        }
    }

    /// Waits until its thread, if it has one, has ended what it was activated for.
    void settle() {
        thread.ifPresent(DocaDpaThread::settle);
    }
}
