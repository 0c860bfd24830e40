package dev.outboard.naa.protocol;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.NaaTimeoutException;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.ReturnCode;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The server's state machine for one connection (`spec/naaice.md`, section 11.3).
///
/// NAA-STATE-3: what leads where is in `docs/protocol/naaice-states.md`.
public final class ServerMachine extends Machine {
    /// The memory that the machine's messages need: two to receive, one to send.
    public static final long MESSAGE_BYTES = 3L * MrspCodec.MAX_LENGTH;

    /// One is always posted while the other is looked at.
    private static final int RECEIVE_BUFFERS = 2;

    private static final long MESSAGE = 10;
    private static final long WRITE = 11;
    private static final long PROBE = 12;

    private final ServerSettings settings;
    private final ServerCounters serverCounters;
    private final MessageBuffers messages;
    private final long maxMessageBytes;
    private final int maxOutstanding;

    private volatile @Nullable Dialect dialect;
    private volatile List<PeerRegion> peerRegions = List.of();
    private @Nullable AdvertiseRequest pendingRequest;
    private @Nullable ServerRegions regions;

    private @Nullable NaaException refusal;
    private int messagesOnTheirWay;
    private volatile @Nullable String eviction;

    private final ServerCall call;

    private final ServerDeadline deadline;
    private final PeerProbe probe;
    private volatile long since;

    /// A connection that a client asks for.
    ///
    /// @param messages [#MESSAGE_BYTES] of memory
    /// @param serverCounters of all connections
    /// @param maxOutstanding WRITEs the queue pair takes at a time
    /// @param arrivedBytes the bytes that the connection has received so far
    public ServerMachine(
            String peer,
            ServerSettings settings,
            ServerCounters serverCounters,
            MemoryRegion messages,
            long maxMessageBytes,
            int maxOutstanding,
            LongSupplier arrivedBytes) {
        super(peer);
        this.settings = settings;
        this.serverCounters = serverCounters;
        this.deadline = new ServerDeadline(settings);
        this.probe = new PeerProbe(settings.probeInterval(), settings.probeLimit());
        this.messages = new MessageBuffers(messages, RECEIVE_BUFFERS);
        this.maxMessageBytes = maxMessageBytes;
        this.maxOutstanding = maxOutstanding;
        this.call = new ServerCall(arrivedBytes);
    }

    // ---- connection -----------------------------------------------------------------------------

    /// The resources exist; a receive must be posted before the request is accepted.
    ///
    /// NAA-CONN-3, NAA-STATE-4: READY with one receive posted.
    public void connectRequested() {
        require("accepting", NaaState.INIT);
        postReceive();
        enter(NaaState.READY);
    }

    /// The connection is established.
    public void established(long nowNanos) {
        require("an established connection", NaaState.READY);
        deadline.awaitRegions(nowNanos);
        since = nowNanos;
        enter(NaaState.CONNECTED);
    }

    /// The client has disconnected; one that was refused may do so before ERR is acknowledged.
    @Override
    public void disconnected() {
        if (refusal != null) {
            fail(refusal);
        } else if (eviction != null) {
            fail(
                    new NaaConnectException(
                            where(),
                            NaaConnectException.Reason.DISCONNECTED,
                            "the server ended the connection: the client " + eviction));
        } else if (!isOver()) {
            deadline.clear();
            probe.stop();
            enter(NaaState.FINISHED);
        }
    }

    /// The server will disconnect the client because others want its place. Any thread.
    ///
    /// @param why what the client did with it
    public void evict(String why) {
        eviction = why;
    }

    /// The device is gone.
    public void deviceRemoved() {
        fail(
                new NaaConnectException(
                        where(), NaaConnectException.Reason.DEVICE_REMOVED, "device removed"));
    }

    @Override
    boolean isOver() {
        return super.isOver() || state() == NaaState.FINISHED;
    }

    // ---- region setup ---------------------------------------------------------------------------

    /// Posts a further receive and waits for the client's request.
    ///
    /// NAA-MRSP-10, NAA-RET-20: a further receive is posted before A can be sent.
    public void startMrsp(long nowNanos) {
        require("region setup", NaaState.CONNECTED);
        postReceive();
        deadline.awaitRegions(nowNanos);
        enter(NaaState.MRSP_RECEIVING);
    }

