package dev.outboard.naa.client;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcId;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.link.Turn;
import dev.outboard.naa.protocol.ClientMachine;
import dev.outboard.naa.protocol.Counter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// A session with a network-attached accelerator: one connection from beginning to end, one
/// function code, a fixed set of regions, any number of RPCs.
///
/// ```java
/// try (NaaClient client =
///         NaaClient.builder("127.0.0.2")
///                 .functionCode(1)
///                 .region(RegionSpec.inputOutput(memory))
///                 .open()) {
///     RpcResult result = client.invoke();
/// }
/// ```
///
/// [NaaClientBuilder#open] does everything at once. Step by step it is [#connect],
/// [#registerRegions], [#runMrsp], [#invoke]; without blocking, [#handle] for connection events,
/// then [#startMrsp] and [#startRpc], each followed by [#pollCompletions].
///
/// One thread at a time may call; a second one is refused with an [IllegalStateException].
/// Questions and [#close] may come from any thread. `close` ends a call that is under way,
/// disconnects, and releases everything but the caller's memory and device. By itself, an RPC takes
/// no lock and allocates only its result.
///
/// NAA-SCOPE-1, NAA-API-1: the client's half; the server's is in the package `server`.
public final class NaaClient implements AutoCloseable {
    /// The port that servers listen on by default.
    public static final int DEFAULT_PORT = 12345;

    private final NaaClientBuilder settings;
    private final Turn turn;
    private final ClientEnd end;
    private final ClientMachine machine;

    private NaaClient(NaaClientBuilder settings, ClientDevice at) {
        this.settings = settings;
        this.turn = new Turn("the client of " + settings.host + ":" + settings.port);
        this.end = new ClientEnd(settings, turn, at);
        this.machine = end.machine();
    }

    /// Begins the description of a client of the server at `address`: a host, with or without port
    /// (see [NaaAddress#parse]).
    public static NaaClientBuilder builder(String address) {
        NaaAddress server = NaaAddress.parse(address);
        return builder(server.host(), server.port());
    }

    /// Begins the description of a client of the server at `host` and `port`.
    public static NaaClientBuilder builder(String host, int port) {
        return new NaaClientBuilder(host, port);
    }

    static NaaClient create(NaaClientBuilder settings) {
        return new NaaClient(settings, ClientDevice.open(settings));
    }

    // ---- connection -----------------------------------------------------------------------------

    /// Connects within the builder's limit.
    ///
    /// @throws dev.outboard.naa.NaaConnectException if there is no connection, with the reason
    /// @throws dev.outboard.naa.NaaTimeoutException if it takes too long
    public void connect() {
        connect(settings.connectLimit);
    }

    /// Connects within `limit`; zero means no limit.
    public void connect(Duration limit) {
        try (Turn _ = turn.take()) {
            end.connect(limit);
        }
    }

    /// Takes the next connection event, waiting at most `limit`; it takes effect with [#handle].
    public Optional<ConnectionEvent> pollConnectionEvent(Duration limit) {
        try (Turn _ = turn.take()) {
            return end.connection().next(limit);
        }
    }

    /// Does what a connection event asks for: resolves the route, connects, or fails.
    ///
    /// @return whether the event moved the connection on
    /// @throws NaaException if it ends the connection or nothing expects it
    public boolean handle(ConnectionEvent event) {
        try (Turn _ = turn.take()) {
            boolean moved = end.connection().handle(event);
            end.throwFailure();
            return moved;
        }
    }

