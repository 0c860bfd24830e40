package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.trace.NicTimeline;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A queue pair of a device of the fabric, whose peer may be anywhere: what entries of its send
/// queue ask for is posted there, and data go from memory of the process to the wire and back
/// without a copy.
///
/// The NIC's actor executes entries and takes completions. Whoever drives the device fetches
/// entries of the receive queue, when a message needs one.
public final class FabricPair extends QueuePair {
    private static final int INDEX_MASK = 0xFFFF;

    /// How many entries are posted together at most.
    private static final int BATCH = 16;

    /// In ids of requests, beside the index.
    private static final long RECEIVES = 1 << 16;

    /// In the id of what is posted before an entry that needs no peer.
    private static final long MARKS = 1 << 17;

    /// The id of what is posted when the process has ended.
    private static final long LAST = 1 << 18;

    private final FabricPort port;
    private final Shared shared;
    private final dev.outboard.fabric.QueuePair pair;
    private final Send sends;
    private final ReceivePool pool;
    private final CompletionQueue receives;
    private final WorkRequest request;
    private final dev.outboard.dpa.nic.Completion told;
    private final CompletionInbox inbox;
    private final Completion taken = new Completion();

    /// The entries that are posted next, and how many blocks each has.
    private final List<SendRequest> batch = new ArrayList<>(BATCH);

    private final SendRequest[] requests = new SendRequest[BATCH];
    private final int[] batchBlocks = new int[BATCH];
    private final String[] batchOperations = new String[BATCH];
    private final int[] batchBytes = new int[BATCH];

    /// What lies in entries is sent from there.
    private final MemoryRegion ring;

    private final SendIndex index;

    /// The id of what was posted last, and whether something may be outstanding.
    private long lastId;

    private volatile boolean outstanding;

    /// Whether the next entry needs no peer: it begins when nothing is outstanding any more.
    private boolean local;

    // Of whoever drives the device

    private final ReceiveRequest receive = new ReceiveRequest();

    /// How many entries it has fetched.
    private volatile int fetched;

    /// How many of those have ended, as the actor has told.
    private volatile int ended;

    /// Whether the peer stays connected when the process ends.
    private volatile boolean outlives;

    // Of the port

    final AtomicBoolean isReady = new AtomicBoolean();

    @Nullable FabricPair nextReady;

    FabricPair(
            FabricPort port,
            Send sends,
            ReceivePool pool,
            CompletionQueue receives,
            User user,
            Shared shared) {
        super(sends, user, shared);
        this.port = port;
        this.sends = sends;
        this.pool = pool;
        this.receives = receives;
        this.shared = shared;
        int sendDepth = 1 << sends.logBlocks();
        int receiveDepth = pool.depth();
        Arrays.setAll(requests, i -> new SendRequest());
        request = WorkRequest.ofFabric(sends, shared, port.device().limits().maxMessageBytes());
        index = new SendIndex(shared.counters());
        inbox = new CompletionInbox(2 * (sendDepth + receiveDepth));
        ring = port.register(sends.ring(), (long) SendEntry.BYTES << sends.logBlocks(), Set.of());
        pair = port.create(sendDepth, receiveDepth, this::refill);
        told = new dev.outboard.dpa.nic.Completion(pair.number(), user.userIndex());
        port.add(this);
    }

    @Override
    public int number() {
        return pair.number();
    }

    /// Changes state and attributes of the queue pair, as at any peer of the fabric.
    ///
    /// @throws FabricException as [dev.outboard.fabric.QueuePair#modify] says
    public void modify(QueuePairChange change) {
        pair.modify(change);
    }

    /// Has the connection manager connect the queue pair.
    ///
    /// @throws FabricException as [ConnectionId#use] says
    public void connectBy(ConnectionId id) {
        id.use(pair);
    }

    /// The bytes of messages that it has received.
    public long bytesReceived() {
        return pair.bytesReceived();
    }

    @Override
    public QueuePairState state() {
        return isInError() ? QueuePairState.ERROR : pair.state();
    }

    @Override
    public void connect(QueuePair peer) {
        if (!(peer instanceof FabricPair other)) {
            throw new IllegalArgumentException(
                    "Queue pairs of two NICs are not connected like this");
        }
        port.connect(pair, other.pair);
        if (!equals(peer)) {
            port.connect(other.pair, pair);
        }
    }