    /// Posts one receive: for a message or, as a placeholder, for an RPC.
    public void postReceive() {
        messages.postReceive();
    }

    /// The client's request that waits for [#grant] or [#refuse].
    public Optional<AdvertiseRequest> pendingRequest() {
        return isOver() ? Optional.empty() : Optional.ofNullable(pendingRequest);
    }

    /// The client's dialect, known with its request.
    public Optional<Dialect> dialect() {
        return Optional.ofNullable(dialect);
    }

    /// NAA-MRSP-13: the client's regions are those of its request or, if it advertised others by
    /// itself, those.
    public List<PeerRegion> peerRegions() {
        return peerRegions;
    }

    /// Takes a request: it becomes pending, or is refused for what the settings do not allow.
    public void handle(AdvertiseRequest request, long nowNanos) {
        require("region setup", NaaState.CONNECTED, NaaState.MRSP_RECEIVING);
        Dialect recognised = RegionRules.dialectOf(request);
        Optional<Refusal> wrong = RegionRules.check(request, recognised, settings);
        if (wrong.isPresent()) {
            refuse(wrong.get(), nowNanos);
        } else {
            dialect = settings.dialect().orElse(recognised);
            pendingRequest = request;
        }
    }

    /// Takes the client's advertisement of regions.
    public void handle(Advertise advertise) {
        require("region setup", NaaState.CONNECTED, NaaState.MRSP_RECEIVING);
        peerRegions = advertise.regions();
    }

    /// The pending request is satisfied: `ours` are the counterparts of its non-internal ones.
    ///
    /// NAA-MRSP-1: one answer, however many regions.
    public void grant(List<MemoryRegion> ours, long nowNanos) {
        AdvertiseRequest request = Objects.requireNonNull(pendingRequest, "no request is pending");
        pendingRequest = null;
        ServerRegions granted =
                new ServerRegions(
                        request, ours, new WritePlan(ours.size(), maxMessageBytes, maxOutstanding));
        regions = granted;
        peerRegions = granted.announced();
        sendMessage(new Advertise(granted.announcement()), nowNanos);
    }

    /// The request cannot be satisfied: ERR is sent, and the session fails once it has arrived.
    ///
    /// NAA-MRSP-22: the connection is kept until then.
    public void refuse(Refusal why, long nowNanos) {
        pendingRequest = null;
        serverCounters.add(why.counter());
        refusal = new MrspException(where(), why.code(), "refused the client: " + why.text());
        send(new MrspError(why.code()), nowNanos);
    }

    /// Whether the client was refused and ERR is on its way.
    public boolean isRefusing() {
        return refusal != null && !isOver();
    }

    /// Sends A or ERR.
    public void sendMessage(MrspMessage message, long nowNanos) {
        if (message instanceof AdvertiseRequest) {
            throw new IllegalArgumentException("a server sends no request for regions");
        }
        require("sending a message", NaaState.CONNECTED, NaaState.MRSP_RECEIVING);
        send(message, nowNanos);
    }

    private void send(MrspMessage message, long nowNanos) {
        messages.send(message);
        messagesOnTheirWay++;
        deadline.awaitAcknowledgement(nowNanos);
        enter(NaaState.MRSP_SENDING);
    }

    private void messageArrived(Completion completion, long nowNanos) {
        call.newBytes();
        if (state() != NaaState.CONNECTED && state() != NaaState.MRSP_RECEIVING) {
            violated("a message in the middle of RPCs", nowNanos);
            return;
        }
        switch (messages.received(completion.id(), completion.byteCount())) {
            case AdvertiseRequest request when pendingRequest == null -> handle(request, nowNanos);
            case AdvertiseRequest _ -> violated("a second request", nowNanos);
            case Advertise _ -> violated("an advertisement instead of a request", nowNanos);
            case MrspMessage.Malformed malformed -> violated(malformed.why(), nowNanos);
            case MrspError error ->
                    fail(
                            new MrspException(
                                    where(),
                                    error.code(),
                                    "the client gave up with code "
                                            + MrspException.explain(error.code())));
        }
        postReceive();
    }

