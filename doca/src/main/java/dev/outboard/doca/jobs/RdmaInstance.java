package dev.outboard.doca.jobs;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaState;
import dev.outboard.doca.rdma.RdmaTask;
import dev.outboard.doca.rdma.TransportType;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// DOCA RDMA as it was in 2023 (`doca_rdma`): one connection, whose jobs go through a [WorkQueue].
///
/// ```java
/// RdmaInstance instance = new RdmaInstance().addDevice(dev).permissions(AccessFlag.RDMA_READ);
/// instance.start();
/// instance.addWorkQueue(queue);
/// exchange(instance.export()) …
/// instance.connect(peersExport);
/// ```
///
/// Underneath is an [Rdma] context with a progress engine of its own. A failure of the
/// communication puts the instance into ERROR until it is stopped. Used by one thread, the first
/// that submits; others get BAD_STATE.
public final class RdmaInstance implements AutoCloseable {
    private static final int DEFAULT_QUEUE_SIZE = 128;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final ProgressEngine engine = ProgressEngine.create();
    private int sendQueueSize = DEFAULT_QUEUE_SIZE;
    private int recvQueueSize = DEFAULT_QUEUE_SIZE;
    private int recvBufChainLen = 1;
    private @Nullable Rdma rdma;
    private @Nullable RdmaConnection connection;
    private @Nullable WorkQueue queue;
    private boolean started;
    private boolean failed;
    private boolean closed;
    private int pending;

    /// An instance without a device.
    public RdmaInstance() {}

    // ---- configuration --------------------------------------------------------------------------

    /// Gives it the device it works on (`doca_ctx_dev_add`).
    ///
    /// @throws DocaException with BAD_STATE once started or closed, with IN_USE if it has one
    ///   already
    public RdmaInstance addDevice(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireStopped("given a device");
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
        if (rdma != null) {
            throw new DocaException(DocaError.IN_USE, this + " has a device already");
        }
        Rdma context = new Rdma(dev);
        context.attach(engine).onStateChange(this::changed);
        rdma = context;
        return this;
    }

    /// Takes the device away (`doca_ctx_dev_rm`).
    ///
    /// @throws DocaException with BAD_STATE once started, with NOT_FOUND if it does not have `dev`;
    ///   else as [Rdma#close]
    public RdmaInstance removeDevice(DocaDev dev) {
        DocaException.nonNull(dev, "dev");
        requireStopped("rid of a device");
        if (rdma == null || !rdma.device().isSameDevice(dev)) {
            throw new DocaException(DocaError.NOT_FOUND, this + " does not have " + dev);
        }
        rdma.close();
        rdma = null;
        return this;
    }

    /// What the peer may do, if the memory permits it too; nothing by default.
    ///
    /// @throws DocaException with BAD_STATE without a device, or once started; with INVALID_VALUE
    ///   for PCI flags
    public RdmaInstance permissions(AccessFlag... flags) {
        configurable().permissions(flags);
        return this;
    }

    /// What the peer may do.
    ///
    /// @throws DocaException with BAD_STATE without a device
    public Set<AccessFlag> permissions() {
        return context().permissions();
    }