    /// Whether a peer has to answer.
    boolean isOutstanding() {
        return outstanding;
    }

    CompletionInbox inbox() {
        return inbox;
    }

    // Sends

    @Override
    SendIndex index() {
        return index;
    }

    @Override
    Step step(Nic nic) {
        int blocks = index.blocks();
        if (blocks == 0) {
            return Step.IDLE;
        }
        if (local) {
            return perform(nic);
        }
        if (isInError()) {
            flushReceives(nic);
            NicTimeline.of(nic).skip(number(), index.next());
            refuse(nic, request.skip(nic, index.next(), blocks), Syndrome.FLUSHED);
            NicTimeline.of(nic).end(number(), Syndrome.FLUSHED.code());
            return Step.DONE;
        }
        Syndrome parsed = collect(nic, blocks);
        int posted = 0;
        try {
            posted = batch.isEmpty() ? 0 : pair.post(batch);
        } catch (FabricException notConnected) {
            parsed = Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
            batch.clear();
        }
        if (posted > 0) {
            lastId = requests[posted - 1].id();
            outstanding = true;
        }
        boolean reached = parsed == Syndrome.SUCCESS && request.isLocal() && posted == batch.size();
        for (int i = 0; i < (reached ? posted - 1 : posted); i++) {
            NicTimeline.of(nic).begin(number(), index.next(), batchOperations[i], batchBytes[i]);
            NicTimeline.of(nic).hand(number());
            index.hand(batchBlocks[i]);
        }
        Message next = request.message();
        if (reached) {
            NicTimeline.of(nic).begin(number(), index.next(), next.operation(), next.byteCount());
            local = true;
            return perform(nic);
        }
        if (posted < batch.size()) {
            return posted == 0 ? Step.WAITING : Step.DONE;
        }
        if (parsed != Syndrome.SUCCESS) {
            NicTimeline.of(nic).begin(number(), index.next(), next.operation(), next.byteCount());
            fail(nic);
            refuse(nic, request.skip(nic, index.next(), index.blocks()), parsed);
            NicTimeline.of(nic).end(number(), parsed.code());
        }
        return Step.DONE;
    }

    /// DPA-FXQ-8e: executes the next entry without the peer, when all before it have ended.
    private Step perform(Nic nic) {
        LocalWork work = request.local();
        if (outstanding || (!isInError() && work.waits(nic))) {
            return Step.WAITING;
        }
        NicTimeline.of(nic).resume(number());
        end(nic, isInError() ? Syndrome.FLUSHED : work.perform(nic));
        return Step.DONE;
    }

    /// The next entry, which needs no peer, is done.
    private void end(Nic nic, Syndrome syndrome) {
        local = false;
        if (syndrome != Syndrome.SUCCESS) {
            fail(nic);
            refuse(nic, request.blocks(), syndrome);
        } else {
            told.of(CompletionEntry.REQUEST, index.next(), request.message().byteCount());
            index.advance(request.blocks());
            if (request.isSignalled()) {
                tell(nic, sends.completions(), syndrome);
            }
        }
        NicTimeline.of(nic).end(number(), syndrome.code());
    }

    /// Collects the next entries, which are posted together, up to one that needs no peer. If that
    /// has to wait for others, a write of nothing comes last, whose end tells that they have ended.
    ///
    /// @return what is wrong with the one after them, if anything
    private Syndrome collect(Nic nic, int blocks) {
        batch.clear();
        int next = index.next();
        for (int left = blocks; left > 0 && batch.size() < BATCH; left -= request.blocks()) {
            Syndrome parsed = request.parse(nic, next, left, number());
            if (parsed != Syndrome.SUCCESS) {
                return parsed;
            }
            if (request.isLocal()) {
                if (outstanding || !batch.isEmpty()) {
                    SendRequest mark = requests[batch.size()].noPayload().write(0, 0);
                    batch.add(mark.id(MARKS | next).signaled(true));
                }
                return parsed;
            }
            batchBlocks[batch.size()] = request.blocks();
            batchOperations[batch.size()] = request.message().operation();
            batchBytes[batch.size()] = request.message().byteCount();
            batch.add(fill(requests[batch.size()], next));
            next = (next + request.blocks()) & INDEX_MASK;
        }
        return Syndrome.SUCCESS;
    }

