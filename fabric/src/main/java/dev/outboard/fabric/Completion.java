package dev.outboard.fabric;

/// A finished work request, filled in by [CompletionQueue#poll]. Reuse one object: polling
/// allocates nothing. If [#status] is not SUCCESS, only id, status and queue pair number mean
/// anything, and for a receive the immediate, if the packet at which it failed carried one.
public final class Completion {
    private long id;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private CompletionOpcode opcode = CompletionOpcode.SEND;
    private int queuePairNumber;
    private long byteCount;
    private boolean hasImmediate;
    private int immediate;
    private boolean hasInvalidatedKey;
    private int invalidatedKey;
    private boolean hasRouteHeader;
    private int sourceQueuePairNumber;

    /// A completion to be filled.
    public Completion() {}

    /// Providers fill the completion with this; what the other setters add is cleared.
    public void set(
            long newId,
            CompletionStatus newStatus,
            CompletionOpcode newOpcode,
            int newQueuePairNumber,
            long newByteCount) {
        id = newId;
        status = newStatus;
        opcode = newOpcode;
        queuePairNumber = newQueuePairNumber;
        byteCount = newByteCount;
        hasImmediate = false;
        immediate = 0;
        hasInvalidatedKey = false;
        invalidatedKey = 0;
        hasRouteHeader = false;
        sourceQueuePairNumber = 0;
    }

    /// Providers add the immediate data of a receive.
    public void setImmediate(int value) {
        hasImmediate = true;
        immediate = value;
    }

    /// Providers add the key that a receive invalidated.
    public void setInvalidatedKey(int key) {
        hasInvalidatedKey = true;
        invalidatedKey = key;
    }

    /// Providers add the sender of a datagram; 40 bytes of route header precede its payload.
    public void setDatagramSource(int newQueuePairNumber) {
        hasRouteHeader = true;
        sourceQueuePairNumber = newQueuePairNumber;
    }

    /// Makes this a copy of `other`.
    public void copyFrom(Completion other) {
        id = other.id;
        status = other.status;
        opcode = other.opcode;
        queuePairNumber = other.queuePairNumber;
        byteCount = other.byteCount;
        hasImmediate = other.hasImmediate;
        immediate = other.immediate;
        hasInvalidatedKey = other.hasInvalidatedKey;
        invalidatedKey = other.invalidatedKey;
        hasRouteHeader = other.hasRouteHeader;
        sourceQueuePairNumber = other.sourceQueuePairNumber;
    }

    /// The id given to the work request.
    public long id() {
        return id;
    }

    public CompletionStatus status() {
        return status;
    }

    public CompletionOpcode opcode() {
        return opcode;
    }

    /// The local queue pair whose request this was.
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /// Bytes received; for a WRITE with immediate, the bytes the peer wrote; for a datagram, the
    /// route header of 40 bytes included.
    public long byteCount() {
        return byteCount;
    }

    /// Whether the peer sent 32 bits of immediate data.
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /// The immediate data, read big-endian; 0 if there is none.
    public int immediate() {
        return immediate;
    }

    /// Whether the peer invalidated one of our keys with this message.
    public boolean hasInvalidatedKey() {
        return hasInvalidatedKey;
    }

    /// The key that the peer invalidated; 0 if there is none.
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /// Whether the receive buffer begins with a global route header of 40 bytes: always so for
    /// datagrams, never for connections.
    public boolean hasRouteHeader() {
        return hasRouteHeader;
    }

    /// The queue pair a datagram came from; 0 for connections.
    public int sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    @Override
    public String toString() {
        String text = opcode + " id " + id + " on queue pair " + queuePairNumber + ": " + status;
        return status == CompletionStatus.SUCCESS ? text + ", " + byteCount + " bytes" : text;
    }
}
