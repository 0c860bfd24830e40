package dev.outboard.fabric;

/// A finished work request, filled in by [CompletionQueue#poll]. Reuse one object: polling
/// allocates nothing. If [#status] is not SUCCESS, only id, status and queue pair number mean
/// anything.
public final class Completion {
    private long id;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private CompletionOpcode opcode = CompletionOpcode.SEND;
    private int queuePairNumber;
    private long byteCount;
    private int immediate;
    private boolean hasImmediate;

    /// A completion to be filled.
    public Completion() {}

    /// Providers fill the completion with this.
    public void set(
            long newId,
            CompletionStatus newStatus,
            CompletionOpcode newOpcode,
            int newQueuePairNumber,
            long newByteCount,
            boolean newHasImmediate,
            int newImmediate) {
        id = newId;
        status = newStatus;
        opcode = newOpcode;
        queuePairNumber = newQueuePairNumber;
        byteCount = newByteCount;
        hasImmediate = newHasImmediate;
        immediate = newImmediate;
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

    /// Bytes received; for a WRITE with immediate, the bytes the peer wrote.
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

    @Override
    public String toString() {
        String text = opcode + " id " + id + " on queue pair " + queuePairNumber + ": " + status;
        return status == CompletionStatus.SUCCESS ? text + ", " + byteCount + " bytes" : text;
    }
}
