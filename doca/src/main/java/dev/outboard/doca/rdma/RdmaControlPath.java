package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairControl;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How an [Rdma] context comes by connections, by details and by address, and what follows when one
/// ends. Has none while the context is IDLE.
final class RdmaControlPath {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MAX_PSN = 1 << 24;

    private final Rdma rdma;
    private final CtxRun.Owner owner;
    private final RdmaConfiguration configuration;

    /// Stays open though the handle that the context was made with may be closed.
    private final ProtectionDomain domain;

    /// Of the only connection, which is not there yet.
    private final PatientStart awaited = new PatientStart();

    private final KeepAlive keepAlive = new KeepAlive();
    private Connections connections = new Connections(0);
    private @Nullable QueuePairAttributes attributes;

    /// If programs of an execution environment post to its connections.
    private @Nullable RdmaQueues programs;

    /// If those have queue pairs on demand.
    private @Nullable DynamicConnections dynamic;

    private @Nullable ConnectionService service;
    private int nextConnectionId;
    private long refusedRequests;

    RdmaControlPath(Rdma rdma, CtxRun.Owner owner, RdmaConfiguration configuration) {
        this.rdma = rdma;
        this.owner = owner;
        this.configuration = configuration;
        domain = rdma.device().protectionDomain();
    }

    Rdma rdma() {
        return rdma;
    }

    ProtectionDomain domain() {
        return domain;
    }

    Device device() {
        return domain.device();
    }

    RdmaConfiguration configuration() {
        return configuration;
    }

    /// The context starts: its connections complete to `completions`, and share `receives`.
    Connections open(CompletionStream completions, ReceiveQueue receives) {
        attributes =
                QueuePairAttributes.of(completions.queue(), configuration.maxSends(), 1)
                        .withSharedReceiveQueue(receives.queue())
                        .withMaxScatterGather(configuration.maxSendBufListLen());
        keepAlive.begin(configuration.keepAlive());
        connections = new Connections(configuration.maxNumConnections());
        return connections;
    }

    /// The context starts: programs post to its connections.
    ///
    /// @param onDemand if they have a queue pair only when there is need
    Connections open(RdmaQueues queues, Optional<DynamicConnections> onDemand) {
        programs = queues;
        dynamic = onDemand.orElse(null);
        connections = new Connections(configuration.maxNumConnections());
        try {
            onDemand.ifPresent(made -> made.start(queues));
            if (configuration.isGated()) {
                create(null);
            }
        } catch (RuntimeException e) {
            release();
            throw e;
        }
        return connections;
    }

    /// A GATED context waits for its connection.
    CtxState begin() {
        if (!configuration.isGated()) {
            return CtxState.RUNNING;
        }
        create(null);
        awaited.begin();
        return CtxState.STARTING;
    }

    // ---- what the application asks for ----------------------------------------------------------

    /// Runs `action` as the thread mode wants it.
    <T> T exclusively(Supplier<T> action) {
        ProgressEngine engine = owner.engine();
        engine.enter();
        try {
            return action.get();
        } finally {
            engine.exit();
        }
    }

    /// The same for what has no result.
    void exclusively(Runnable action) {
        exclusively(() -> {
            action.run();
            return true;
        });
    }

    /// The connection that waits for its peer, or a new one.
    ///
    /// DRDMA-CONN-1, DRDMA-CONN-2, DFLT-40: not before the start.
    RdmaConnection export() {
        return exclusively(() -> {
            if (!isRunning()) {
                owner.requireState(connectableState(), "exported");
            }
            return configuration.isGated()
                    ? Objects.requireNonNull(connections.first())
                    : create(null);
        });
    }

    /// DRDMA-CM-2: while running.
    int listen(int port) {
        return exclusively(() -> service("told to listen").listen(port));
    }

    /// DRDMA-CM-4: connections live on.
    void stopListen(int port) {
        exclusively(() -> service("told not to listen").stopListen(port));
        wake();
    }

    /// DRDMA-CM-5: returns at once.
    RdmaConnection connectTo(RdmaAddress address, @Nullable Object userData) {
        return exclusively(() -> service("connected").connect(address, userData));
    }

    void requireConnectable() {
        owner.requireState(connectableState(), "connected");
    }

    /// Programs may begin before there is a connection.
    private CtxState connectableState() {
        return programs == null ? configuration.connectableState() : CtxState.RUNNING;
    }

    /// What makes connections by address.
    ///
    /// @param action what is about to be done to the context
    private ConnectionService service(String action) {
        rdma.programs().requireNone("makes connections by details only");
        ConnectionHandler handler = configuration.requireHandler(rdma);
        owner.requireState(CtxState.RUNNING, action);
        ConnectionService started = service;
        if (started == null) {
            started = new ConnectionService(this, handler);
            service = started;
            started.start();
        }
        return started;
    }

    /// A new connection.
    ///
    /// @param id if it is made by address
    /// @throws dev.outboard.doca.DocaException with FULL
    RdmaConnection create(@Nullable ConnectionId id) {
        RdmaQueues queues = programs;
        return connections.create(
                rdma, slot -> queues == null ? forTasks(slot, id) : forPrograms(slot, queues));
    }

    private RdmaConnection forTasks(int slot, @Nullable ConnectionId id) {
        QueuePair queuePair = queuePair(Objects.requireNonNull(attributes), id);
        queuePair.modify(configuration.initial());
        SendQueue sends = new SendQueue(device(), queuePair, rdma.sendQueueSize(), slot);
        return new RdmaConnection(
                this, nextConnectionId++, slot, queuePair, sends, randomPsn(), id);
    }