    /// DPA-FXQ-8: what the entry asks for, in the words of the device.
    private SendRequest fill(SendRequest send, int entry) {
        send.noPayload();
        for (int i = 0; i < request.pieces(); i++) {
            MemoryKey key = request.key(i);
            MemoryRegion region = key == null ? ring : key.region().orElseThrow();
            send.appendPayload(region, request.address(i) - region.address(), request.length(i));
        }
        send.id(entry).signaled(request.isSignalled());
        Message message = request.message();
        long address = message.remoteAddress();
        int key = message.remoteKey();
        switch (message.opcode()) {
            case SendEntry.SEND -> send.send();
            case SendEntry.SEND_IMMEDIATE -> send.sendWithImmediate(message.immediate());
            case SendEntry.RDMA_WRITE -> send.write(address, key);
            case SendEntry.RDMA_WRITE_IMMEDIATE ->
                    send.writeWithImmediate(address, key, message.immediate());
            case SendEntry.RDMA_READ -> send.read(address, key);
            case SendEntry.ATOMIC_COMPARE_SWAP ->
                    send.compareAndSwap(address, key, message.compare(), message.operand());
            case SendEntry.ATOMIC_FETCH_ADD -> send.fetchAndAdd(address, key, message.operand());
            default -> {
                // Nothing has to complete in its turn, too: a write of nothing, to nowhere.
                send.write(0, 0);
            }
        }
        return send;
    }

    /// DPA-FXQ-9: an entry that was not posted ends.
    private void refuse(Nic nic, int blocks, Syndrome syndrome) {
        told.failed(CompletionEntry.REQUEST_ERROR, index.next(), syndrome);
        index.fail();
        index.advance(blocks);
        sends.completions().add(nic, told);
    }

    // Completions

    /// Tells what has ended.
    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor alone
    void takeCompletions(Nic nic) {
        while (inbox.take(taken)) {
            int index = (int) taken.id() & INDEX_MASK;
            Syndrome syndrome = syndrome(taken.status());
            if ((taken.id() & RECEIVES) != 0) {
                ended++;
                endReceive(nic, index, syndrome);
            } else {
                outstanding = outstanding && taken.id() != lastId;
                endSend(nic, index, syndrome);
            }
        }
        if (isInError()) {
            flushReceives(nic);
        }
    }

    private void endSend(Nic nic, int entry, Syndrome syndrome) {
        if ((taken.id() & MARKS) != 0) {
            if (syndrome != Syndrome.SUCCESS) {
                end(nic, syndrome);
            }
            return;
        }
        NicTimeline.of(nic).ended(number(), entry, syndrome.code());
        index.end(outstanding ? entry + 1 : index.next());
        if (syndrome == Syndrome.SUCCESS) {
            told.of(CompletionEntry.REQUEST, entry, (int) taken.byteCount());
        } else {
            index.fail();
            told.failed(CompletionEntry.REQUEST_ERROR, entry, syndrome);
        }
        tell(nic, sends.completions(), syndrome);
    }

    private void endReceive(Nic nic, int index, Syndrome syndrome) {
        if (syndrome == Syndrome.SUCCESS) {
            int opcode = CompletionEntry.RECEIVED_SEND;
            if (taken.opcode() == CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE) {
                opcode = CompletionEntry.RECEIVED_WRITE_IMMEDIATE;
            } else if (taken.hasImmediate()) {
                opcode = CompletionEntry.RECEIVED_SEND_IMMEDIATE;
            }
            told.of(opcode, index, (int) taken.byteCount());
            told.immediate = taken.immediate();
        } else {
            told.failed(CompletionEntry.RECEIVE_ERROR, index, syndrome);
        }
        tell(nic, receives, syndrome);
    }

    private void tell(Nic nic, CompletionQueue completions, Syndrome syndrome) {
        if (!completions.add(nic, told) || syndrome != Syndrome.SUCCESS) {
            fail(nic);
        }
    }

