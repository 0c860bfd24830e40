package dev.outboard.naa.client;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.RegionFlags;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.link.Cleanup;
import dev.outboard.naa.link.Link;
import dev.outboard.naa.link.Turn;
import dev.outboard.naa.protocol.ClientMachine;
import dev.outboard.naa.protocol.ClientRegion;
import dev.outboard.naa.protocol.ClientRegions;
import dev.outboard.naa.protocol.ClientSettings;
import dev.outboard.naa.protocol.Timer;
import dev.outboard.naa.protocol.WritePlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/// The client's end of a session: what a [NaaClient] does behind its guards. It registers the
/// regions, runs the state machine, waits and cleans up. One thread at a time.
final class ClientEnd {
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    /// Messages, probes and host errors need room in the send queue too.
    private static final int OTHER_SENDS = 3;

    private final NaaClientBuilder settings;
    private final Turn turn;
    private final ClientMachine machine;
    private final AsyncRpcs asyncRpcs;
    private final ClientConnection connection;
    private final long maxMessageBytes;
    private final int maxSends;
    private final Arena arena = Arena.ofShared();
    private final Cleanup cleanup = new Cleanup();
    private final AnswerWatch watch;
    private boolean registered;
    private volatile List<InternalRegion> internals;
    private volatile long registrationNanos;

    /// Begins to resolve the server's address. What was opened is closed if that does not work.
    ///
    /// @param turn whose end makes every wait fail
    ClientEnd(NaaClientBuilder settings, Turn turn, ClientDevice at) {
        this.settings = settings;
        this.turn = turn;
        this.asyncRpcs = at.shared().asyncRpcs();
        this.internals = List.copyOf(settings.internals);
        cleanup.defer(at.shared()::release);
        cleanup.defer(arena::close);
        try {
            this.machine =
                    new ClientMachine(
                            settings.host + ":" + settings.port,
                            new ClientSettings(
                                    settings.dialect,
                                    settings.functionCode,
                                    settings.timeout,
                                    settings.probeInterval),
                            new ClientRegions(settings.dialect, wireRegions()));
            setDefaultReturnRegion();
            DeviceLimits limits = at.shared().device().limits();
            this.maxMessageBytes = Math.min(MAX_MESSAGE_BYTES, limits.maxMessageBytes());
            this.maxSends = (int) Math.min(sendsOfOneRpc() + OTHER_SENDS, limits.maxWorkRequests());
            this.connection =
                    new ClientConnection(settings, machine, at.shared(), maxSends, at.addresses());
            cleanup.defer(connection::close);
            this.watch = new AnswerWatch(connection, machine.regions().outputBytes());
            connection.resolveNext();
        } catch (RuntimeException e) {
            cleanup.undo(e);
            throw e;
        }
    }

    /// NAA-CONN-14: the queue pair has room for one RPC, not more.
    private long sendsOfOneRpc() {
        long sends = 0;
        for (ClientRegion region : regions()) {
            sends += WritePlan.writesFor(region.size(), maxMessageBytes);
        }
        return sends;
    }

    ClientMachine machine() {
        return machine;
    }

    ClientConnection connection() {
        return connection;
    }

    List<InternalRegion> internals() {
        return internals;
    }

    long registrationNanos() {
        return registrationNanos;
    }

    // ---- connection -----------------------------------------------------------------------------

    /// Follows the connection events until connected; zero means no limit.
    ///
    /// NAA-CONN-9: who is not CONNECTED in time fails.
    void connect(Duration limit) {
        throwFailure();
        require("connecting", NaaState.INIT, NaaState.READY);
        Timer deadline = new Timer();
        deadline.set(System.nanoTime(), limit);
        while (machine.state() == NaaState.INIT || machine.state() == NaaState.READY) {
            long left = Math.clamp(deadline.nanosLeft(System.nanoTime()), 0, Link.SLICE_NANOS);
            connection.next(Duration.ofNanos(left)).ifPresent(connection::handle);
            failIfClosing();
            if (deadline.isDue(System.nanoTime())) {
                machine.fail(
                        new NaaTimeoutException(
                                machine.where(),
                                "no connection within %d ms; is a server running there?"
                                        .formatted(limit.toMillis())));
            }
            throwFailure();
        }
    }

