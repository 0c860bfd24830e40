package dev.outboard.fabric.verbs;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.GatherList;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.SendRequest.Operation;
import dev.outboard.fabric.memory.AllocatedWindow;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.memory.PayloadSink;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A posted send request: a slot of the [SendQueue], filled by the poster, then owned by whoever
/// executes it until it completes.
public final class SendEntry {
    private final MemoryPieces pieces;
    private final @Nullable Payload inlineMemory;
    private final long inlineOffset;

    /// Whether inline payload could not be copied when it was posted.
    private boolean isInlineLost;

    /// Whether what stands in the place of its memory refused to be read.
    private boolean isFaulty;

    public long id;
    public Operation operation = Operation.SEND;
    public long remoteAddress;
    public int remoteKey;
    public int immediate;
    public boolean signaled;
    public boolean solicited;
    public boolean inline;
    public boolean fence;
    public long compare;
    public long swapOrAdd;
    public long length;

    /// Where a datagram goes; null on connected queue pairs.
    public @Nullable AddressHandle addressHandle;

    public int destinationQpn;
    public int queueKey;

    /// The key that SEND_WITH_INVALIDATE or LOCAL_INVALIDATE takes back.
    public int invalidateKey;

    private @Nullable AllocatedWindow window;
    private int windowAccessBits;
    private int windowKeyPart;

    public SendEntry(int maxPieces, @Nullable Payload inlineMemory, long inlineOffset) {
        pieces = new MemoryPieces(maxPieces);
        this.inlineMemory = inlineMemory;
        this.inlineOffset = inlineOffset;
    }

    public void fill(SendRequest request, long totalLength) {
        id = request.id();
        operation = request.operation();
        remoteAddress = request.remoteAddress();
        remoteKey = request.remoteKey();
        immediate = request.immediate();
        signaled = request.signaled();
        solicited = request.solicited();
        inline = request.inline();
        fence = request.fence();
        compare = request.compare();
        swapOrAdd = request.swapOrAdd();
        length = totalLength;
        addressHandle = request.hasAddressHandle() ? request.addressHandle() : null;
        destinationQpn = request.destinationNumber();
        queueKey = request.queueKey();
        invalidateKey = request.invalidateKey();
        if (operation == Operation.BIND_MEMORY_WINDOW) {
            window = (AllocatedWindow) request.window();
            windowAccessBits = request.accessBits();
            windowKeyPart = request.keyPart();
        }
        if (!inline) {
            pieces.fill(request.gather());
        }
        isFaulty = false;
        isInlineLost = inline && length > 0 && !copyInline(request.gather());
    }