    /// NAA-MRSP-24: the client is told 0xFF.
    private void violated(String what, long nowNanos) {
        refuse(
                new Refusal(MrspException.MALFORMED, ServerCounter.REFUSED_MALFORMED, what),
                nowNanos);
    }

    private void messageSent(long nowNanos) {
        if (state() != NaaState.MRSP_SENDING) {
            throw unexpected("the completion of a message");
        }
        messagesOnTheirWay--;
        if (refusal != null) {
            // That of an answer may come first, if the client breaks the rules while it is on its
            // way.
            if (messagesOnTheirWay == 0) {
                fail(refusal);
            }
            return;
        }
        counters().add(Counter.MRSP_NANOS, nowNanos - since);
        deadline.clear();
        enter(NaaState.MRSP_DONE);
    }

    // ---- RPC ------------------------------------------------------------------------------------

    /// Waits for RPCs from now on.
    public void awaitRpc(long nowNanos) {
        require("waiting for an RPC", NaaState.MRSP_DONE);
        enterReceiving(nowNanos);
    }

    /// Somebody else has answered RPCs, which this side has not seen.
    public void answeredElsewhere(long nowNanos) {
        if (state() == NaaState.DATA_RECEIVING) {
            since = nowNanos;
            deadline.awaitRpc(nowNanos);
        }
    }

    /// Somebody else computes an RPC, and takes no acknowledgement meanwhile.
    public void computingElsewhere(long nowNanos) {
        answeredElsewhere(nowNanos);
        probe.excuse(nowNanos);
    }

    /// When the client was connected, its last RPC arrived or its last answer was sent, whatever
    /// came last, by [System#nanoTime].
    public long sinceNanos() {
        return since;
    }

    /// The function code of the RPC that is being calculated.
    public int functionCode() {
        return call.functionCode();
    }

    /// The user bytes of the RPC that is being calculated, byte 0 in bits 7..0.
    public int userBytes() {
        return call.userBytes();
    }

    /// The wire region that the RPC's answer goes to in `ap1-2023`.
    public int returnRegion() {
        return call.returnRegion();
    }

    /// Whether the client reported that it could not start an RPC; told once.
    public boolean takeHostError() {
        return call.takeHostError();
    }

    /// Posts the WRITEs of the answer: the results, or only `returnCode` if it is an error.
    ///
    /// NAA-RET-14: only an RPC that is pending is answered, and once.
    public void reply(int returnCode, long nowNanos) {
        require("an answer", NaaState.CALCULATING);
        counters().add(Counter.CALCULATION_NANOS, nowNanos - since);
        long bytes = regions().answer(returnCode, usedDialect(), call.returnRegion());
        counters().add(Counter.BYTES_SENT, bytes);
        counters().add(Counter.RETURN_CODES, returnCode == ReturnCode.SUCCESS ? 0 : 1);
        since = nowNanos;
        probe.pause();
        deadline.awaitAcknowledgement(nowNanos);
        enter(NaaState.DATA_SENDING);
    }

    /// NAA-RPC-1: one RPC after the other, without a new setup.
    private void enterReceiving(long nowNanos) {
        since = nowNanos;
        deadline.awaitRpc(nowNanos);
        probe.waiting(nowNanos);
        enter(NaaState.DATA_RECEIVING);
        call.takeHeld().ifPresent(immediate -> begin(immediate, nowNanos));
    }

    /// NAA-RET-20, NAA-ROB-7: for the receive that was used up one is posted.
    private void rpcArrived(Completion completion, long nowNanos) {
        postReceive();
        counters().add(Counter.BYTES_RECEIVED, call.newBytes());
        switch (state()) {
            case DATA_RECEIVING -> begin(completion.immediate(), nowNanos);
            // The client may be faster than the completion of what it has answered. One that does
            // not wait for its result is served alike, whenever its RPC is looked at.
            case MRSP_SENDING, MRSP_DONE, CALCULATING, DATA_SENDING ->
                    hold(completion.immediate(), nowNanos);
            default -> violated("an RPC in state " + state(), nowNanos);
        }
    }

