package dev.outboard.fabric;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A work request for the send queue. Reuse one object: setters return `this`,
/// [QueuePair#post(SendRequest)] copies it.
///
/// ```java
/// request.id(7).write(remoteAddress, remoteKey).payload(region, 0, 4096).signaled(true);
/// queuePair.post(request);
/// ```
///
/// Not thread-safe.
public final class SendRequest {
    /// What a send request does.
    public enum Operation {
        SEND,
        SEND_WITH_IMMEDIATE,
        SEND_WITH_INVALIDATE,
        RDMA_WRITE,
        RDMA_WRITE_WITH_IMMEDIATE,
        RDMA_READ,
        COMPARE_AND_SWAP,
        FETCH_AND_ADD,
        BIND_MEMORY_WINDOW,
        LOCAL_INVALIDATE
    }

    /// What [#keyPart()] is if nobody chose.
    public static final int NEXT_KEY_PART = -1;

    private final GatherList gather = new GatherList();
    private long id;
    private Operation operation = Operation.SEND;
    private long remoteAddress;
    private int remoteKey;
    private int immediate;
    private int invalidateKey;
    private long compare;
    private long swapOrAdd;
    private boolean signaled = true;
    private boolean solicited;
    private boolean inline;
    private boolean fence;
    private @Nullable MemoryWindow window;
    private int accessBits;
    private int keyPart = NEXT_KEY_PART;
    private @Nullable AddressHandle addressHandle;
    private int destinationNumber;
    private int queueKey;

    /// A signaled SEND without payload.
    public SendRequest() {}

    /// Any value; it comes back in the completion.
    public SendRequest id(long newId) {
        id = newId;
        return this;
    }

    /// Sends the payload into the peer's next receive.
    public SendRequest send() {
        return operation(Operation.SEND, 0, 0, 0);
    }

    /// Sends the payload and 32 bits of immediate data into the peer's next receive.
    public SendRequest sendWithImmediate(int newImmediate) {
        return operation(Operation.SEND_WITH_IMMEDIATE, 0, 0, newImmediate);
    }

    /// Writes the payload into the peer's memory; the peer's application is not told.
    public SendRequest write(long newRemoteAddress, int newRemoteKey) {
        return operation(Operation.RDMA_WRITE, newRemoteAddress, newRemoteKey, 0);
    }

    /// Writes the payload into the peer's memory and consumes one of its receives with 32 bits of
    /// immediate data.
    public SendRequest writeWithImmediate(
            long newRemoteAddress, int newRemoteKey, int newImmediate) {
        return operation(
                Operation.RDMA_WRITE_WITH_IMMEDIATE, newRemoteAddress, newRemoteKey, newImmediate);
    }

    /// Sends the payload into the peer's next receive and invalidates one of the peer's keys.
    public SendRequest sendWithInvalidate(int newInvalidateKey) {
        operation(Operation.SEND_WITH_INVALIDATE, 0, 0, 0);
        invalidateKey = newInvalidateKey;
        return this;
    }

    /// Reads the peer's memory into the payload, whose regions need LOCAL_WRITE.
    public SendRequest read(long newRemoteAddress, int newRemoteKey) {
        return operation(Operation.RDMA_READ, newRemoteAddress, newRemoteKey, 0);
    }

    /// Replaces the peer's 64-bit word by `newSwap` if it equals `newCompare`. The payload, 8 bytes
    /// in a region with LOCAL_WRITE, receives what the word was before, in native byte order.
    ///
    /// @param newRemoteAddress a multiple of 8
    public SendRequest compareAndSwap(
            long newRemoteAddress, int newRemoteKey, long newCompare, long newSwap) {
        operation(Operation.COMPARE_AND_SWAP, newRemoteAddress, newRemoteKey, 0);
        compare = newCompare;
        swapOrAdd = newSwap;
        return this;
    }

    /// Adds to the peer's 64-bit word. The payload, 8 bytes in a region with LOCAL_WRITE, receives
    /// what the word was before, in native byte order.
    ///
    /// @param newRemoteAddress a multiple of 8
    public SendRequest fetchAndAdd(long newRemoteAddress, int newRemoteKey, long newAdd) {
        operation(Operation.FETCH_AND_ADD, newRemoteAddress, newRemoteKey, 0);
        swapOrAdd = newAdd;
        return this;
    }

    /// On a datagram queue pair: goes to queue pair `newDestinationNumber` of the peer that
    /// `handle` leads to. Stays until it is changed.
    ///
    /// @param newQueueKey what that queue pair wants to see; with the top bit set, the sending
    ///   queue pair's own key is sent instead
    public SendRequest to(AddressHandle handle, int newDestinationNumber, int newQueueKey) {
        addressHandle = handle;
        destinationNumber = newDestinationNumber;
        queueKey = newQueueKey;
        return this;
    }