    public boolean isWrite() {
        return operation == Operation.RDMA_WRITE
                || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    public boolean isRead() {
        return operation == Operation.RDMA_READ;
    }

    public boolean isAtomic() {
        return operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    }

    /// Whether the payload is 8 bytes in one piece.
    private boolean isWord() {
        return pieces.count() == 1 && length == Long.BYTES;
    }

    /// Whether the peer answers with data, which no acknowledgement can stand in for.
    public boolean isAnsweredWithData() {
        return isRead() || isAtomic();
    }

    /// Whether nothing is sent: it concerns our own memory keys only.
    public boolean isLocal() {
        return operation == Operation.BIND_MEMORY_WINDOW || operation == Operation.LOCAL_INVALIDATE;
    }

    /// Does what a local request asks for on behalf of queue pair `queuePair` in `domain`; false if
    /// the rules of roce.md 3.11 forbid it.
    public boolean execute(RegionTable table, int domain, int queuePair) {
        AllocatedWindow bound = window;
        return bound == null
                ? table.invalidate(invalidateKey, domain, queuePair)
                : bound.bind(
                        domain,
                        queuePair,
                        pieces.region(0),
                        pieces.offset(0),
                        length,
                        windowAccessBits,
                        windowKeyPart);
    }

    public boolean hasImmediate() {
        return operation == Operation.SEND_WITH_IMMEDIATE
                || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    public CompletionOpcode completionOpcode() {
        return switch (operation) {
            case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> CompletionOpcode.SEND;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE -> CompletionOpcode.RDMA_WRITE;
            case RDMA_READ -> CompletionOpcode.RDMA_READ;
            case COMPARE_AND_SWAP -> CompletionOpcode.COMPARE_AND_SWAP;
            case FETCH_AND_ADD -> CompletionOpcode.FETCH_AND_ADD;
            case BIND_MEMORY_WINDOW -> CompletionOpcode.BIND_MEMORY_WINDOW;
            case LOCAL_INVALIDATE -> CompletionOpcode.LOCAL_INVALIDATE;
        };
    }

    /// Whether every piece lies in a region of `domain` that is registered still, and that may be
    /// written if the peer answers with data (roce.md 3.11).
    ///
    /// ROCE-MR-4: a request whose own memory is not accessible fails here and sends nothing.
    public boolean isAccessible(int domain) {
        return !isInlineLost
                && (isAnsweredWithData() ? pieces.isWritable(domain) : pieces.isReadable(domain));
    }

    /// Why it cannot be sent by a queue pair of `domain` that may have `maxReadAtomic` READs and
    /// atomics outstanding; SUCCESS if it can.
    public CompletionStatus flaw(int domain, int maxReadAtomic) {
        if (isAtomic() && !isWord()) {
            return CompletionStatus.LOCAL_LENGTH_ERROR;
        }
        if (isAnsweredWithData() && maxReadAtomic == 0) {
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
        return flaw(domain);
    }

    /// Why its own memory cannot be used by a queue pair of `domain`; SUCCESS if it can.
    public CompletionStatus flaw(int domain) {
        if (isFaulty) {
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
        return isAccessible(domain)
                ? CompletionStatus.SUCCESS
                : CompletionStatus.LOCAL_PROTECTION_ERROR;
    }

    /// Its memory could not be read: it cannot be sent any more.
    public void fault() {
        isFaulty = true;
    }

    /// Stores `count` bytes of `source` from `sourceOffset` at `position` of the payload, for queue
    /// pair `user`.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    public void store(long position, MemorySegment source, long sourceOffset, int count, int user) {
        pieces.store(position, source, sourceOffset, count, user);
    }

    /// Appends the `count` payload bytes from `position` of the message to `sink`, for queue pair
    /// `user`.
    ///
    /// @throws dev.outboard.fabric.memory.MemoryFault if they cannot be read
    public void appendPayload(PayloadSink sink, long position, int count, int user) {
        if (inline) {
            if (count > 0) {
                sink.append(inlinePayload(), inlineOffset + position, count);
            }
            return;
        }
        pieces.append(sink, position, count, user);
    }

    /// Stores the result of an atomic for queue pair `user`, in the byte order of this machine.
    ///
    /// @throws IllegalStateException if the arena of the memory is closed
    /// @throws dev.outboard.fabric.memory.MemoryFault if it cannot be written for another reason
    public void storeWord(long value, int user) {
        pieces.region(0).writeWord(pieces.offset(0), value, user);
    }

    /// Lets go of the regions, so that a completed request keeps no memory alive.
    public void release() {
        pieces.release();
        window = null;
        addressHandle = null;
    }

    private Payload inlinePayload() {
        if (inlineMemory == null) {
            throw new IllegalStateException("inline request on a queue without inline memory");
        }
        return inlineMemory;
    }

    /// Inline payload needs no right, but it must lie in its regions (roce.md 3.9).
    ///
    /// ROCE-RC-29: inline payload is copied when it is posted.
    private boolean copyInline(GatherList gather) {
        long to = inlineOffset;
        for (int i = 0; i < gather.count(); i++) {
            RegisteredRegion region = (RegisteredRegion) gather.region(i);
            if (!region.covers(gather.offset(i), gather.length(i))) {
                return false;
            }
            MemorySegment.copy(
                    region.segment(),
                    gather.offset(i),
                    inlinePayload().segment(),
                    to,
                    gather.length(i));
            to += gather.length(i);
        }
        return true;
    }

    @Override
    public String toString() {
        return operation + " id " + id + ", " + length + " bytes";
    }
}