    /// [#pollConnectionEvent] and [#handle].
    ///
    /// @return whether there was an event
    public boolean pollAndHandleConnectionEvent(Duration limit) {
        Optional<ConnectionEvent> event = pollConnectionEvent(limit);
        event.ifPresent(this::handle);
        return event.isPresent();
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// Registers the regions with the device, so that the server can write them. Before or after
    /// [#connect]; a second call does nothing.
    ///
    /// @throws NaaException if the device refuses one; the message says which
    public void registerRegions() {
        try (Turn _ = turn.take()) {
            end.registerRegions();
        }
    }

    /// Replaces the regions on the NAA only. Possible until region setup starts.
    public void setInternalRegions(List<InternalRegion> regions) {
        try (Turn _ = turn.take()) {
            end.setInternals(regions);
        }
    }

    /// Announces the regions; then [#pollCompletions] until the state is MRSP_DONE.
    public void startMrsp() {
        try (Turn _ = turn.take()) {
            end.startMrsp();
        }
    }

    /// Announces the regions and waits for the server's.
    ///
    /// @throws dev.outboard.naa.MrspException if the server refuses them
    public void runMrsp() {
        try (Turn _ = turn.take()) {
            end.startMrsp();
            end.awaitMrsp();
        }
    }

    /// Sends a message of the region setup protocol, out of the usual sequence.
    public void sendMessage(MrspMessage message) {
        try (Turn _ = turn.take()) {
            machine.sendMessage(message, System.nanoTime());
            end.post();
        }
    }

    /// Posts one receive for a message, beyond the one of [#startMrsp].
    public void postMrspReceive() {
        postDataReceive();
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// Runs one RPC: sends the inputs, waits, and has the outputs in place.
    ///
    /// @throws dev.outboard.naa.RpcException if the server answers with an error code; the client
    ///   stays usable
    /// @throws NaaException if the transfer fails or takes too long; the client can only be closed
    public RpcResult invoke() {
        return invoke(settings.timeout);
    }

    /// Runs one RPC that has `limit` to finish; zero means no limit.
    public RpcResult invoke(Duration limit) {
        if (Thread.currentThread().isVirtual()) {
            return join(invokeAsync(limit));
        }
        try (Turn _ = turn.take()) {
            end.startRpc(limit);
            return end.finishRpc();
        }
    }

    /// Sleeping on the device would keep a virtual thread's carrier from running others.
    private static RpcResult join(CompletableFuture<RpcResult> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof NaaException failure ? failure : e;
        }
    }

    /// Starts one RPC and returns while it proceeds; nobody needs to poll. The future completes
    /// with what [#invoke] returns or throws; cancelling it does not stop the RPC. Regions are left
    /// alone until then. One thread follows the RPCs of all clients of a device; what depends on
    /// the future runs on a virtual thread.
    ///
    /// NAA-API-4: with the time limit of the client.
    public CompletableFuture<RpcResult> invokeAsync() {
        return invokeAsync(settings.timeout);
    }

    /// Starts one RPC that has `limit` to finish; zero means no limit.
    public CompletableFuture<RpcResult> invokeAsync(Duration limit) {
        turn.take();
        try {
            return end.startAsync(limit);
        } catch (RuntimeException e) {
            turn.close();
            throw e;
        }
    }

    /// Starts one RPC; then [#pollCompletions] until [#result] is present.
    public void startRpc() {
        try (Turn _ = turn.take()) {
            end.startRpc(settings.timeout);
        }
    }

    /// Writes the inputs and calls `functionCode`, without the receive that [#startRpc] posts.
    public void writeInputs(int functionCode) {
        Objects.checkIndex(functionCode - 1, settings.dialect.maxFunctionCode());
        try (Turn _ = turn.take()) {
            machine.writeInputs(functionCode, System.nanoTime());
            end.post();
        }
    }

    /// Posts one receive for a result, beyond the one of [#startRpc].
    public void postDataReceive() {
        try (Turn _ = turn.take()) {
            machine.postReceive();
            end.post();
        }
    }

    /// Tells the server that this side cannot start its RPC. The client can only be closed then.
    public void signalHostError() {
        try (Turn _ = turn.take()) {
            machine.signalHostError("the caller reported a host error");
            machine.takeFailure();
            end.post();
        }
    }

    /// Asks the server for a sign of life, between RPCs: it acknowledges a WRITE of no bytes.
    ///
    /// @throws NaaException if it does not within `limit`; the client can only be closed then
    public void ping(Duration limit) {
        try (Turn _ = turn.take()) {
            end.ping(limit);
        }
    }

    /// Handles all completions there are, without waiting.
    ///
    /// NAA-POLL-1, NAA-POLL-5: what there is, at once.
    ///
    /// @return how many
    /// @throws NaaException if the session has failed
    public int pollCompletions() {
        try (Turn _ = turn.take()) {
            return end.await(0);
        }
    }

    /// Waits until at least one completion was handled or `limit` has passed.
    ///
    /// NAA-POLL-2: the first decides how long.
    ///
    /// @return how many were handled
    /// @throws NaaException if the session has failed
    public int awaitCompletions(Duration limit) {
        try (Turn _ = turn.take()) {
            long start = System.nanoTime();
            long left = limit.toNanos();
            int handled = 0;
            while (handled == 0 && left > 0) {
                handled = end.await(left);
                left = limit.toNanos() - (System.nanoTime() - start);
            }
            return handled;
        }
    }

    /// Polls without sleeping until the RPC has finished or `limit` has passed.
    ///
    /// NAA-POLL-3: for the lowest latency.
    ///
    /// @return whether it has finished
    /// @throws NaaException if the session has failed
    public boolean spinUntilFinished(Duration limit) {
        try (Turn _ = turn.take()) {
            long start = System.nanoTime();
            while (machine.state() != NaaState.FINISHED
                    && System.nanoTime() - start < limit.toNanos()) {
                end.await(0);
                Thread.onSpinWait();
            }
            return machine.state() == NaaState.FINISHED;
        }
    }

    /// Takes one step for a completion that did not come from this client's queue.
    ///
    /// @throws NaaException if it fails the session or nothing expects it
    public void handle(Completion completion) {
        try (Turn _ = turn.take()) {
            machine.completed(completion, System.nanoTime());
            end.post();
        }
    }

    /// How the last RPC ended; empty until it has.
    public Optional<RpcResult> result() {
        return Optional.ofNullable(machine.result());
    }

    /// Sets the region that receives the result from the next RPC on; `ap1-2023` only. If exactly
    /// one region is marked as output, that one is set already.
    ///
    /// @param parameter counts the caller's regions from 0
    public void setReturnRegion(int parameter) {
        try (Turn _ = turn.take()) {
            machine.regions().setReturnRegion(wireIndex(parameter));
        }
    }

    /// Sets the region that begins where `memory` does as the one that receives the result.
    ///
    /// @throws IllegalArgumentException if no parameter region begins there
    public void setReturnRegion(MemorySegment memory) {
        for (int i = 0; i < settings.regions.size(); i++) {
            MemorySegment region = settings.regions.get(i).memory();
            if (region.address() == memory.address()
                    && region.heapBase().equals(memory.heapBase())) {
                setReturnRegion(i);
                return;
            }
        }
        throw new IllegalArgumentException("no parameter region begins where " + memory + " does");
    }

    /// Sends only the first `bytes` of a region from the next RPC on; `upstream-2026` only. What
    /// the server returns stays the same.
    public void setBytesToSend(int parameter, long bytes) {
        try (Turn _ = turn.take()) {
            machine.setBytesToSend(wireIndex(parameter), bytes);
        }
    }

    /// Sends a whole region again from the next RPC on.
    ///
    /// NAA-XFER-9: 0 is a number of bytes like any other.
    public void resetBytesToSend(int parameter) {
        setBytesToSend(parameter, settings.regions.get(parameter).memory().byteSize());
    }

    /// Sets the three bytes that the routine gets along with the function code, from the next RPC
    /// on; `upstream-2026` only.
    public void setUserImmediate(byte byte0, byte byte1, byte byte2) {
        try (Turn _ = turn.take()) {
            machine.setUserBytes((byte0 & 0xff) | ((byte1 & 0xff) << 8) | ((byte2 & 0xff) << 16));
        }
    }

    private int wireIndex(int parameter) {
        return Objects.checkIndex(parameter, settings.regions.size())
                + settings.dialect.firstParameter();
    }

    // ---- questions ------------------------------------------------------------------------------

    /// Where the session stands.
    ///
    /// NAA-API-6: this and all questions that follow.
    public NaaState state() {
        return machine.state();
    }

    /// The routine it calls.
    public int functionCode() {
        return settings.functionCode;
    }

    /// The dialect it speaks.
    public Dialect dialect() {
        return settings.dialect;
    }

    /// The caller's regions.
    public List<RegionSpec> regions() {
        return List.copyOf(settings.regions);
    }

    /// The regions on the NAA only.
    public List<InternalRegion> internalRegions() {
        return end.internals();
    }

    /// The server's regions in wire order; empty until region setup is done.
    public List<PeerRegion> peerRegions() {
        return machine.regions().peers();
    }

    /// The region that receives the result in `ap1-2023`, counting the caller's regions from 0.
    public OptionalInt returnRegion() {
        int wire = machine.regions().returnRegion();
        return wire < 0
                ? OptionalInt.empty()
                : OptionalInt.of(wire - settings.dialect.firstParameter());
    }

    /// How many WRITEs of the current RPC the server has acknowledged.
    public int writesCompleted() {
        return machine.writesCompleted();
    }

    /// How many RPCs were started.
    ///
    /// NAA-RPC-3: on this connection.
    public long rpcCount() {
        return machine.counters().get(Counter.RPCS);
    }

    /// What the RPC that was started last is called at both ends.
    ///
    /// @see RpcId
    /// @throws NullPointerException if the client is not connected
    public long rpcId() {
        return RpcId.of(localAddress(), rpcCount());
    }

    /// Where it has connected from, as the server sees it.
    ///
    /// @throws NullPointerException if the client is not connected
    public InetSocketAddress localAddress() {
        return end.connection().localAddress();
    }

    /// The number of its queue pair; empty before it has one.
    public OptionalInt queuePairNumber() {
        return end.connection().queuePair().stream().mapToInt(QueuePair::number).findFirst();
    }

    /// The three user bytes, byte 0 in bits 7..0.
    public int userImmediate() {
        return machine.userBytes();
    }

    /// Where the time of the setup went.
    public SetupTimes setupTimes() {
        return new SetupTimes(
                end.connection().addressNanos(),
                end.connection().routeNanos(),
                end.connection().handshakeNanos(),
                end.registrationNanos(),
                machine.counters().get(Counter.MRSP_NANOS));
    }

    /// What the session and its queue pair counted, by name.
    public Map<String, Long> counters() {
        Map<String, Long> all = new LinkedHashMap<>(machine.counters().snapshot());
        end.connection()
                .queuePair()
                .ifPresent(pair ->
                        pair.counters().forEach((name, n) -> all.put("queue-pair." + name, n)));
        return all;
    }

    // ---- end ------------------------------------------------------------------------------------

    /// Disconnects and releases everything; a call that is under way fails. A second call does
    /// nothing.
    ///
    /// NAA-DISC-3: in every state, and once.
    ///
    /// @throws NaaException if something could not be released; the rest is released all the same
    @Override
    public void close() {
        if (turn.end(end.connection()::breakOff)) {
            end.close();
        }
    }
}
