package dev.outboard.doca;

/// What was wrong with a task whose operands were refused on this side, before anything was sent
/// (catalog DRDMA-COM, DRDMA-FAIL).
public enum ValidationRule {
    OPERAND_MISSING(DocaError.INVALID_VALUE, "an operand is missing that this task needs"),
    BUFFER_RETURNED(
            DocaError.INVALID_VALUE, "a buffer was given back to its inventory in the meantime"),
    FOREIGN_DEVICE(
            DocaError.INVALID_VALUE,
            "the mmap of a buffer, or a sync event, is not of the device of the context"),
    FOREIGN_PEER(
            DocaError.INVALID_VALUE,
            "the memory or the sync event was exported for another device than the connection leads to"),
    MEMORY_CLOSED(DocaError.INVALID_VALUE, "the arena of a buffer's memory is closed"),
    MESSAGE_TOO_LONG(DocaError.INVALID_VALUE, "the message is longer than the device can send"),
    LIST_TOO_LONG(DocaError.INVALID_VALUE, "the list has more buffers than its limit allows"),
    LIST_NOT_SUPPORTED(DocaError.INVALID_VALUE, "this operand must be a single buffer"),
    TAIL_TOO_SHORT(
            DocaError.INVALID_VALUE,
            "the data does not fit behind that of the destination, which grows: resetDataLen() empties it"),
    LESS_THAN_8_BYTES(DocaError.INVALID_VALUE, "the buffer has less than 8 bytes from its data on"),
    NO_BYTES(DocaError.INVALID_VALUE, "the source holds no bytes"),
    NOT_ALIGNED(DocaError.INVALID_VALUE, "the data address of the destination is no multiple of 8"),
    FOREIGN_CONNECTION(DocaError.INVALID_VALUE, "the connection belongs to another context"),
    LOCAL_PERMISSION(DocaError.NOT_PERMITTED, "the mmap of a destination lacks LOCAL_READ_WRITE"),
    REMOTE_PERMISSION(DocaError.NOT_PERMITTED, "the peer's mmap does not permit this operation");

    private final DocaError error;
    private final String description;

    ValidationRule(DocaError error, String description) {
        this.error = error;
        this.description = description;
    }

    /// The status of a task that breaks the rule.
    public DocaError error() {
        return error;
    }

    /// One line for people.
    public String description() {
        return description;
    }
}
