package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Flow;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.node.offload.TargetError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/// The host's end of a queue pair that is the handler's: what the host posts, a function of the
/// program sends; what the handler leaves to the host comes by [HostMail]. One thread at a time.
final class HostEnd implements CompletionQueue {
    private static final Duration LAST_ANSWER = Duration.ofSeconds(1);

    private final HandlerSide side;
    private final HandlerProgram.HostSend send;
    private final FlexioProcess process;
    private final FlexioQp pair;

    /// What was posted and has not completed, the oldest first.
    private final Deque<Sent> sends = new ArrayDeque<>();

    private final Deque<Place> receives = new ArrayDeque<>();
    private long read;
    private boolean granted;
    private boolean faulted;

    private record Sent(long id, CompletionOpcode opcode) {}

    private record Place(long id, MemorySegment buffer) {}

    HostEnd(HandlerSide side, HandlerProgram.HostSend send) {
        this.side = side;
        this.send = send;
        process = side.process();
        pair = side.pair();
    }

    /// The handler serves calls when the next message is sent.
    void granted() {
        granted = true;
    }

    // ---- what has come --------------------------------------------------------------------------

    @Override
    public boolean poll(Completion into) {
        noticeFault();
        long mailed = words(side.descriptor().plus(ClientDescriptor.MAILED), 1)[0];
        if (mailed == read) {
            return false;
        }
        if (mailed - read > ClientDescriptor.DEPTH) {
            throw new IllegalStateException(
                    "the client has sent %d messages before one was read; at most %d may be on their way"
                            .formatted(mailed - read, ClientDescriptor.DEPTH));
        }
        DpaAddr at =
                side.mail()
                        .plus((read & (ClientDescriptor.DEPTH - 1)) * ClientDescriptor.MAIL_BYTES);
        long[] words = words(at, ClientDescriptor.TEXT / Long.BYTES);
        boolean isTaken = take(into, at, (int) words[0], (int) words[1], words);
        if (isTaken) {
            read++;
            process.heap().copyWordsIn(side.descriptor().plus(ClientDescriptor.READ), read);
        }
        return isTaken;
    }

    /// When the handler has faulted, the call that it was at, if it was at one, fails with a code.
    /// The connection ends after that, as nobody serves it any more.
    private void noticeFault() {
        if (!faulted && !process.errorState().isRunning()) {
            faulted = true;
            answerInItsPlace();
        }
    }

    private void answerInItsPlace() {
        FlexioHeap heap = process.heap();
        DpaAddr descriptor = side.descriptor();
        long[] calls = heap.wordsAfterFault(descriptor.plus(ClientDescriptor.CALLS), 2);
        if (calls[0] == calls[1]) {
            return;
        }
        DpaAddr region = descriptor.plus(ClientDescriptor.region(0));
        long[] peer = heap.wordsAfterFault(region.plus(ClientDescriptor.PEER_ADDRESS), 2);
        boolean _ =
                pair.sendLast(
                        new SendRequest()
                                .noPayload()
                                .writeWithImmediate(
                                        peer[0],
                                        (int) peer[1],
                                        TargetError.FAILED.code() << Byte.SIZE),
                        LAST_ANSWER);
    }

    private long[] words(DpaAddr at, int count) {
        return process.heap().copyWordsOut(at, count);
    }

    /// @return false if it needs a receive, and none is posted
    private boolean take(Completion into, DpaAddr at, int opcode, int bytes, long... words) {
        switch (opcode) {
            case CompletionEntry.REQUEST -> {
                Sent sent = sends.remove();
                into.set(sent.id, CompletionStatus.SUCCESS, sent.opcode, pair.number(), bytes);
            }
            case CompletionEntry.REQUEST_ERROR, CompletionEntry.RECEIVE_ERROR ->
                    into.set(
                            0,
                            status((int) words[ClientDescriptor.SYNDROME / Long.BYTES] & 0xFF),
                            opcode == CompletionEntry.REQUEST_ERROR
                                    ? CompletionOpcode.RDMA_WRITE
                                    : CompletionOpcode.RECEIVE,
                            pair.number(),
                            0);
            default -> {
                Place place = receives.poll();
                if (place == null) {
                    return false;
                }
                received(into, place, at, opcode, bytes);
                into.setImmediate((int) words[ClientDescriptor.ANY_IMMEDIATE / Long.BYTES]);
            }
        }
        return true;
    }

