package dev.outboard.dpa.nic.layout;

/// DPA-ERR-21: why a request failed, as [CompletionEntry] tells it.
public enum Syndrome {
    /// It did not fail.
    SUCCESS(0x00),
    /// A message has more bytes than its buffers, or than a message may have.
    LOCAL_LENGTH(0x01),
    /// The work entry cannot be executed: wrong index, queue number, size or opcode, or it asks for
    /// what the NIC does not do.
    LOCAL_QUEUE_PAIR_OPERATION(0x02),
    /// A local key does not allow the access.
    LOCAL_PROTECTION(0x04),
    /// The queue pair had failed before.
    FLUSHED(0x05),
    /// The peer answered what nobody had asked for.
    BAD_RESPONSE(0x10),
    /// The peer cannot execute such a request.
    REMOTE_INVALID_REQUEST(0x12),
    /// The remote key does not allow the access.
    REMOTE_ACCESS(0x13),
    /// The peer failed on its own side.
    REMOTE_OPERATION(0x14),
    /// Nobody answers.
    TRANSPORT_RETRY_EXCEEDED(0x15),
    /// The peer has had no receive entry all the time.
    RECEIVER_NOT_READY(0x16);

    private final int code;

    Syndrome(int code) {
        this.code = code;
    }

    /// What stands in the entry.
    public int code() {
        return code;
    }
}
