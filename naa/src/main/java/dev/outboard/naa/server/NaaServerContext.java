package dev.outboard.naa.server;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.link.Turn;
import dev.outboard.naa.protocol.Counter;
import dev.outboard.naa.protocol.ServerMachine;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// One client of a server. [NaaServer] serves all of its own; with [NaaListener#accept] an
/// application does that itself:
///
/// ```java
/// try (NaaServerContext client = listener.accept(limit).orElseThrow()) {
///     client.runMrsp();
///     Optional<RpcContext> rpc = client.receive(Duration.ZERO);
///     while (rpc.isPresent()) {
///         client.reply(routine.run(rpc.get()));
///         rpc = client.receive(Duration.ZERO);
///     }
/// }
/// ```
///
/// One thread at a time may call; questions may come from any thread. [#close] disconnects the
/// client and frees its memory.
public final class NaaServerContext implements AutoCloseable {
    private static final int RETRIES = 7;
    private static final int MAX_RETURN_CODE = 0xff_ffff;

    private final NaaListener listener;
    private final ServerOptions options;
    private final ConnectionId id;
    private final InetSocketAddress address;
    private final Turn turn;
    private final Cleanup cleanup = new Cleanup();
    private final ServerResources resources;
    private final ServerMachine machine;
    private final Link link;
    private final ClientPlace place;
    private volatile @Nullable ServerMemory memory;
    private volatile @Nullable RpcContext current;
    private boolean accepted;
    private boolean rpcPending;
    private long answeredElsewhere;

    /// Creates everything that the connection needs and posts the first receive.
    ///
    /// @throws dev.outboard.fabric.FabricException if something cannot be created; nothing is left
    ///   then, but the identifier is still open
    NaaServerContext(
            NaaListener listener,
            Device device,
            ConnectionId id,
            InetSocketAddress address,
            Origin origin) {
        this.listener = listener;
        this.options = listener.options();
        this.id = id;
        this.address = address;
        String peer = address.getAddress().getHostAddress() + ":" + address.getPort();
        this.turn = new Turn("the connection of " + peer);
        try {
            resources =
                    ServerResources.create(
                            device, id, options.maxRegions(), listener.queues(), cleanup);
            machine =
                    new ServerMachine(
                            peer,
                            options.settings(),
                            listener.counters(),
                            resources.messages(),
                            resources.maxMessageBytes(),
                            resources.maxOutstanding(),
                            resources.queues().pair()::bytesReceived);
            ClientQueues queues = resources.queues();
            link = new Link(queues.pair(), queues.queue(), machine, options.spin());
            place = new ClientPlace(origin, machine);
            machine.connectRequested();
            link.post();
        } catch (RuntimeException e) {
            cleanup.undo(e);
            throw e;
        }
    }

    // ---- connection, called by the listener -----------------------------------------------------

    void accept() {
        id.accept(Link.parameters(RETRIES));
        accepted = true;
    }

    /// The client's place at the server.
    ClientPlace place() {
        return place;
    }

    void established() {
        machine.established(System.nanoTime());
    }

    /// The connection has ended. Whoever waits here is woken by the flushed receives.
    ///
    /// @param how DISCONNECTED, or a failure
    void ended(ConnectionEvent.Type how) {
        place.ended(how);
        cancelRpc();
    }

