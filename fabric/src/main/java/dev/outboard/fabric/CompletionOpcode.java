package dev.outboard.fabric;

/// What a completed work request did. The codes are those of the verbs.
public enum CompletionOpcode {
    SEND(0),
    RDMA_WRITE(1),
    RDMA_READ(2),
    COMPARE_AND_SWAP(3),
    FETCH_AND_ADD(4),
    BIND_MEMORY_WINDOW(5),
    LOCAL_INVALIDATE(6),
    RECEIVE(128),
    RECEIVE_RDMA_WITH_IMMEDIATE(129);

    private final int code;

    CompletionOpcode(int code) {
        this.code = code;
    }

    /// The verbs' number.
    public int code() {
        return code;
    }
}