    /// Binds `window` to `length` bytes of `region` from `offset`, so that a peer may do there what
    /// `access` says: any of REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC. The region needs
    /// MEMORY_WINDOW_BIND, and LOCAL_WRITE for the rights that change it. The window has its new
    /// key when this completes; [#keyPart] makes the key known before. Waits for all earlier
    /// requests, and sends nothing.
    public SendRequest bind(
            MemoryWindow newWindow,
            MemoryRegion region,
            long offset,
            long length,
            Access... access) {
        operation(Operation.BIND_MEMORY_WINDOW, 0, 0, 0);
        payload(region, offset, length);
        window = newWindow;
        keyPart = NEXT_KEY_PART;
        accessBits = 0;
        for (Access each : access) {
            accessBits |= each.bit();
        }
        return this;
    }

    /// Chooses the low eight bits of the key that [#bind] gives the window; otherwise they count
    /// up. A window of type 2B needs others than it had last.
    public SendRequest keyPart(int newKeyPart) {
        if (newKeyPart < 0 || newKeyPart > 0xFF) {
            throw new FabricException(
                    FabricException.Reason.INVALID_ARGUMENT,
                    "key part is " + newKeyPart + "; valid: 0 to 255");
        }
        keyPart = newKeyPart;
        return this;
    }

    /// Takes back the key of a window of type 2B that this queue pair bound. Waits for all earlier
    /// requests, and sends nothing.
    public SendRequest localInvalidate(int newInvalidateKey) {
        operation(Operation.LOCAL_INVALIDATE, 0, 0, 0);
        invalidateKey = newInvalidateKey;
        return noPayload();
    }

    /// Makes `length` bytes of `region` from `offset` the whole payload. Length 0 is a message
    /// without payload.
    public SendRequest payload(MemoryRegion region, long offset, long length) {
        gather.clear();
        gather.add(region, offset, length);
        return this;
    }

    /// Adds a further piece behind the payload so far.
    public SendRequest appendPayload(MemoryRegion region, long offset, long length) {
        gather.add(region, offset, length);
        return this;
    }

    /// Makes the payload empty.
    public SendRequest noPayload() {
        gather.clear();
        return this;
    }

    /// Whether success shall be reported too (default). Errors always are.
    public SendRequest signaled(boolean newSignaled) {
        signaled = newSignaled;
        return this;
    }

    /// Whether the peer's completion shall count as solicited (default: no).
    public SendRequest solicited(boolean newSolicited) {
        solicited = newSolicited;
        return this;
    }

    /// Whether the payload is copied when posted, so that its memory can be reused at once
    /// (default: no).
    public SendRequest inline(boolean newInline) {
        inline = newInline;
        return this;
    }

    /// Whether it starts only after all earlier READs and atomics of its queue pair are complete
    /// (default: no).
    public SendRequest fence(boolean newFence) {
        fence = newFence;
        return this;
    }

    public long id() {
        return id;
    }

    public Operation operation() {
        return operation;
    }

    public long remoteAddress() {
        return remoteAddress;
    }

    public int remoteKey() {
        return remoteKey;
    }

    public int immediate() {
        return immediate;
    }

    /// The peer's key that SEND_WITH_INVALIDATE invalidates, or ours that LOCAL_INVALIDATE does.
    public int invalidateKey() {
        return invalidateKey;
    }

    /// The window that BIND_MEMORY_WINDOW binds to the payload.
    ///
    /// @throws IllegalStateException for any other operation
    public MemoryWindow window() {
        if (window == null) {
            throw new IllegalStateException(operation + " binds no window");
        }
        return window;
    }

    /// What BIND_MEMORY_WINDOW grants: [Access#bit] of all together.
    public int accessBits() {
        return accessBits;
    }

    /// The low eight bits of the key that BIND_MEMORY_WINDOW gives, or [#NEXT_KEY_PART].
    public int keyPart() {
        return keyPart;
    }

    /// What COMPARE_AND_SWAP expects to find.
    public long compare() {
        return compare;
    }

    /// What COMPARE_AND_SWAP stores, or what FETCH_AND_ADD adds.
    public long swapOrAdd() {
        return swapOrAdd;
    }

    /// Whether [#to] was called.
    public boolean hasAddressHandle() {
        return addressHandle != null;
    }

    /// The way to the peer of a datagram; only if there is one.
    public AddressHandle addressHandle() {
        return Objects.requireNonNull(addressHandle, "the request has no address handle");
    }

    /// The queue pair a datagram goes to.
    public int destinationNumber() {
        return destinationNumber;
    }

    /// The queue key of a datagram.
    public int queueKey() {
        return queueKey;
    }

    public boolean fence() {
        return fence;
    }

    public boolean signaled() {
        return signaled;
    }

    public boolean solicited() {
        return solicited;
    }

    public boolean inline() {
        return inline;
    }

    /// The pieces of the payload.
    public GatherList gather() {
        return gather;
    }

    private SendRequest operation(
            Operation newOperation, long newAddress, int newKey, int newImmediate) {
        operation = newOperation;
        remoteAddress = newAddress;
        remoteKey = newKey;
        immediate = newImmediate;
        window = null;
        return this;
    }
}
