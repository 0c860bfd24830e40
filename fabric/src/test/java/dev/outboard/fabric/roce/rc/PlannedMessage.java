package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.SendRequest.Operation;

/// A message of a campaign, fixed before anything is sent.
///
/// @param index its place in the order of posting, and its id
/// @param pieces the lengths of its source pieces, one behind the other
/// @param localOffset where its bytes are in the sender's source region, or where a READ or atomic
///   puts what it brings in the sender's sink region
/// @param remoteOffset the place of a WRITE in the receiver's target region, of a READ in its
///   shelf, of an atomic among its words
/// @param receive which receive of the receiver it takes, or -1
/// @param operands of an atomic
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
        boolean fence,
        long localOffset,
        long remoteOffset,
        int receive,
        long pattern,
        Operands operands,
        Flaw flaw) {

    /// What an atomic works with.
    ///
    /// @param original what the word holds before, if everything before succeeded
    record Operands(long compare, long swapOrAdd, long original) {
        static final Operands NONE = new Operands(0, 0, 0);
    }

    /// A mistake of an application, and how it ends.
    enum Flaw {
        NONE(CompletionStatus.SUCCESS, CompletionStatus.SUCCESS),
        /// A WRITE, READ or atomic with a key that nobody gave out.
        WRONG_KEY(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A WRITE, READ or atomic whose last byte lies behind the region.
        BEYOND_REGION(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A WRITE, READ or atomic of memory that does not grant it.
        NO_RIGHT(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.WORK_REQUEST_FLUSHED),
        /// An atomic whose address is not a multiple of 8.
        MISALIGNED(
                CompletionStatus.REMOTE_INVALID_REQUEST_ERROR,
                CompletionStatus.WORK_REQUEST_FLUSHED),
        /// A SEND that is one byte longer than the receive.
        TOO_LONG(
                CompletionStatus.REMOTE_INVALID_REQUEST_ERROR, CompletionStatus.LOCAL_LENGTH_ERROR),
        /// A SEND into a receive whose memory may not be written.
        UNWRITABLE_RECEIVE(
                CompletionStatus.REMOTE_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR),
        /// A message from or to memory that is registered no longer.
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

    boolean isRead() {
        return operation == Operation.RDMA_READ;
    }

    boolean isAtomic() {
        return operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    }

    /// Whether it brings data to its sender.
    boolean isAnsweredWithData() {
        return isRead() || isAtomic();
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
