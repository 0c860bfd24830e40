package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.SendRequest.Operation;

/// A message of a campaign, fixed before anything is sent.
///
/// @param index its place in the order of posting, and its id
/// @param pieces the lengths of its source pieces, one behind the other
/// @param sourceOffset where its bytes are in the sender's source region
/// @param targetOffset where a WRITE puts them in the receiver's target region
/// @param receive which receive of the receiver it takes, or -1
/// @param flaw what is wrong with it
record PlannedMessage(
        int index,
        Operation operation,
        int length,
        int[] pieces,
        boolean signaled,
        boolean solicited,
        boolean inline,
        int immediate,
        long sourceOffset,
        long targetOffset,
        int receive,
        long pattern,
        Flaw flaw) {

    /// A mistake of an application, and how it ends.
    enum Flaw {
        NONE(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS),
        /// A WRITE with a key that nobody gave out.
        WRONG_KEY(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A WRITE whose last byte lies behind the region.
        BEYOND_REGION(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A WRITE to memory that grants no remote write.
        NO_RIGHT(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A SEND that is one byte longer than the receive.
        TOO_LONG(
                CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, CompletionStatus.LOCAL_LENGTH_ERROR),
        /// A SEND into a receive whose memory may not be written.
        UNWRITABLE_RECEIVE(
                CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR),
        /// A message from memory that is registered no longer.
        UNREGISTERED_SOURCE(
                CompletionStatus.LOCAL_PROTECTION_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED);

        /// How the send request completes, unless the answer gets lost.
        final CompletionStatus senderStatus;

        /// How the receive completes that the message takes.
        final CompletionStatus receiverStatus;

        Flaw(CompletionStatus senderStatus, CompletionStatus receiverStatus) {
            this.senderStatus = senderStatus;
            this.receiverStatus = receiverStatus;
        }
    }

    boolean isWrite() {
        return operation == Operation.RDMA_WRITE
                || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    boolean hasImmediate() {
        return operation == Operation.SEND_WITH_IMMEDIATE
                || operation == Operation.RDMA_WRITE_WITH_IMMEDIATE;
    }

    boolean takesReceive() {
        return receive >= 0;
    }

    boolean isFlawed() {
        return flaw != Flaw.NONE;
    }

    int packets(int mtu) {
        return Math.max(1, (length + mtu - 1) / mtu);
    }

    @Override
    public String toString() {
        return operation
                + " "
                + index
                + " of "
                + length
                + " bytes"
                + (isFlawed() ? " " + flaw : "");
    }
}
