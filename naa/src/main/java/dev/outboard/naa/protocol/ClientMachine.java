package dev.outboard.naa.protocol;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.RpcResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The client's state machine (`spec/naaice.md`, section 11.2). Starting an RPC and following it to
/// its end allocates nothing but the result.
///
/// NAA-STATE-2: what leads where is in `docs/protocol/naaice-states.md`.
public final class ClientMachine extends Machine {
    /// What the layer around has to do after a connection event.
    public enum Step {
        NONE,
        /// Create the queue pair and resolve the route.
        PREPARE,
        /// Send the connection request.
        CONNECT
    }

    /// The memory that the machine's messages need: one to receive, one to send.
    public static final long MESSAGE_BYTES = 2L * MrspCodec.MAX_LENGTH;

    private static final long MESSAGE = 1;
    private static final long WRITE = 2;
    private static final long HOST_ERROR = 3;
    private static final long PROBE = 4;

    /// Where a WRITE of no bytes goes before the server has advertised its regions: nobody checks.
    private static final PeerRegion NOWHERE = new PeerRegion(0, 0, 0);

    private final ClientSettings settings;
    private final ClientRegions regions;
    private @Nullable MessageBuffers messages;
    private @Nullable WritePlan plan;

    private LongSupplier bytesReceived = () -> 0;
    private long receivedBefore;

    private boolean hostErrorToSend;

    private volatile int userBytes;
    private long heldMessageLength = -1;
    private boolean resultHeld;
    private int heldImmediate;
    private long heldByteCount;

    private final Timer deadline = new Timer();
    private final PeerProbe probe;
    private final RpcClock clock = new RpcClock();
    private long mrspBegan;
    private volatile @Nullable RpcResult result;

    /// A session that announces `regions`.
    public ClientMachine(String peer, ClientSettings settings, ClientRegions regions) {
        super(peer);
        this.settings = settings;
        this.regions = regions;
        this.probe = new PeerProbe(settings.probeInterval(), Duration.ZERO);
    }

    public ClientRegions regions() {
        return regions;
    }

    // ---- connection -----------------------------------------------------------------------------

    /// A connection event has arrived.
    ///
    /// NAA-CONN-1: each step follows from the event of the one before.
    ///
    /// @throws NaaException if no rule expects it; the state is unchanged
    public Step on(ConnectionEvent event) {
        if (state().isTerminal()) {
            return Step.NONE;
        }
        switch (event.type()) {
            case ADDRESS_RESOLVED -> {
                return advance(NaaState.INIT, NaaState.READY, Step.PREPARE);
            }
            case ROUTE_RESOLVED -> {
                return advance(NaaState.READY, NaaState.READY, Step.CONNECT);
            }
            case ESTABLISHED -> {
                return advance(NaaState.READY, NaaState.CONNECTED, Step.NONE);
            }
            case ADDRESS_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED, DEVICE_REMOVAL ->
                    fail(NaaConnectException.of(event, where()));
            case DISCONNECTED -> disconnected();
            default -> throw unexpected("connection event " + event.type());
        }
        return Step.NONE;
    }

    /// The address that is being tried does not work and another one will be.
    public void startOver() {
        require("trying the next address", NaaState.INIT, NaaState.READY);
        enter(NaaState.INIT);
    }

    @Override
    void disconnected() {
        end(NaaState.DISCONNECTED, lost());
    }