    private QueuePair queuePair(QueuePairAttributes wanted, @Nullable ConnectionId id) {
        try {
            return id == null ? domain.createQueuePair(wanted) : id.createQueuePair(domain, wanted);
        } catch (FabricException e) {
            throw DocaException.of("making a connection of " + rdma, e);
        }
    }

    /// Programs call it by its slot.
    private RdmaConnection forPrograms(int slot, RdmaQueues queues) {
        DynamicConnections named = dynamic;
        QueuePairControl queuePair = named == null ? queues.queuePair(slot) : named.named(slot);
        queuePair.modify(configuration.initial());
        SendQueue none = new SendQueue(device());
        return new RdmaConnection(this, slot, slot, queuePair, none, randomPsn(), null);
    }

    static int randomPsn() {
        return RANDOM.nextInt(MAX_PSN);
    }

    /// What the peer of a queue pair has to know.
    ConnectionBlob blob(TransportType transport, QueuePairControl queuePair, int psn) {
        return new ConnectionBlob(
                transport,
                device().address(),
                queuePair.number(),
                psn,
                configuration.mtu(),
                device().guid());
    }

    /// The connection ends; it leaves when nothing of it is in flight.
    void end(RdmaConnection connection) {
        connections.shut(connection);
        wake();
    }

    boolean isConnected() {
        return connections.isConnected();
    }

    boolean isRunning() {
        return owner.state() == CtxState.RUNNING;
    }

    long refusedRequests() {
        return refusedRequests;
    }

    // ---- what happens ---------------------------------------------------------------------------

    /// A peer asks for a connection.
    ///
    /// DRDMA-CM-13: one too many is refused and counted, without a callback.
    ///
    /// @return why it cannot have one, which is counted; empty if it may
    String refusal() {
        if (isRunning() && !connections.isFull()) {
            return "";
        }
        refusedRequests++;
        return isRunning()
                ? "full: all of its %d connections are in use"
                        .formatted(configuration.maxNumConnections())
                : "it is being stopped";
    }

    /// The device has no room for a connection that a peer asks for, which is counted.
    ///
    /// @return why it cannot have it
    String refusalOfDevice() {
        refusedRequests++;
        return "full: its device has no room for a connection";
    }

    /// A message came on a connection, perhaps before the word that the peer is connected.
    void heardOn(RdmaConnection connection) {
        if (connection.state() == RdmaState.INIT && service != null) {
            service.establishedByMessage(connection);
        }
        connection.sends().heard();
    }

    /// The communication with a peer has failed.
    ///
    /// DRDMA-FAIL-3: a GATED context stops with it.
    void failed(RdmaConnection connection, FailureCause cause) {
        connections.shut(connection);
        if (configuration.isGated()) {
            owner.fail(cause);
        }
    }

    /// Tells the application of a connection.
    void tell(Consumer<RdmaConnection> callback, RdmaConnection connection) {
        owner.engine().callback(callback, connection);
    }

    /// Tells who asked for it what has become of a connection.
    void settle(RdmaConnection connection) {
        tell(settled -> settled.life().settle(), connection);
    }

    void wake() {
        owner.engine().wake();
    }

    // ---- progress -------------------------------------------------------------------------------

    /// Deals with at most `max` events, and sees whether the only connection is there.
    int poll(int max) {
        int done = service == null ? 0 : service.poll(max);
        if (owner.state() == CtxState.STARTING && connections.isConnected()) {
            awaited.end();
            owner.becomeRunning();
            settle(Objects.requireNonNull(connections.first()));
            done++;
        }
        awaited.look(rdma);
        return done;
    }

    /// Lets go of a connection that has ended; the completion queue was seen empty since. Receives
    /// stay for the connections that are left or come.
    ///
    /// DRDMA-FAIL-8: the context goes on, and its receives wait for others.
    int letGo() {
        RdmaConnection connection = connections.takeLeaving();
        if (connection == null) {
            return 0;
        }
        if (service != null) {
            service.forget(connection);
        }
        connection.close();
        settle(connection);
        ConnectionHandler told = configuration.handler();
        if (told != null) {
            tell(ended -> ended.life().announceEnd(told), connection);
        }
        return 1;
    }

    /// Asks the peers of connections that were silent for too long whether they are there.
    int askTheSilent() {
        return keepAlive.look(connections);
    }

    boolean hasWork() {
        return connections.hasLeaving()
                || (service != null && service.hasEvents())
                || connections.hasFailed()
                || awaited.isTimeToLook()
                || keepAlive.isTimeToLook();
    }

    long lookAgainNanos() {
        return awaited.isTold() ? keepAlive.lookAgainNanos() : PatientStart.PATIENCE_NANOS;
    }

    // ---- stopping -------------------------------------------------------------------------------

    void shut() {
        awaited.end();
        if (service != null) {
            service.stopListening();
        }
        connections.shut();
    }

    /// Whether nothing of a connection is in flight, and nobody has to be told of one.
    boolean isShut() {
        return connections.isIdle()
                && !connections.hasUnsettled()
                && (configuration.handler() == null || !connections.hasAnnounced());
    }

    void release() {
        awaited.end();
        connections.close();
        connections = new Connections(0);
        if (dynamic != null) {
            dynamic.close();
            dynamic = null;
        }
        RdmaQueues queues = programs;
        if (queues != null) {
            queues.close();
            programs = null;
        }
        if (service != null) {
            service.close();
            service = null;
        }
    }
}