    /// Whether packets have a global route header: those of RoCE always have.
    ///
    /// @throws DocaException with BAD_STATE without a device, or once started; with NOT_SUPPORTED
    ///   for false
    public RdmaInstance grhEnabled(boolean enabled) {
        Rdma context = configurable();
        if (!enabled) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    context.device() + " sends no packets without a global route header");
        }
        return this;
    }

    /// Which of the device's addresses is used: it has one, at 0.
    ///
    /// @throws DocaException with BAD_STATE without a device, or once started; with INVALID_VALUE
    ///   for any number but 0
    public RdmaInstance gidIndex(int index) {
        Rdma context = configurable();
        if (index != 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "GID index is " + index + "; " + context.device() + " has 0 only");
        }
        return this;
    }

    /// The transport; RC by default.
    ///
    /// DJOB-TRANS-1: RC, and a constant for DC.
    ///
    /// @throws DocaException with BAD_STATE once started, with NOT_SUPPORTED for DC
    public RdmaInstance transportType(TransportType type) {
        DocaException.nonNull(type, "type");
        requireStopped("configured");
        if (type != TransportType.RC) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED, "transport type is " + type + "; supported: RC");
        }
        return this;
    }

    /// Send-side jobs in flight at most; 128 by default. What the device cannot do is refused by
    /// [#start].
    ///
    /// @throws DocaException with BAD_STATE once started, with INVALID_VALUE below 1
    public RdmaInstance sendQueueSize(int size) {
        requireStopped("configured");
        sendQueueSize = atLeastOne("send queue size", size);
        return this;
    }

    /// Receives in flight at most; see [#sendQueueSize].
    ///
    /// @throws DocaException as [#sendQueueSize]
    public RdmaInstance recvQueueSize(int size) {
        requireStopped("configured");
        recvQueueSize = atLeastOne("receive queue size", size);
        return this;
    }

    /// Buffers in the chain of a receive at most; 1 by default. Chains of other jobs may be as long
    /// as the device allows.
    ///
    /// @throws DocaException as [#sendQueueSize]
    public RdmaInstance recvBufChainLen(int length) {
        requireStopped("configured");
        recvBufChainLen = atLeastOne("receive chain length", length);
        return this;
    }

    /// Buffers in the chain of a receive at most.
    public int recvBufChainLen() {
        return recvBufChainLen;
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, name + " is " + value + "; valid: at least 1");
        }
        return value;
    }

    // ---- life -----------------------------------------------------------------------------------

    /// What it is ready for. ERROR stays until [#stop].
    ///
    /// DJOB-LIFE-4: ERROR stays.
    public RdmaState state() {
        if (failed) {
            return RdmaState.ERROR;
        }
        return started ? context().rdmaState() : RdmaState.RESET;
    }

    /// From RESET to INIT.
    ///
    /// DJOB-LIFE-1, DRDMA-CONF-4: with all types of jobs, without configuration.
    ///
    /// @throws DocaException with BAD_STATE without a device, or if it is started; with
    ///   NOT_SUPPORTED or INVALID_VALUE if a property is beyond what the device can do; else as
    ///   [Rdma#start] and [Rdma#export]
    public void start() {
        Rdma context = configurable();
        context.sendQueueSize(sendQueueSize)
                .recvQueueSize(recvQueueSize)
                .receiveDstBufListLen(recvBufChainLen)
                .maxSendBufListLen(maxBufChainLen())
                .receive(this::completed, this::completed, recvQueueSize)
                .send(this::completed, this::completed, sendQueueSize)
                .sendImm(this::completed, this::completed, sendQueueSize)
                .read(this::completed, this::completed, sendQueueSize)
                .write(this::completed, this::completed, sendQueueSize)
                .writeImm(this::completed, this::completed, sendQueueSize)
                .atomicCmpSwp(this::completed, this::completed, sendQueueSize)
                .atomicFetchAdd(this::completed, this::completed, sendQueueSize);
        context.start();
        connection = context.export();
        started = true;
    }

    /// Buffers in the chain of a send, read or write at most.
    ///
    /// @throws DocaException with BAD_STATE without a device
    public int maxBufChainLen() {
        return context().device().protectionDomain().device().limits().maxScatterGather();
    }

    /// From any state to RESET. In ERROR jobs may be pending: their events, flushed, can still be
    /// retrieved.
    ///
    /// DJOB-LIFE-3: not with jobs or a work queue, unless in ERROR.
    ///
    /// @throws DocaException with NOT_PERMITTED unless in ERROR, if jobs are pending or it has a
    ///   work queue; else as [Rdma#stopAndDrain]
    public void stop() {
        if (!started) {
            return;
        }
        if (!failed && (pending > 0 || queue != null)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s cannot be stopped with %d pending jobs and %s; retrieve them, and remove the work queue"
                            .formatted(this, pending, queue == null ? "no work queue" : queue));
        }
        context().stopAndDrain(STOP_LIMIT);
        connection = null;
        started = false;
        failed = false;
    }

    /// Lets `newQueue` take its jobs (`doca_ctx_workq_add`).
    ///
    /// DJOB-WQ-2: one, after the start.
    ///
    /// @throws DocaException with BAD_STATE unless started, or if the work queue is closed; with
    ///   IN_USE if it has a work queue
    public void addWorkQueue(WorkQueue newQueue) {
        DocaException.nonNull(newQueue, "newQueue");
        requireStarted("given a work queue");
        if (queue != null) {
            throw new DocaException(DocaError.IN_USE, this + " has a work queue already");
        }
        newQueue.added(this);
        queue = newQueue;
    }

    /// Takes the work queue away (`doca_ctx_workq_rm`).
    ///
    /// DJOB-WQ-6: not with jobs of it pending.
    ///
    /// @throws DocaException with NOT_FOUND if it does not have `oldQueue`, with NOT_PERMITTED
    ///   while jobs of this instance were not retrieved
    public void removeWorkQueue(WorkQueue oldQueue) {
        DocaException.nonNull(oldQueue, "oldQueue");
        if (!oldQueue.equals(queue)) {
            throw new DocaException(DocaError.NOT_FOUND, this + " does not have " + oldQueue);
        }
        if (pending > 0) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s still has %d jobs of %s; retrieve them first"
                            .formatted(oldQueue, pending, this));
        }
        queue = null;
        oldQueue.removed(this);
    }

    /// What the peer needs for its [#connect]; carry it over a secure channel.
    ///
    /// @throws DocaException with BAD_STATE unless started
    public byte[] export() {
        return requireStarted("exported").details();
    }

    /// From INIT to CONNECTED, with the peer that exported `peerDetails`; the peer has to do the
    /// same.
    ///
    /// @throws DocaException with BAD_STATE unless in INIT, with INVALID_VALUE if `peerDetails` are
    ///   empty, with CONNECTION_ABORTED if they are damaged or do not fit
    public void connect(byte[] peerDetails) {
        DocaException.nonNull(peerDetails, "peerDetails");
        requireStarted("connected").connect(peerDetails);
        engine.progress();
    }

    /// Ends it in any state: jobs that are pending are flushed, the work queue, which keeps their
    /// events, is removed, and the device is given up. Closing twice is harmless.
    ///
    /// @throws DocaException as [Rdma#close]
    @Override
    public void close() {
        if (rdma != null) {
            rdma.close();
            rdma = null;
        }
        if (queue != null) {
            queue.removed(this);
            queue = null;
        }
        connection = null;
        started = false;
        failed = false;
        closed = true;
        engine.close();
    }

    // ---- the work queue's -----------------------------------------------------------------------

    /// Whether the type and the operands of a job agree.
    static boolean fits(ReadWriteJob job) {
        return switch (job.type()) {
            case READ -> !(job.dst() instanceof RemoteBuf) && !(job.src() instanceof Buf);
            case WRITE, WRITE_IMM ->
                    !(job.dst() instanceof Buf) && !(job.src() instanceof RemoteBuf);
            default -> false;
        };
    }

    /// Makes a task of a job that is consistent in itself, and submits it.
    DocaError submit(Job job) {
        if (state() != RdmaState.CONNECTED) {
            return DocaError.BAD_STATE;
        }
        RdmaTask task;
        try {
            task = task(job);
        } catch (DocaException e) {
            return e.error();
        }
        task.userData(job.userData());
        DocaError error = task.trySubmit();
        if (error == DocaError.SUCCESS) {
            pending++;
            return error;
        }
        task.free();
        return error == DocaError.FULL ? DocaError.NO_MEMORY : error;
    }

    /// DJOB-BASE-5, DJOB-IMM-1, DJOB-ATOM-1: what a type does not use is ignored.
    private RdmaTask task(Job job) {
        RdmaConnection peer = Objects.requireNonNull(connection);
        return switch (job) {
            case RecvJob recv -> context().allocReceive(recv.dst());
            case SendJob send ->
                    send.type() == JobType.SEND
                            ? peer.allocSend(send.src())
                            : peer.allocSendImm(send.src(), send.immediate());
            case ReadWriteJob move -> task(peer, move);
            case AtomicJob atomic ->
                    atomic.type() == JobType.ATOMIC_CMP_SWP
                            ? peer.allocAtomicCmpSwp(
                                    atomic.cmpOrAddDest(),
                                    atomic.result(),
                                    atomic.compare(),
                                    atomic.swapOrAdd())
                            : peer.allocAtomicFetchAdd(
                                    atomic.cmpOrAddDest(), atomic.result(), atomic.swapOrAdd());
        };
    }

    private static RdmaTask task(RdmaConnection peer, ReadWriteJob job) {
        if (job.type() == JobType.READ) {
            return peer.allocRead((RemoteBuf) job.src(), (Buf) job.dst());
        }
        Buf src = (Buf) job.src();
        RemoteBuf dst = (RemoteBuf) job.dst();
        return job.type() == JobType.WRITE
                ? peer.allocWrite(src, dst)
                : peer.allocWriteImm(src, dst, job.immediate());
    }

    void progress() {
        engine.progress();
    }

    boolean await(Duration timeout) throws InterruptedException {
        return engine.await(timeout);
    }

    /// An event of one of its jobs was retrieved.
    void retrieved() {
        pending--;
    }

    // ---- inside ---------------------------------------------------------------------------------

    private void completed(RdmaTask task) {
        Objects.requireNonNull(queue).completed(this, task);
        task.free();
    }

    private void changed(Ctx context, CtxState previous, CtxState next) {
        if (next == CtxState.STOPPING && context.stopCause().isPresent()) {
            failed = true;
        }
    }

    /// DJOB-LIFE-2, DRDMA-CREATE-2: the device may come later, and is needed first.
    private Rdma context() {
        if (rdma == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " has no device; add one first");
        }
        return rdma;
    }

    private Rdma configurable() {
        Rdma context = context();
        requireStopped("configured");
        return context;
    }

    private void requireStopped(String action) {
        if (started) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "%s is %s; it can be %s only before it is started"
                            .formatted(this, state(), action));
        }
    }

    private RdmaConnection requireStarted(String action) {
        if (connection == null) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " can be " + action + " only when started");
        }
        return connection;
    }

    @Override
    public String toString() {
        return rdma == null ? "RDMA instance" : "RDMA instance on " + rdma.device();
    }
}