    private List<ClientRegion> regions() {
        return machine.regions().list();
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// NAA-INT-2: the latest ones count, until they are announced.
    void setInternals(List<InternalRegion> regions) {
        require("setting internal regions", NaaState.INIT, NaaState.READY, NaaState.CONNECTED);
        int total = regions().size() + regions.size();
        if (total > settings.maxRegions) {
            throw new IllegalArgumentException(
                    "%d regions with the internal ones; the cap is %d"
                            .formatted(total, settings.maxRegions));
        }
        internals = List.copyOf(regions);
    }

    void registerRegions() {
        require("registering regions", NaaState.INIT, NaaState.READY, NaaState.CONNECTED);
        if (registered) {
            return;
        }
        registered = true;
        long start = System.nanoTime();
        List<ClientRegion> regions = regions();
        for (int i = 0; i < regions.size(); i++) {
            ClientRegion region = regions.get(i);
            region.register(register(region.memory(), "region " + i));
        }
        MemorySegment messages = arena.allocate(ClientMachine.MESSAGE_BYTES);
        // The rest of the send queue is for messages and probes.
        machine.registered(
                register(messages, "the message buffer"),
                maxMessageBytes,
                Math.max(1, maxSends - OTHER_SENDS),
                connection::bytesReceived);
        registrationNanos = System.nanoTime() - start;
    }

    private MemoryRegion register(MemorySegment memory, String what) {
        try {
            MemoryRegion region =
                    connection.domain().register(memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            cleanup.defer(region::close);
            return region;
        } catch (FabricException e) {
            NaaException failure =
                    new NaaException(
                            machine.where(),
                            "cannot register %s: %s".formatted(what, e.getMessage()),
                            e);
            machine.fail(failure);
            machine.takeFailure();
            throw failure;
        }
    }

    void startMrsp() {
        NaaAddresses.Assigned addresses = naaAddresses();
        List<Long> inWireOrder = new ArrayList<>();
        if (settings.dialect == Dialect.AP1_2023) {
            inWireOrder.add(0L);
        }
        inWireOrder.addAll(addresses.parameters());
        machine.startMrsp(inWireOrder, internalEntries(addresses), System.nanoTime());
        post();
    }

    void awaitMrsp() {
        while (machine.state() == NaaState.MRSP_SENDING
                || machine.state() == NaaState.MRSP_RECEIVING) {
            await(Link.SLICE_NANOS);
        }
        throwFailure();
    }

    /// NAA-INT-3: announced without a key, and registered nowhere.
    private List<MrspMessage.Entry> internalEntries(NaaAddresses.Assigned addresses) {
        List<MrspMessage.Entry> entries = new ArrayList<>();
        for (int i = 0; i < internals.size(); i++) {
            long address = addresses.internals().get(i);
            /// NAA-ADDR-5: where the first phase's code puts the requested address.
            long published = settings.dialect == Dialect.AP1_2023 ? address : 0;
            entries.add(
                    new MrspMessage.Entry(
                            RegionFlags.INTERNAL, address, published, 0, internals.get(i).size()));
        }
        return entries;
    }

    private NaaAddresses.Assigned naaAddresses() {
        return NaaAddresses.assign(
                settings.dialect, settings.naaOffset, internals, settings.regions);
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// Starts an RPC that has `limit` to finish; zero means no limit.
    void startRpc(Duration limit) {
        watch.start();
        long now = System.nanoTime();
        machine.startRpc(now);
        machine.limit(limit, now);
        post();
    }

    /// Waits for the result.
    ///
    /// @throws RpcException if it is an error code
    RpcResult finishRpc() {
        while (isRpcRunning()) {
            await(nanosUntilLook());
        }
        return rpcOutcome();
    }

    boolean isRpcRunning() {
        return machine.state() == NaaState.DATA_SENDING
                || machine.state() == NaaState.DATA_RECEIVING;
    }

    /// How long to wait for completions before looking at what they do not tell.
    long nanosUntilLook() {
        return watch.sliceNanos(machine.state() == NaaState.DATA_RECEIVING);
    }

    /// The result of an RPC that does not run any more.
    ///
    /// NAA-RET-11: the session is FINISHED, and may go on.
    ///
    /// @throws RpcException if it is an error code
    RpcResult rpcOutcome() {
        throwFailure();
        RpcResult result = Objects.requireNonNull(machine.result());
        if (!result.isSuccess()) {
            throw new RpcException(machine.where(), settings.functionCode, result.returnCode());
        }
        return result;
    }

    /// Starts an RPC that the thread for asynchronous ones follows, and gives the turn back then.
    CompletableFuture<RpcResult> startAsync(Duration limit) {
        return asyncRpcs.start(this, connection.queue(), turn, limit);
    }

    /// Waits until the server has acknowledged a probe.
    ///
    /// @throws NaaTimeoutException if it does not within `limit`; the session has failed then
    void ping(Duration limit) {
        long start = System.nanoTime();
        machine.checkPeer(start);
        post();
        long left = limit.toNanos();
        while (machine.isProbePending() && left > 0) {
            await(left);
            left = limit.toNanos() - (System.nanoTime() - start);
        }
        if (machine.isProbePending()) {
            machine.fail(
                    new NaaTimeoutException(
                            machine.where(),
                            "no sign of life within %d ms".formatted(limit.toMillis())));
            throwFailure();
        }
    }

    // ---- waiting --------------------------------------------------------------------------------

    /// Posts what the machine emits, and fails if the session has.
    void post() {
        connection.link().post();
        throwFailure();
    }

    /// Handles completions, waiting for one at most `limitNanos` or a slice.
    ///
    /// @return how many
    int await(long limitNanos) {
        int handled = connection.link().await(limitNanos);
        seeToTheRest(handled);
        return handled;
    }

    /// Handles the completions that are there already, for a thread that has the device driven.
    void handleArrived() {
        seeToTheRest(connection.link().handleArrived());
    }

    /// Does what no completion tells, if there was none.
    private void seeToTheRest(int handled) {
        if (handled == 0) {
            if (watch.sees()) {
                machine.answerBegan(System.nanoTime());
            }
            connection.link().checkTime();
            connection.pump();
            failIfClosing();
        }
        throwFailure();
    }

    void failIfClosing() {
        if (turn.isEnded()) {
            machine.fail(
                    new NaaConnectException(
                            machine.where(),
                            NaaConnectException.Reason.DISCONNECTED,
                            "the client was closed meanwhile"));
        }
    }

    void throwFailure() {
        if (machine.state().isTerminal()) {
            machine.takeFailure()
                    .ifPresent(failure -> {
                        throw failure;
                    });
        }
    }

    /// Refuses an operation in a wrong state.
    void require(String operation, NaaState... allowed) {
        machine.require(operation, allowed);
    }

    // ---- end ------------------------------------------------------------------------------------

    /// Releases everything; see [NaaClient#close].
    ///
    /// NAA-DISC-8: first the queue pair, then the registrations; the caller's memory stays.
    void close() {
        cleanup.step(() -> connection.disconnect(settings.closeLimit));
        cleanup.step(connection::releaseQueues);
        NaaException.Where where =
                new NaaException.Where(
                        NaaException.Phase.DISCONNECT, machine.state(), machine.peer());
        machine.closed();
        cleanup.finish(where);
    }

    /// NAA-META-1: the metadata region is the library's own, and the first.
    private List<ClientRegion> wireRegions() {
        List<ClientRegion> regions = new ArrayList<>();
        if (settings.dialect == Dialect.AP1_2023) {
            MemorySegment metadata = arena.allocate(Dialect.METADATA_BYTES, Long.BYTES);
            regions.add(new ClientRegion(RegionSpec.unmarked(metadata), arena));
        }
        settings.regions.forEach(spec -> regions.add(new ClientRegion(spec, arena)));
        return regions;
    }

    private void setDefaultReturnRegion() {
        List<RegionSpec> outputs = settings.regions.stream().filter(RegionSpec::output).toList();
        if (settings.dialect == Dialect.AP1_2023 && outputs.size() == 1) {
            machine.regions()
                    .setReturnRegion(
                            settings.dialect.firstParameter()
                                    + settings.regions.indexOf(outputs.getFirst()));
        }
    }
}