    private void hold(int immediate, long nowNanos) {
        if (!call.hold(immediate)) {
            violated("a further RPC before the answer to the last one", nowNanos);
        }
    }

    /// NAA-XFER-17: without a function code nothing runs and nothing is answered.
    private void begin(int immediate, long nowNanos) {
        call.begin(usedDialect(), immediate);
        if (call.isHostError()) {
            counters().add(Counter.HOST_ERRORS, 1);
            return;
        }
        counters().add(Counter.RPCS, 1);
        since = nowNanos;
        deadline.clear();
        probe.waiting(nowNanos);
        OptionalInt named = regions().returnRegion(usedDialect());
        call.returnRegion(named.orElse(0));
        enter(NaaState.CALCULATING);
        /// NAA-META-7: metadata that name no region get an answer, too.
        if (named.isEmpty()) {
            reply(ReturnCode.FIRST_APPLICATION, nowNanos);
        }
    }

    // ---- work requests --------------------------------------------------------------------------

    @Override
    public boolean nextReceive(ReceiveRequest into) {
        return messages.nextReceive(into);
    }

    @Override
    public boolean nextSend(SendRequest into) {
        if (messages.nextSend(into)) {
            into.id(MESSAGE);
            return true;
        }
        if (state() == NaaState.DATA_SENDING && regions().plan().next(into)) {
            into.id(WRITE);
            return true;
        }
        if (probe.takeToSend()) {
            Entry target = regions().theirs(0);
            into.id(PROBE).write(target.address(), target.remoteKey());
            into.noPayload().signaled(true).solicited(false);
            return true;
        }
        return false;
    }

    @Override
    public void refused(String request) {
        fail(new NaaException(where(), "the queue pair has no room for " + request));
    }

    // ---- completions ----------------------------------------------------------------------------

    @Override
    public void completed(Completion completion, long nowNanos) {
        if (isOver()) {
            return;
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            if (refusal == null) {
                failed(completion, "a transfer");
            } else {
                fail(refusal);
            }
            return;
        }
        CompletionOpcode opcode = completion.opcode();
        if (refusal != null && opcode != CompletionOpcode.SEND) {
            return;
        }
        switch (opcode) {
            case SEND -> messageSent(nowNanos);
            case RDMA_WRITE -> written(completion, nowNanos);
            case RECEIVE -> messageArrived(completion, nowNanos);
            case RECEIVE_RDMA_WITH_IMMEDIATE -> rpcArrived(completion, nowNanos);
            default -> throw unexpected(completion);
        }
    }

    private void written(Completion completion, long nowNanos) {
        if (completion.id() == PROBE) {
            probe.answered();
            return;
        }
        if (state() != NaaState.DATA_SENDING) {
            throw unexpected(completion);
        }
        WritePlan plan = regions().plan();
        plan.completeOne();
        if (plan.isComplete()) {
            counters().add(Counter.TRANSFER_NANOS, nowNanos - since);
            enterReceiving(nowNanos);
        }
    }

    // ---- time -----------------------------------------------------------------------------------

    @Override
    public void timePassed(long nowNanos) {
        Optional<ServerDeadline.Overdue> overdue = deadline.overdue(nowNanos);
        if (overdue.isPresent()) {
            serverCounters.add(overdue.get().counter());
            NaaException late = new NaaTimeoutException(where(), overdue.get().text());
            fail(refusal == null ? late : refusal);
        } else if (probe.isUnanswered(nowNanos)) {
            fail(
                    new NaaConnectException(
                            where(),
                            NaaConnectException.Reason.UNREACHABLE,
                            "the client does not answer any more"));
        } else if (probe.begins(nowNanos)) {
            counters().add(Counter.PROBES, 1);
        }
    }

    @Override
    public long nanosUntilDue(long nowNanos) {
        return Math.min(deadline.nanosLeft(nowNanos), probe.nanosLeft(nowNanos));
    }

    private Dialect usedDialect() {
        return Objects.requireNonNull(dialect);
    }

    private ServerRegions regions() {
        return Objects.requireNonNull(regions);
    }
}