    private void cancelRpc() {
        RpcContext running = current;
        if (running != null) {
            running.cancel();
        }
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// Posts a further receive and waits for the client's request; then [#pollCompletions] until
    /// the state is MRSP_DONE.
    public void startMrsp() {
        try (Turn _ = turn.take()) {
            machine.startMrsp(System.nanoTime());
            link.post();
        }
    }

    /// Sets up the regions that the client asks for. Returns as well when the client disconnects
    /// instead; the state tells.
    ///
    /// NAA-CONN-16: a client that leaves without a word does no harm.
    ///
    /// @throws MrspException if the request is refused or malformed
    public void runMrsp() {
        try (Turn _ = turn.take()) {
            machine.startMrsp(System.nanoTime());
            link.post();
            while (machine.state() == NaaState.MRSP_RECEIVING
                    || machine.state() == NaaState.MRSP_SENDING) {
                await(Link.SLICE_NANOS);
            }
            throwFailure();
        }
    }

    /// Sends A or ERR, out of the usual sequence.
    ///
    /// @throws IllegalArgumentException if it is a request, which only clients send
    public void sendMessage(MrspMessage message) {
        try (Turn _ = turn.take()) {
            machine.sendMessage(message, System.nanoTime());
            link.post();
        }
    }

    /// Satisfies or refuses a request for regions.
    public void handle(AdvertiseRequest request) {
        try (Turn _ = turn.take()) {
            machine.handle(request, System.nanoTime());
            answerRequest();
        }
    }

    /// Keeps the regions that a client advertised by itself.
    public void handle(Advertise advertise) {
        try (Turn _ = turn.take()) {
            machine.handle(advertise);
        }
    }

    /// Posts one receive for a message, beyond those that are always posted.
    public void postMrspReceive() {
        postDataReceive();
    }

    private void answerRequest() {
        machine.pendingRequest().ifPresent(this::answer);
        link.post();
    }

    private void answer(AdvertiseRequest request) {
        place.sending();
        listener.grants()
                .allocate(
                        machine,
                        resources.queues().allocator(),
                        resources.domain(),
                        address,
                        request)
                .ifPresent(allocated -> {
                    memory = allocated;
                    machine.grant(allocated.registered(), System.nanoTime());
                    resources.queues().granted(this);
                });
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// Waits for an RPC.
    ///
    /// @param limit how long; zero means without limit
    /// @return empty if none came in time or the client has disconnected; the state tells
    public Optional<RpcContext> receive(Duration limit) {
        try (Turn _ = turn.take()) {
            awaitRpcs();
            if (rpcPending) {
                throw new IllegalStateException("the last RPC of " + peer() + " has no answer yet");
            }
            if (!machine.isRefusing()) {
                machine.require(
                        "receiving an RPC",
                        NaaState.DATA_RECEIVING,
                        NaaState.DATA_SENDING,
                        NaaState.CALCULATING,
                        NaaState.FINISHED);
            }
            awaitRpc(limit);
            throwFailure();
            return nextRpc();
        }
    }

    private void awaitRpc(Duration limit) {
        long start = System.nanoTime();
        long left = limit.isZero() ? Long.MAX_VALUE : limit.toNanos();
        while (isWaiting() && left > 0) {
            await(left);
            tellHostError();
            if (!limit.isZero()) {
                left = limit.toNanos() - (System.nanoTime() - start);
            }
        }
    }

    private void awaitRpcs() {
        if (machine.state() == NaaState.MRSP_DONE) {
            machine.awaitRpc(System.nanoTime());
        }
    }

    private void tellHostError() {
        if (machine.takeHostError()) {
            options.observer().hostError(this);
        }
    }

    private boolean isWaiting() {
        NaaState now = machine.state();
        return now == NaaState.DATA_RECEIVING
                || now == NaaState.DATA_SENDING
                || machine.isRefusing();
    }

    /// NAA-MULTI-6: with the regions of this connection.
    private RpcContext newRpc() {
        Duration limit =
                options.routineLimit().isZero() ? ServerOptions.POLLED : options.routineLimit();
        RpcContext rpc =
                new RpcContext(
                        machine.functionCode(),
                        machine.userBytes(),
                        parameters(),
                        internals(),
                        System.nanoTime() + limit.toNanos());
        rpc.from(address, machine.counters().get(Counter.RPCS));
        current = rpc;
        rpcPending = true;
        if (place.hasEnded()) {
            rpc.cancel();
        }
        return rpc;
    }

    /// Sends the answer to the RPC and waits until it has arrived. Does nothing if the client has
    /// disconnected or broken the rules meanwhile.
    ///
    /// @param returnCode `ReturnCode.SUCCESS` to return the outputs, or an error code
    public void reply(int returnCode) {
        try (Turn _ = turn.take()) {
            send(returnCode);
            while (machine.state() == NaaState.DATA_SENDING) {
                await(Link.SLICE_NANOS);
            }
            throwFailure();
        }
    }

    /// Sends the answer to the RPC without waiting; then [#pollCompletions] until the state is
    /// DATA_RECEIVING.
    public void writeResult(int returnCode) {
        try (Turn _ = turn.take()) {
            send(returnCode);
            throwFailure();
        }
    }

    /// NAA-DISC-5: nothing to a client that has left.
    private void send(int returnCode) {
        if (returnCode < 0 || returnCode > MAX_RETURN_CODE) {
            throw new IllegalArgumentException(
                    "return code %d; valid: 0 to %d".formatted(returnCode, MAX_RETURN_CODE));
        }
        rpcPending = false;
        place.noticeEnd();
        throwFailure();
        if (machine.state() != NaaState.FINISHED && !machine.isRefusing()) {
            place.sending();
            machine.reply(returnCode, System.nanoTime());
            link.post();
        }
    }

    /// Looks after the connection while a routine computes on another thread: cancels the RPC if
    /// the client does not answer a probe, has left or has broken the rules.
    void attend() {
        try (Turn _ = turn.take()) {
            await(0);
        }
        NaaState now = machine.state();
        if (now.isTerminal() || now == NaaState.FINISHED) {
            ended(ConnectionEvent.Type.DISCONNECTED);
        } else if (machine.isRefusing()) {
            cancelRpc();
        }
    }

    /// Posts one receive for an RPC, beyond those that are always posted.
    public void postDataReceive() {
        try (Turn _ = turn.take()) {
            machine.postReceive();
            link.post();
        }
    }

    /// Handles all completions there are, without waiting.
    ///
    /// @return how many
    /// @throws NaaException if the connection has failed
    public int pollCompletions() {
        try (Turn _ = turn.take()) {
            int handled = await(0);
            throwFailure();
            return handled;
        }
    }

    /// Takes one step for a completion that did not come from this connection's queue.
    ///
    /// @throws NaaException if it fails the connection or nothing expects it
    public void handle(Completion completion) {
        try (Turn _ = turn.take()) {
            machine.completed(completion, System.nanoTime());
            answerRequest();
            throwFailure();
        }
    }

    /// Whether an accelerator answers the RPCs.
    boolean isElsewhere() {
        return resources.queues().isElsewhere();
    }

    /// Sets up the regions and looks after a client whose RPCs an accelerator answers, until it has
    /// left.
    ///
    /// @throws NaaException if the connection fails, or an RPC comes here: the client has not
    ///   waited for its last answer
    void attendElsewhere() {
        runMrsp();
        if (machine.state() != NaaState.FINISHED && receive(Duration.ZERO).isPresent()) {
            throw new NaaException(
                    machine.where(), "the client called before it had its last answer");
        }
    }

    // ---- visits, by the loop of a server --------------------------------------------------------

    /// The queue that tells of the client.
    CompletionQueue queue() {
        return resources.queues().queue();
    }

    /// Handles all completions that are there already, for a client whose regions are set up.
    ///
    /// @return how many
    /// @throws NaaException if the connection has failed
    int handleArrived() {
        try (Turn _ = turn.take()) {
            awaitRpcs();
            int handled = link.handleArrived();
            settle();
            tellHostError();
            throwFailure();
            return handled;
        }
    }

    /// The RPC that has arrived and was not handed out yet.
    Optional<RpcContext> nextRpc() {
        return machine.state() == NaaState.CALCULATING && !rpcPending
                ? Optional.of(newRpc())
                : Optional.empty();
    }

    /// Does what is due, whatever has arrived.
    ///
    /// @throws NaaException if that fails the connection
    void checkTime() {
        try (Turn _ = turn.take()) {
            look();
            settle();
            throwFailure();
        }
    }

    /// The nanoseconds until [#checkTime] has something to do; huge if nothing is set.
    long nanosUntilDue() {
        return machine.nanosUntilDue(System.nanoTime());
    }

    // ---- waiting --------------------------------------------------------------------------------

    private int await(long limitNanos) {
        int handled = link.await(limitNanos);
        if (handled == 0) {
            look();
        }
        settle();
        return handled;
    }

    /// Sees to what no completion tells.
    private void look() {
        noticeAnswers();
        link.checkTime();
        place.look(resources.queues().pair());
        listener.handleEventsIfUnattended();
    }

    /// A client whose RPCs are answered elsewhere is not idle.
    private void noticeAnswers() {
        ClientQueues.Progress now = resources.queues().progress();
        if (now.answered() != answeredElsewhere) {
            answeredElsewhere = now.answered();
            machine.answeredElsewhere(System.nanoTime());
        }
        if (now.isComputing()) {
            machine.computingElsewhere(System.nanoTime());
        }
    }

    private void settle() {
        place.noticeEnd();
        if (turn.isEnded()) {
            machine.disconnected();
        }
        answerRequest();
    }

    private void throwFailure() {
        if (machine.state().isTerminal()) {
            machine.takeFailure()
                    .ifPresent(failure -> {
                        throw failure;
                    });
        }
    }

    // ---- questions ------------------------------------------------------------------------------

    /// Where the connection stands.
    public NaaState state() {
        return machine.state();
    }

    /// The client's address and port.
    public InetSocketAddress peerAddress() {
        return address;
    }

    /// The number of the queue pair that the client's is connected with; empty before there is one.
    public OptionalInt queuePairNumber() {
        return id.queuePair().stream().mapToInt(QueuePair::number).findFirst();
    }

    /// The client, for messages.
    public String peer() {
        return machine.peer();
    }

    /// The client's dialect, known once it has asked for regions.
    public Optional<Dialect> dialect() {
        return machine.dialect();
    }

    /// The parameter regions, once they are set up.
    public List<RoutineRegion> parameters() {
        ServerMemory regions = memory;
        return regions == null ? List.of() : regions.parameters();
    }

    /// The internal regions, once they are set up.
    public List<RoutineRegion> internals() {
        ServerMemory regions = memory;
        return regions == null ? List.of() : regions.internals();
    }

    /// The client's regions: those of its request or, if it advertised others by itself, those.
    public List<PeerRegion> peerRegions() {
        return machine.peerRegions();
    }

    /// The parameter that the metadata of the current RPC names in `ap1-2023`.
    public OptionalInt returnRegion() {
        int wire = machine.returnRegion();
        return wire > 0 ? OptionalInt.of(wire - 1) : OptionalInt.empty();
    }

    /// What the connection and its queue pair counted, by name.
    public Map<String, Long> counters() {
        Map<String, Long> all = new LinkedHashMap<>(machine.counters().snapshot());
        resources
                .queues()
                .pair()
                .counters()
                .forEach((name, value) -> all.put("queue-pair." + name, value));
        all.putAll(resources.queues().counters());
        return all;
    }

    // ---- end ------------------------------------------------------------------------------------

    /// Ends the connection because others want its place.
    ///
    /// NAA-DISC-6: one of the few reasons to disconnect a client.
    ///
    /// @param why what the client did, for its message
    void evict(String why) {
        machine.evict(why);
        breakOff();
    }

    /// Ends the connection, which wakes whoever waits here.
    void breakOff() {
        ended(ConnectionEvent.Type.DISCONNECTED);
        disconnect();
    }

    private void disconnect() {
        if (accepted) {
            id.disconnect();
        }
    }

    /// Disconnects the client, frees its memory and its place. A second call does nothing.
    ///
    /// @throws NaaException if something could not be released; the rest is released all the same
    @Override
    public void close() {
        close(() -> {});
    }

    /// Like [#close].
    ///
    /// NAA-DISC-3: in every state, and once.
    ///
    /// @param beforeFreeing what may use the memory until it returns; the place is free by then
    void close(Runnable beforeFreeing) {
        if (!turn.end(this::breakOff)) {
            return;
        }
        ended(ConnectionEvent.Type.DISCONNECTED);
        NaaException.Where where =
                new NaaException.Where(NaaException.Phase.DISCONNECT, machine.state(), peer());
        ServerMemory regions = memory;
        cleanup.step(this::disconnect);
        cleanup.step(id::close);
        if (regions != null) {
            regions.registered().forEach(region -> cleanup.step(region::close));
        }
        try {
            cleanup.finish(where);
        } finally {
            machine.closed();
            listener.released(this);
            beforeFreeing.run();
            if (regions != null) {
                regions.free();
            }
        }
    }
}