    private Step advance(NaaState from, NaaState to, Step step) {
        if (state() != from) {
            return Step.NONE;
        }
        enter(to);
        return step;
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// The regions are registered.
    ///
    /// @param buffer [#MESSAGE_BYTES] of memory
    /// @param maxOutstanding WRITEs the queue pair takes at a time
    /// @param bytesReceived the bytes that the connection has received so far
    public void registered(
            MemoryRegion buffer,
            long maxMessageBytes,
            int maxOutstanding,
            LongSupplier bytesReceived) {
        this.bytesReceived = bytesReceived;
        messages = new MessageBuffers(buffer, 1);
        plan = new WritePlan(regions.list().size(), maxMessageBytes, maxOutstanding);
    }

    /// Posts the receive for the answer and announces the regions.
    ///
    /// NAA-MRSP-1, NAA-MRSP-2: first the receive for the answer, then one request.
    ///
    /// @param naaAddresses requested for the regions, in wire order
    /// @param internals the internal regions to ask for
    public void startMrsp(
            List<Long> naaAddresses, List<MrspMessage.Entry> internals, long nowNanos) {
        require("region setup", NaaState.CONNECTED);
        postReceive();
        sendMessage(regions.announcement(naaAddresses, internals), nowNanos);
    }

    /// Sends `message`.
    public void sendMessage(MrspMessage message, long nowNanos) {
        require("sending a message", NaaState.CONNECTED, NaaState.MRSP_RECEIVING);
        messages().send(message);
        mrspBegan = nowNanos;
        deadline.set(nowNanos, settings.timeout());
        enter(NaaState.MRSP_SENDING);
    }

    /// Posts one receive: for a message or, as a placeholder, for a result.
    public void postReceive() {
        messages().postReceive();
    }

    /// NAA-MRSP-23: ERR ends the session with its code.
    private void applyMessage(long length, long nowNanos) {
        switch (messages().received(0, length)) {
            case Advertise advertise -> applyAdvertise(advertise, nowNanos);
            case MrspError error ->
                    fail(
                            new MrspException(
                                    where(),
                                    error.code(),
                                    "the server refused the regions with code "
                                            + MrspException.explain(error.code())));
            case MrspMessage.Malformed malformed -> malformed(malformed.why());
            case AdvertiseRequest _ -> malformed("the server sent a request");
        }
    }

    private void applyAdvertise(Advertise advertise, long nowNanos) {
        Optional<String> problem = regions.problemWith(advertise);
        if (problem.isPresent()) {
            malformed(problem.get());
            return;
        }
        regions.advertised(advertise);
        deadline.clear();
        probe.pause();
        counters().add(Counter.MRSP_NANOS, nowNanos - mrspBegan);
        enter(NaaState.MRSP_DONE);
    }

    /// NAA-MRSP-26: the server learns that this side gives up.
    private void malformed(String why) {
        if (state() == NaaState.MRSP_RECEIVING) {
            messages().send(new MrspError(MrspException.MALFORMED));
        }
        fail(new MrspException(where(), MrspException.MALFORMED, "bad answer: " + why));
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// Posts the receive for the result and the WRITEs of the inputs.
    ///
    /// NAA-XFER-14: receives are posted before sends.
    public void startRpc(long nowNanos) {
        requireIdle("starting an RPC");
        regions.requireReturnRegion();
        postReceive();
        writeInputs(settings.functionCode(), nowNanos);
    }

    /// Gives the RPC that has just started another limit; zero for none.
    public void limit(Duration rpcLimit, long nowNanos) {
        deadline.set(nowNanos, rpcLimit);
    }

    /// Posts the WRITEs of the inputs, the last one with `functionCode`.
    public void writeInputs(int functionCode, long nowNanos) {
        requireIdle("starting an RPC");
        regions.requireReturnRegion();
        WritePlan writes = plan();
        writes.begin(settings.dialect().requestImmediate(functionCode, userBytes));
        counters().add(Counter.BYTES_SENT, regions.addInputs(writes));
        counters().add(Counter.RPCS, 1);
        result = null;
        resultHeld = false;
        receivedBefore = bytesReceived.getAsLong();
        clock.start(nowNanos);
        deadline.set(nowNanos, settings.timeout());
        enter(NaaState.DATA_SENDING);
    }

    /// NAA-XFER-16: tells the server that this side cannot start the RPC, which ends the session.
    public void signalHostError(String why) {
        requireIdle("reporting a host error");
        hostErrorToSend = true;
        fail(new NaaException(where(), why));
    }

    /// The first bytes of the answer were seen.
    public void answerBegan(long nowNanos) {
        clock.began(nowNanos);
    }

    /// The result of the last RPC, or null if none has finished since the last one was started.
    public @Nullable RpcResult result() {
        return result;
    }

    /// Sets the three user bytes, byte 0 in bits 7..0, from the next RPC on.
    ///
    /// NAA-XFER-11: 0 until then.
    public void setUserBytes(int bytes) {
        requireUpstream("user bytes");
        userBytes = bytes;
    }

    /// Sets how many bytes of wire region `index` are sent from the next RPC on.
    ///
    /// NAA-XFER-8, NAA-XFER-10: between RPCs, 0 to all of the region.
    public void setBytesToSend(int index, long bytes) {
        requireUpstream("a byte count");
        requireIdle("setting a byte count");
        ClientRegion region = regions.list().get(index);
        Objects.checkIndex(bytes, region.size() + 1);
        region.setBytesToSend(bytes);
    }

    /// The three user bytes, byte 0 in bits 7..0.
    public int userBytes() {
        return userBytes;
    }

    /// How many WRITEs of the current RPC were acknowledged.
    public int writesCompleted() {
        return plan == null ? 0 : plan.completed();
    }

    private void requireUpstream(String what) {
        if (settings.dialect() != Dialect.UPSTREAM_2026) {
            throw new IllegalStateException(settings.dialect() + " cannot carry " + what);
        }
    }

    /// On the path of every RPC, where the arguments of `require` would be garbage.
    ///
    /// NAA-RPC-2: one RPC at a time.
    private void requireIdle(String operation) {
        NaaState now = state();
        if (now != NaaState.MRSP_DONE && now != NaaState.FINISHED) {
            require(operation, NaaState.MRSP_DONE, NaaState.FINISHED);
        }
    }

    // ---- work requests --------------------------------------------------------------------------

    @Override
    public boolean nextReceive(ReceiveRequest into) {
        return messages != null && messages.nextReceive(into);
    }

    @Override
    public boolean nextSend(SendRequest into) {
        if (messages != null && messages.nextSend(into)) {
            into.id(MESSAGE);
            return true;
        }
        if (hostErrorToSend) {
            hostErrorToSend = false;
            PeerRegion target = emptyTarget();
            into.id(HOST_ERROR).writeWithImmediate(target.address(), target.remoteKey(), 0);
            into.noPayload().signaled(true).solicited(true);
            return true;
        }
        if (probe.takeToSend()) {
            PeerRegion target = emptyTarget();
            into.id(PROBE).write(target.address(), target.remoteKey());
            into.noPayload().signaled(true).solicited(false);
            return true;
        }
        if (state() == NaaState.DATA_SENDING && plan().next(into)) {
            into.id(WRITE);
            return true;
        }
        return false;
    }

    private PeerRegion emptyTarget() {
        return regions.firstPeer().orElse(NOWHERE);
    }

    @Override
    public void refused(String request) {
        boolean starting = state() == NaaState.DATA_SENDING;
        fail(new NaaException(where(), "the queue pair has no room for " + request));
        hostErrorToSend = starting;
    }

    // ---- completions ----------------------------------------------------------------------------

    @Override
    public void completed(Completion completion, long nowNanos) {
        if (state().isTerminal()) {
            return;
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            failed(completion, "a transfer");
            return;
        }
        switch (completion.opcode()) {
            case SEND -> messageSent(nowNanos);
            case RDMA_WRITE -> written(completion, nowNanos);
            case RECEIVE -> messageArrived(completion, nowNanos);
            case RECEIVE_RDMA_WITH_IMMEDIATE -> resultArrived(completion, nowNanos);
            default -> throw unexpected(completion);
        }
    }

    private void messageSent(long nowNanos) {
        if (state() != NaaState.MRSP_SENDING) {
            throw unexpected("the completion of a message");
        }
        enter(NaaState.MRSP_RECEIVING);
        probe.waiting(nowNanos);
        if (heldMessageLength >= 0) {
            applyMessage(heldMessageLength, nowNanos);
            heldMessageLength = -1;
        }
    }

    /// NAA-MRSP-5: an answer that is polled before the SEND is kept until then.
    private void messageArrived(Completion completion, long nowNanos) {
        switch (state()) {
            case MRSP_SENDING -> heldMessageLength = completion.byteCount();
            case MRSP_RECEIVING -> applyMessage(completion.byteCount(), nowNanos);
            // Ignored; but it used up the receive that waits for the result.
            case DATA_SENDING, DATA_RECEIVING -> {
                receivedBefore += completion.byteCount();
                postReceive();
            }
            default -> throw unexpected(completion);
        }
    }

    private void written(Completion completion, long nowNanos) {
        if (completion.id() == PROBE) {
            probe.answered();
            return;
        }
        if (completion.id() != WRITE || state() != NaaState.DATA_SENDING) {
            throw unexpected(completion);
        }
        plan().completeOne();
        if (!plan().isComplete()) {
            return;
        }
        regions.markSent();
        clock.sent(nowNanos);
        enter(NaaState.DATA_RECEIVING);
        if (resultHeld) {
            finish(heldImmediate, heldByteCount);
        } else {
            probe.waiting(nowNanos);
        }
    }

    private void resultArrived(Completion completion, long nowNanos) {
        clock.answered(nowNanos);
        switch (state()) {
            case DATA_SENDING -> hold(completion);
            case DATA_RECEIVING -> finish(completion.immediate(), completion.byteCount());
            case MRSP_SENDING, MRSP_RECEIVING -> malformed("a result instead of a message");
            default -> throw unexpected(completion);
        }
    }

    /// NAA-XFER-19: a result that is polled before the last WRITE is kept until then.
    private void hold(Completion completion) {
        if (resultHeld) {
            throw unexpected("a second result of one RPC");
        }
        resultHeld = true;
        heldImmediate = completion.immediate();
        heldByteCount = completion.byteCount();
    }

    private void finish(int immediate, long byteCount) {
        int code = settings.dialect().returnCode(immediate);
        long total = bytesReceived.getAsLong() - receivedBefore;
        long expected = 0;
        if (code == 0) {
            expected = regions.returnedBytes();
            regions.markReceived();
        }
        result = clock.result(code, byteCount, total, expected);
        counters().add(Counter.BYTES_RECEIVED, total);
        counters().add(Counter.TRANSFER_NANOS, clock.sendNanos() + clock.receiveNanos());
        counters().add(Counter.CALCULATION_NANOS, clock.computeNanos());
        counters().add(Counter.RETURN_CODES, code == 0 ? 0 : 1);
        deadline.clear();
        probe.pause();
        enter(NaaState.FINISHED);
    }

    // ---- time -----------------------------------------------------------------------------------

    /// NAA-TIME-1, NAA-TIME-2: what takes too long fails, and can only be closed.
    ///
    /// NAA-TIME-4: a server that has died fails the call by the probe that it does not acknowledge.
    @Override
    public void timePassed(long nowNanos) {
        if (deadline.isDue(nowNanos)) {
            deadline.clear();
            fail(
                    new NaaTimeoutException(
                            where(),
                            "not finished within %d ms; the client can only be closed now"
                                    .formatted(deadline.delay().toMillis())));
        } else if (probe.begins(nowNanos)) {
            counters().add(Counter.PROBES, 1);
        }
    }

    /// Probes the server between RPCs.
    public void checkPeer(long nowNanos) {
        requireIdle("a check of the peer");
        if (probe.begin(nowNanos)) {
            counters().add(Counter.PROBES, 1);
        }
    }

    /// Whether the server has yet to acknowledge a probe.
    public boolean isProbePending() {
        return probe.isPending();
    }

    @Override
    public long nanosUntilDue(long nowNanos) {
        return Math.min(deadline.nanosLeft(nowNanos), probe.nanosLeft(nowNanos));
    }

    private MessageBuffers messages() {
        if (messages == null) {
            throw new IllegalStateException("the regions are not registered yet");
        }
        return messages;
    }

    private WritePlan plan() {
        return Objects.requireNonNull(plan);
    }
}
