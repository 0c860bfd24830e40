package dev.outboard.fabric;

/// A queue pair as who connects it sees it, whoever posts to it.
public interface QueuePairControl extends AutoCloseable {
    /// The 24-bit queue pair number.
    int number();

    /// May be read from any thread.
    QueuePairState state();

    /// Changes state and attributes (the verbs' `ibv_modify_qp`). With a peer that was told number,
    /// sequence number and address some other way:
    ///
    /// ```java
    /// pair.modify(QueuePairChange.to(QueuePairState.INIT).access(Access.REMOTE_WRITE));
    /// pair.modify(QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
    ///         .addressVector(AddressVector.to(peerAddress)).destinationNumber(peerNumber)
    ///         .pathMtu(1024).receivePsn(peerPsn).maxDestinationReadAtomic(1).minRnrTimer(12));
    /// pair.modify(QueuePairChange.to(QueuePairState.READY_TO_SEND)
    ///         .sendPsn(ourPsn).timeout(14).retryCount(7).rnrRetryCount(7).maxReadAtomic(1));
    /// ```
    ///
    /// RESET drops everything outstanding without completions; nobody may post meanwhile.
    ///
    /// @throws FabricException with INVALID_STATE if the transition does not exist, with
    ///   INVALID_ARGUMENT if an attribute is missing, foreign to the transition or out of range;
    ///   nothing has changed then
    void modify(QueuePairChange change);

    /// Destroys the queue pair at once, without completions. Closing twice is harmless.
    @Override
    void close();
}