    private static Syndrome syndrome(CompletionStatus status) {
        return switch (status) {
            case SUCCESS -> Syndrome.SUCCESS;
            case LOCAL_LENGTH_ERROR -> Syndrome.LOCAL_LENGTH;
            case LOCAL_PROTECTION_ERROR, LOCAL_ACCESS_ERROR -> Syndrome.LOCAL_PROTECTION;
            case WORK_REQUEST_FLUSHED -> Syndrome.FLUSHED;
            case BAD_RESPONSE_ERROR -> Syndrome.BAD_RESPONSE;
            case REMOTE_INVALID_REQUEST_ERROR -> Syndrome.REMOTE_INVALID_REQUEST;
            case REMOTE_ACCESS_ERROR -> Syndrome.REMOTE_ACCESS;
            case REMOTE_OPERATION_ERROR -> Syndrome.REMOTE_OPERATION;
            case RETRY_EXCEEDED -> Syndrome.TRANSPORT_RETRY_EXCEEDED;
            case RNR_RETRY_EXCEEDED -> Syndrome.RECEIVER_NOT_READY;
            default -> Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
        };
    }

    // Receives

    /// DPA-FXQ-7: a message needs a receive: looks into the doorbell record, and fetches the next
    /// entry if there is one. While the NIC has yet to begin there is none: the peer is told to
    /// send again, as it is by any receiver that is not ready.
    @SuppressWarnings("NonAtomicVolatileUpdate") // whoever drives the device, one at a time
    private void refill() {
        if (!shared.runs()) {
            return;
        }
        Nic nic = shared.nic();
        if (!isInError() && fetched - ended < pool.depth() && pool.hasEntry(nic)) {
            post(nic, pool.entry(), pool.take());
            fetched++;
        }
    }

    /// DPA-FXQ-9: with a bad key it is posted as memory that cannot be written, at which the
    /// message fails that comes for it.
    private void post(Nic nic, long entry, int index) {
        int length = DataSegment.byteCount(nic, entry);
        long address = DataSegment.address(nic, entry);
        MemoryKey key = shared.memory().local(DataSegment.key(nic, entry), address, length, true);
        receive.id(RECEIVES | index);
        if (key != null) {
            MemoryRegion region = key.region().orElseThrow();
            receive.buffer(region, address - region.address(), length);
        } else {
            receive.buffer(ring, 0, length);
        }
        pair.post(receive);
    }

    /// DPA-FXQ-9: what was posted, and never came to the device, ends when all the rest has; of a
    /// pool it stays for others.
    @Override
    void flushReceives(Nic nic) {
        if (fetched == ended && !pool.isShared()) {
            for (int left = pool.waiting(nic); left > 0; left--) {
                told.failed(CompletionEntry.RECEIVE_ERROR, pool.take(), Syndrome.FLUSHED);
                receives.add(nic, told);
            }
            pool.skip();
        }
    }

    // End

    /// Everything outstanding ends, and its peer gets no answer any more.
    @Override
    void fail(Nic nic) {
        if (failed()) {
            port.change(this::stop);
            takeCompletions(nic);
        }
    }

    /// Leaves the peer connected when the process ends, so that [#sendLast] can tell it something.
    public void outliveProcess() {
        outlives = true;
    }

    /// Posts a request in the place of the process, which has ended. One thread may, once.
    ///
    /// @return false if the peer is not connected, or the queue is full
    public boolean sendLast(SendRequest request) {
        return outlives
                && port.device().isOpen()
                && pair.state() == QueuePairState.READY_TO_SEND
                && pair.post(request.id(LAST).signaled(true));
    }

    /// Drives the device, and looks whether the request of [#sendLast] has ended, or the queue pair
    /// has before.
    public boolean hasEndedLast() {
        port.drive();
        boolean ended = false;
        while (!ended && inbox.take(taken)) {
            ended = taken.id() == LAST || taken.status() != CompletionStatus.SUCCESS;
        }
        return ended;
    }

    /// The process has ended.
    void processEnded() {
        if (!outlives) {
            stop();
        }
    }

    /// The peer gets no answer any more.
    void stop() {
        if (port.device().isOpen() && pair.state() != QueuePairState.ERROR) {
            pair.modify(QueuePairChange.to(QueuePairState.ERROR));
        }
    }

    @Override
    void remove(Nic nic) {
        super.remove(nic);
        port.remove(this);
        close();
        port.deregister(ring);
    }

    /// It is gone from the device.
    void close() {
        pair.close();
    }
}