    private void received(Completion into, Place place, DpaAddr at, int opcode, int bytes) {
        boolean isCall = opcode == CompletionEntry.RECEIVED_WRITE_IMMEDIATE;
        if (!isCall) {
            byte[] text = process.heap().copyOut(at.plus(ClientDescriptor.TEXT), bytes);
            MemorySegment.copy(text, 0, place.buffer, ValueLayout.JAVA_BYTE, 0, bytes);
        }
        into.set(
                place.id,
                CompletionStatus.SUCCESS,
                isCall ? CompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE : CompletionOpcode.RECEIVE,
                pair.number(),
                bytes);
    }

    private static CompletionStatus status(int syndrome) {
        for (Syndrome known : Syndrome.values()) {
            if (known.code() == syndrome) {
                return switch (known) {
                    case FLUSHED -> CompletionStatus.WORK_REQUEST_FLUSHED;
                    case TRANSPORT_RETRY_EXCEEDED -> CompletionStatus.RETRY_EXCEEDED;
                    case RECEIVER_NOT_READY -> CompletionStatus.RNR_RETRY_EXCEEDED;
                    case REMOTE_ACCESS -> CompletionStatus.REMOTE_ACCESS_ERROR;
                    case REMOTE_INVALID_REQUEST -> CompletionStatus.REMOTE_INVALID_REQUEST_ERROR;
                    case REMOTE_OPERATION -> CompletionStatus.REMOTE_OPERATION_ERROR;
                    case LOCAL_PROTECTION -> CompletionStatus.LOCAL_PROTECTION_ERROR;
                    case LOCAL_LENGTH -> CompletionStatus.LOCAL_LENGTH_ERROR;
                    default -> CompletionStatus.GENERAL_ERROR;
                };
            }
        }
        return CompletionStatus.GENERAL_ERROR;
    }

    @Override
    public boolean take(Completion into) {
        return poll(into);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        // Each mail interrupts.
    }

    @Override
    public boolean await(long timeoutNanos) {
        noticeFault();
        return side.interrupt().await(Duration.ofNanos(timeoutNanos));
    }

    @Override
    public void wake() {
        // Whoever waits looks again soon.
    }

    @Override
    public int capacity() {
        return ClientDescriptor.DEPTH;
    }

    @Override
    public void close() {
        // The process ends.
    }

    // ---- what is posted -------------------------------------------------------------------------

    /// What the host posts to.
    QueuePair pair() {
        return new Posting();
    }

    private final class Posting implements QueuePair {
        @Override
        public boolean post(SendRequest request) {
            GatherList payload = request.gather();
            boolean isMessage = payload.count() > 0;
            int length = isMessage ? (int) payload.length(0) : 0;
            if (isMessage) {
                byte[] text = new byte[length];
                MemorySegment.copy(
                        payload.region(0).segment(),
                        ValueLayout.JAVA_BYTE,
                        payload.offset(0),
                        text,
                        0,
                        length);
                process.heap().copyIn(side.outgoing(), text);
            }
            boolean isPosted =
                    process.call(send.call(side.descriptor(), length, isMessage && granted ? 1 : 0))
                            == 1;
            if (isPosted) {
                sends.add(
                        new Sent(
                                request.id(),
                                isMessage ? CompletionOpcode.SEND : CompletionOpcode.RDMA_WRITE));
            }
            return isPosted;
        }

        @Override
        public boolean post(ReceiveRequest request) {
            GatherList into = request.scatter();
            receives.add(
                    new Place(
                            request.id(),
                            into.region(0).segment().asSlice(into.offset(0), into.length(0))));
            return true;
        }

        @Override
        public int post(List<SendRequest> requests) {
            int posted = 0;
            while (posted < requests.size() && post(requests.get(posted))) {
                posted++;
            }
            return posted;
        }

        @Override
        public QueuePairType type() {
            return QueuePairType.RELIABLE_CONNECTED;
        }

        @Override
        public int number() {
            return pair.number();
        }

        @Override
        public QueuePairState state() {
            return pair.state();
        }

        @Override
        public void modify(QueuePairChange change) {
            pair.modify(change);
        }

        @Override
        public Flow createFlow(FlowMatch match) {
            throw new UnsupportedOperationException("a queue pair of a connection has no flows");
        }

        @Override
        public Map<String, Long> counters() {
            return Map.of();
        }

        @Override
        public long bytesReceived() {
            return pair.bytesReceived();
        }

        @Override
        public void close() {
            // It goes with its process.
        }
    }
}
